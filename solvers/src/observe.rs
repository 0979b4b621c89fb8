//! Watching a solver, and stopping it by one's own rule.

use std::ops::ControlFlow;

use arrayspan_bridge::View;

/// What an observer sees before the first iteration and each time the host checks.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Iterations done.
    pub iteration: usize,
    /// `‖y - A x‖` now.
    pub residual: f64,
    /// The norm of the gradient, `Aᴴ (y - A x) - damping² x`, now.
    pub gradient: f64,
    /// The present solution, where it lives.
    pub solution: View<'a>,
}

/// Watches a solver, and may stop it.
pub trait Observer {
    /// Called before the first iteration and each time the host checks, with the newest iterate; `Break` stops the solver.
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()>;
}

/// Watches nothing.
impl Observer for () {
    fn observe(&mut self, _: &Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Any closure can watch.
impl<F: FnMut(&Progress<'_>) -> ControlFlow<()>> Observer for F {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self(progress)
    }
}
