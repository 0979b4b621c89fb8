//! Watching a solver, and stopping it by one's own rule.

use std::ops::{ControlFlow, DerefMut};
use std::time::Duration;

use arrayspan_bridge::View;

use crate::Stopped;

/// What an observer sees before the first iteration and each time the host checks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The solver.
    pub solver: &'static str,
    /// Iterations done.
    pub iteration: usize,
    /// The most that there can be: [`Stop::iterations`](crate::Stop::iterations).
    pub most: usize,
    /// `‖y - A x‖` now.
    pub residual: f64,
    /// The norm of the gradient now: for least squares `Aᴴ (y - A x) - damping² x`; each solver says what it is.
    pub gradient: f64,
    /// `‖y - A x‖` at the start.
    pub initial: f64,
    /// `‖y‖`
    pub data: f64,
    /// `residual / data`, 0 where both are 0; also where the numbers themselves are less than any `f64`.
    pub relative_residual: f64,
    /// `gradient` beside that at the start, 0 where both are 0; also where the numbers themselves are less than any `f64`.
    pub relative_gradient: f64,
    /// `‖y - A x‖` at the start and after each iteration.
    pub residuals: &'a [f64],
    /// The time since the run began.
    pub elapsed: Duration,
    /// Why the run is over, if it is: nobody is called after that.
    pub stopped: Option<Stopped>,
    /// The present solution, where it lives.
    pub solution: View<'a>,
}

/// Watches a solver, and may stop it. [Ready ones](crate::observers) have a module of their own; any closure is one, any
/// [`Condition`](crate::Condition), and so is an array or a `Vec` of `&mut dyn Observer`, or a `Vec` of boxes, all of which are called.
///
/// It is not called after each iteration, but before the first and at each check of the host, every 10 iterations by default. A solver with
/// `check_every: 1` calls it each time, and waits for the device each time; [`every`](Self::every) asks for calls in between.
pub trait Observer {
    /// Called before the first iteration and each time the host checks, with the newest iterate; `Break` stops the solver.
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()>;

    /// After how many iterations it wants to be called; the host then checks at all their multiples, and where the solver
    /// says, too. `None`: wherever the host checks anyway.
    fn every(&self) -> Option<usize> {
        None
    }

    /// What [`Solution::stopped`](crate::Solution::stopped) says of a run that it has just ended: `None` is
    /// [`Stopped::Observer`].
    fn reason(&self) -> Option<Stopped> {
        None
    }

    /// What is wrong with its parameters, if anything is: asked before anything is computed, and an
    /// [error](crate::Error::Parameter).
    ///
    /// # Errors
    /// Says which one, its value and why.
    fn check(&self) -> Result<(), String> {
        Ok(())
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

/// One after the other, by `&mut dyn Observer` or in boxes. All are called, also when one before wants to stop.
impl<'o, O, const N: usize> Observer for [O; N]
where
    O: DerefMut<Target = dyn Observer + 'o>,
{
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        all(self, progress)
    }

    /// The largest number of iterations whose multiples are all that any of them wants.
    fn every(&self) -> Option<usize> {
        common(self)
    }

    /// That of the first which has one.
    fn reason(&self) -> Option<Stopped> {
        self.iter().find_map(|observer| observer.reason())
    }

    fn check(&self) -> Result<(), String> {
        self.iter().try_for_each(|observer| observer.check())
    }
}

/// As an array of them.
impl<'o, O> Observer for Vec<O>
where
    O: DerefMut<Target = dyn Observer + 'o>,
{
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        all(self, progress)
    }

    fn every(&self) -> Option<usize> {
        common(self)
    }

    fn reason(&self) -> Option<Stopped> {
        self.iter().find_map(|observer| observer.reason())
    }

    fn check(&self) -> Result<(), String> {
        self.iter().try_for_each(|observer| observer.check())
    }
}

fn all<'o, O>(observers: &mut [O], progress: &Progress<'_>) -> ControlFlow<()>
where
    O: DerefMut<Target = dyn Observer + 'o>,
{
    let mut flow = ControlFlow::Continue(());
    for observer in observers {
        if observer.observe(progress).is_break() {
            flow = ControlFlow::Break(());
        }
    }
    flow
}

fn common<'o, O>(observers: &[O]) -> Option<usize>
where
    O: DerefMut<Target = dyn Observer + 'o>,
{
    let divisor = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let wanted = observers.iter().filter_map(|observer| observer.every());
    wanted.filter(|&every| every > 0).reduce(divisor)
}
