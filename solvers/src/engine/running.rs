//! A run, iteration by iteration, and the loop that all runs are.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use arrayspan_bridge::Array;

use super::history::Norms;
use super::run::{Method, Run};
use crate::{Observer, Progress, Result, Saved, Solution, Stopped};

/// A run under way, which the caller leads on: [`Solver::start`](super::Solver::start) begins it, [`step`](Self::step) takes an
/// iteration, [`finish`](Self::finish) gives the solution.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, Scheme, Space};
/// use arrayspan_solvers::{Cgls, Solver};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let on = arrayspan_kernels::on(y.device())?;
/// let solver = Cgls::default();
/// let mut workspace = solver.workspace(&a, &*on)?;
/// let mut run = solver.start(&mut workspace, &*on, &a, y.view(), None)?;
/// while let ControlFlow::Continue(()) = run.step()? {
///     println!("{}: {}", run.progress().iteration, run.progress().residual);
/// }
/// let solution = run.finish()?;
/// assert_eq!(solution.residuals.len(), solution.iterations + 1);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Debug)]
pub struct Running<'a, M: Method> {
    pub(super) run: Run<'a, M>,
    pub(super) seen: Norms,
    began: Instant,
    /// The time that it took before it was saved.
    before: Duration,
    /// The iterations since the first column of the history.
    pub(super) ahead: usize,
    /// How many iterations may be enqueued at once.
    check_every: usize,
    /// `‖y‖`, scaled.
    data: f64,
    /// The model without its scale, if it has one.
    unscaled: Option<Array>,
    stopped: Option<Stopped>,
}

impl<'a, M: Method> Running<'a, M> {
    /// Computes the state before the first iteration. Waits for it.
    pub(crate) fn new(mut run: Run<'a, M>) -> Result<Self> {
        let began = Instant::now();
        let seen = run.begin()?.swap_remove(0);
        Self::at(run, seen, began, Duration::ZERO)
    }

    /// Goes on from a saved state, which fits. Waits for a norm.
    pub(crate) fn resumed(mut run: Run<'a, M>, saved: &Saved) -> Result<Self> {
        let began = Instant::now();
        let seen = run.take_up(saved)?;
        Self::at(run, seen, began, saved.elapsed())
    }

    fn at(run: Run<'a, M>, seen: Norms, began: Instant, before: Duration) -> Result<Self> {
        let check_every = run.method.check_every().min(run.w.history.room());
        let data = run.scaled_data(0);
        let (unscaled, stopped, ahead) = (run.unscaled()?, None, 0);
        let mut running =
            Self { run, seen, began, before, ahead, check_every, data, unscaled, stopped };
        running.judge();
        Ok(running)
    }

    /// The time that the run has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.before.saturating_add(self.began.elapsed())
    }

    /// What an observer would see now.
    #[must_use]
    pub fn progress(&self) -> Progress<'_> {
        let (residual, gradient) = self.seen.last();
        Progress {
            solver: M::NAME,
            iteration: self.seen.iterations(),
            most: self.run.method.stop().iterations,
            residual,
            gradient,
            initial: self.seen.residuals[0],
            data: self.run.unscaled_data(self.data),
            relative_residual: share(self.seen.scaled_residual, self.data),
            relative_gradient: share(
                self.seen.scaled_gradient(),
                self.seen.first_scaled_gradient(),
            ),
            residuals: &self.seen.residuals,
            elapsed: self.elapsed(),
            stopped: self.stopped,
            solution: self.unscaled.as_ref().unwrap_or(&self.run.x).view(),
        }
    }

    /// Why the run is over, if it is.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// One iteration, unless the run is over; `Break` if it is then. Waits for its norms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn step(&mut self) -> Result<ControlFlow<()>> {
        self.advance(1)
    }

    /// At most so many iterations, and at most `check_every`, enqueued together: `Break` if the run is over then. Waits for
    /// their norms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn advance(&mut self, iterations: usize) -> Result<ControlFlow<()>> {
        if self.stopped.is_some() || iterations == 0 {
            return Ok(self.flow());
        }
        let run = &mut self.run;
        run.w.history.restart(run.on, self.ahead)?;
        let left = run.method.stop().iterations.saturating_sub(self.seen.iterations());
        let mut ahead = iterations.min(self.check_every).min(left);
        if run.damped_alone {
            ahead = ahead.min(1);
        }
        run.done = self.seen.iterations();
        run.enqueue(ahead, left)?;
        run.read(ahead, std::slice::from_mut(&mut self.seen))?;
        self.ahead = ahead;
        self.unscaled = run.unscaled()?;
        self.judge();
        Ok(self.flow())
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether what was seen is enough.
    fn judge(&mut self) {
        self.stopped = self.run.judge(&self.seen, self.data, self.elapsed());
    }

    /// The solution as it is. A run that was not over ends with [`Stopped::Observer`]. Waits for it.
    ///
    /// # Errors
    /// When the device fails.
    pub fn finish(self) -> Result<Solution> {
        self.finish_for(Stopped::Observer)
    }

    /// The same, with that reason for a run that was not over.
    fn finish_for(mut self, reason: Stopped) -> Result<Solution> {
        let stopped = self.stopped.unwrap_or(reason);
        let stopped = self.run.outcome(stopped, self.unscaled.as_ref())?;
        let iterations = self.seen.iterations();
        let launched = self.run.launched(iterations);
        self.run.keep();
        let (x, residuals) = (self.unscaled.unwrap_or(self.run.x), self.seen.residuals);
        Ok(Solution { x, iterations, residuals, stopped, launched })
    }

    /// Leads the run to its end, as [`solve_in`](super::Solver::solve_in) does: iterations between two checks, then the observer,
    /// and so on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn drive(mut self, observer: &mut dyn Observer) -> Result<Solution> {
        loop {
            let watched = observer.observe(&self.progress());
            if self.stopped.is_some() || watched.is_break() {
                return self.finish_for(observer.reason().unwrap_or(Stopped::Observer));
            }
            let every = observer.every().filter(|&every| every > 0);
            // So that an observer that looks every few iterations sees multiples of that.
            let next = every.map(|every| every - self.seen.iterations() % every);
            let _ = self.advance(next.unwrap_or(self.check_every))?;
        }
    }
}

/// `part / whole`, and no share of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}
