//! Solutions on the way.

use std::ops::ControlFlow;

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::Device;

use crate::{Error, Observer, Progress};

/// Copies the solution to the host every so many iterations, and before the first.
///
/// Each copy takes memory of the host, and waits. When one fails the run ends, and [`error`](Self::error) says why.
#[derive(Debug)]
pub struct Snapshots {
    every: usize,
    taken: Vec<(usize, Array)>,
    error: Option<Error>,
}

impl Snapshots {
    /// One every so many iterations; 0 counts as 1.
    #[must_use]
    pub fn every(iterations: usize) -> Self {
        Self { every: iterations.max(1), taken: Vec::new(), error: None }
    }

    /// Iterations done, and the solution then, on the host.
    #[must_use]
    pub fn taken(&self) -> &[(usize, Array)] {
        &self.taken
    }

    /// Why a copy failed, if one did.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }
}

impl Observer for Snapshots {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if !progress.iteration.is_multiple_of(self.every) {
            return ControlFlow::Continue(());
        }
        match progress.solution.to(Device::cpu()) {
            Ok((copy, _)) => {
                self.taken.push((progress.iteration, copy));
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error.into());
                ControlFlow::Break(())
            }
        }
    }

    fn every(&self) -> Option<usize> {
        Some(self.every)
    }
}
