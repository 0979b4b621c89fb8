//! How far a solution is from the truth, on the way.

use std::ops::ControlFlow;

use arrayspan_bridge::{AsView, SharedArray, View};
use arrayspan_operators::metrics::{Peak, mae, mse, psnr, snr};
use arrayspan_operators::{LinearOperator, Operator};

use crate::{Error, Observer, Progress, Result};

/// Compares solutions with the truth, by the [metrics](arrayspan_operators::metrics) of PyLops. PyLops: `MetricsCallback`.
///
/// It is given the newest iterate. (In PyLops before 2.8 that of `CGLS` was one iteration late.) What it computes stays on the
/// device but for the numbers. When one fails, as for a truth of another shape, the run ends, and [`error`](Self::error) says why.
#[derive(Debug)]
pub struct Metrics {
    truth: SharedArray,
    of: Option<Operator>,
    every: Option<usize>,
    seen: Vec<(usize, Measured)>,
    error: Option<Error>,
}

/// The metrics of one solution.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// The mean absolute error.
    pub mae: f64,
    /// The mean squared error.
    pub mse: f64,
    /// The signal-to-noise ratio, in decibels.
    pub snr: f64,
    /// The peak signal-to-noise ratio, in decibels, from zero to the largest number of the truth; NaN for complex ones.
    pub psnr: f64,
}

impl Metrics {
    /// Of solutions and the truth, on the device of both.
    #[must_use]
    pub fn new(truth: SharedArray) -> Self {
        Self { truth, of: None, every: None, seen: Vec::new(), error: None }
    }

    /// Compares what the operator makes of solutions with the truth.
    #[must_use]
    pub fn of(self, operator: Operator) -> Self {
        Self { of: Some(operator), ..self }
    }

    /// Also wherever a solver does not check by itself: after so many iterations, and so on.
    #[must_use]
    pub fn every(self, iterations: usize) -> Self {
        Self { every: Some(iterations), ..self }
    }

    /// Iterations done, and the metrics then.
    #[must_use]
    pub fn seen(&self) -> &[(usize, Measured)] {
        &self.seen
    }

    /// Why metrics could not be computed, if they could not.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    fn measure(&self, solution: &View<'_>) -> Result<Measured> {
        match &self.of {
            Some(operator) => self.compare(&operator.forward(solution)?.view()),
            None => self.compare(solution),
        }
    }

    fn compare(&self, found: &View<'_>) -> Result<Measured> {
        let truth = self.truth.as_view();
        let peak = if truth.dtype().is_complex() {
            f64::NAN
        } else {
            psnr(&truth, found, Peak::default())?
        };
        let (mae, mse, snr) = (mae(&truth, found)?, mse(&truth, found)?, snr(&truth, found)?);
        Ok(Measured { mae, mse, snr, psnr: peak })
    }
}

impl Observer for Metrics {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        match self.measure(&progress.solution) {
            Ok(measured) => {
                self.seen.push((progress.iteration, measured));
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn every(&self) -> Option<usize> {
        self.every
    }
}
