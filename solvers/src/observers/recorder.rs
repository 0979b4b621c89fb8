//! What a solver looked like at each check.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::{Observer, Progress};

/// Keeps iteration, residual, gradient and time of each check; [`Solution::residuals`](crate::Solution::residuals) has the residuals
/// of all iterations anyway.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    every: Option<usize>,
    seen: Vec<(usize, f64, f64, Duration)>,
}

impl Recorder {
    /// Also wherever a solver does not check by itself: after so many iterations, and so on.
    #[must_use]
    pub fn every(self, iterations: usize) -> Self {
        Self { every: Some(iterations), ..self }
    }

    /// Iterations done, residual, gradient and time since the beginning, of each check.
    #[must_use]
    pub fn seen(&self) -> &[(usize, f64, f64, Duration)] {
        &self.seen
    }
}

impl Observer for Recorder {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let Progress { iteration, residual, gradient, elapsed, .. } = *progress;
        self.seen.push((iteration, residual, gradient, elapsed));
        ControlFlow::Continue(())
    }

    fn every(&self) -> Option<usize> {
        self.every
    }
}
