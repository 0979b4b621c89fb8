//! Stopping by a share of the residual.

use std::ops::ControlFlow;

use crate::{Observer, Progress};

/// Stops when the residual is less than this share of `‖y‖`. PyLops: `CostToDataCallback`. ([`Stop::residual`] does the same,
/// and says so in [`Stopped`].)
///
/// [`Stop::residual`]: crate::Stop::residual
/// [`Stopped`]: crate::Stopped
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualToData(pub f64);

/// Stops when the residual is less than this share of the one at the start, which a start vector makes another than the data.
/// PyLops: `CostToInitialCallback`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualToInitial(pub f64);

impl Observer for ResidualToData {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        less(progress.residual, self.0 * progress.data)
    }
}

impl Observer for ResidualToInitial {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        less(progress.residual, self.0 * progress.initial)
    }
}

fn less(residual: f64, bound: f64) -> ControlFlow<()> {
    if residual < bound { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
