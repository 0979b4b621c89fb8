//! Watching a solver, and stopping it by one's own rule.

use std::ops::ControlFlow;
use std::time::Duration;

use arrayspan_bridge::View;

/// What an observer sees before the first iteration and each time the host checks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The solver.
    pub solver: &'static str,
    /// Iterations done.
    pub iteration: usize,
    /// `‖y - A x‖` now.
    pub residual: f64,
    /// The norm of the gradient now: for least squares `Aᴴ (y - A x) - damping² x`; each solver says what it is.
    pub gradient: f64,
    /// `‖y - A x‖` at the start.
    pub initial: f64,
    /// `‖y‖`
    pub data: f64,
    /// The time since the run began.
    pub elapsed: Duration,
    /// The present solution, where it lives.
    pub solution: View<'a>,
}

/// Watches a solver, and may stop it. [Ready ones](crate::observers) have a module of their own; any closure is one, and so is
/// an array or a `Vec` of `&mut dyn Observer`, all of which are called.
pub trait Observer {
    /// Called before the first iteration and each time the host checks, with the newest iterate; `Break` stops the solver.
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()>;

    /// After how many iterations it wants to be called; the host then checks at all their multiples, and where the solver
    /// says, too. `None`: wherever the host checks anyway.
    fn every(&self) -> Option<usize> {
        None
    }
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

/// One after the other. All are called, also when one before wants to stop.
impl<const N: usize> Observer for [&mut dyn Observer; N] {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        all(self, progress)
    }

    /// The largest number of iterations whose multiples are all that any of them wants.
    fn every(&self) -> Option<usize> {
        common(self)
    }
}

/// As an array of them.
impl Observer for Vec<&mut dyn Observer> {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        all(self, progress)
    }

    fn every(&self) -> Option<usize> {
        common(self)
    }
}

fn all(observers: &mut [&mut dyn Observer], progress: &Progress<'_>) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    for observer in observers {
        if observer.observe(progress).is_break() {
            flow = ControlFlow::Break(());
        }
    }
    flow
}

fn common(observers: &[&mut dyn Observer]) -> Option<usize> {
    let divisor = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let wanted = observers.iter().filter_map(|observer| observer.every());
    wanted.filter(|&every| every > 0).reduce(divisor)
}
