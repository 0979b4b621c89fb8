//! The loop of proximal methods, and when it ends.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use arrayspan_bridge::{Array, Relayout, ViewMut};
use arrayspan_kernels::{Executor, VectorMut, widest_real};

use super::Scratch;
use crate::engine::read::reals;
use crate::engine::scale::epsilon;
use crate::parameters::{self, wrong};
use crate::{Launched, Observer, Progress, Result, Singly, Solution, Stop, Stopped};

/// The row of the squared primal residual.
pub(super) const PRIMAL: usize = 0;
/// The row of the squared size that it is compared with.
pub(super) const PRIMAL_SCALE: usize = 1;
/// The row of the squared dual residual.
pub(super) const DUAL: usize = 2;
/// The row of the squared size that it is compared with.
pub(super) const DUAL_SCALE: usize = 3;
/// How many rows there are.
pub(super) const ROWS: usize = 4;

/// Residuals that are no more than so many `ε` of their sizes are rounding.
const ROUNDING: f64 = 4.0;

/// The squared residuals of an iteration, that stay on the device until the host looks.
#[derive(Debug)]
pub(super) struct Column<'a> {
    columns: &'a mut Array,
    step: usize,
}

impl Column<'_> {
    /// One of them, to be written.
    pub(super) fn row(&mut self, row: usize) -> Result<ViewMut<'_>> {
        Ok(self.columns.view_mut().selected(0, self.step)?.selected(0, row)?)
    }

    /// Sizes of primal and dual residual: the largest so far, of which these are the newest.
    pub(super) fn largest(
        &mut self,
        on: &dyn Executor,
        [primal, dual]: [&Array; 2],
        [most, most_dual]: &mut [Array; 2],
    ) -> Result<()> {
        most.update_on(on, |most| most.maximum(primal))?;
        most_dual.update_on(on, |most| most.maximum(dual))?;
        self.row(PRIMAL_SCALE)?.assign_on(on, &*most)?;
        Ok(self.row(DUAL_SCALE)?.assign_on(on, &*most_dual)?)
    }
}

/// A method under way: its vectors, and what an iteration does to them.
pub(super) trait Recurrence: Debug {
    /// Enqueues one iteration, which fills a column.
    fn iterate(
        &mut self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        column: &mut Column<'_>,
    ) -> Result<()>;

    /// May change steps, by the last residuals that the host has seen, each divided by its size.
    fn adapt(&mut self, on: &dyn Executor, primal: f64, dual: f64) -> Result<()> {
        let _ = (on, primal, dual);
        Ok(())
    }

    /// The arrays that an iteration has from the one before, the solution first: what a saved run is.
    fn kept(&mut self) -> Vec<&mut Array>;

    /// Parameters with which alone a saved run goes on as it would have, by their names.
    fn fixed(&self) -> Vec<(&'static str, f64)>;

    /// Numbers on the host that iterations change, or that were found at the start.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes such numbers, which may be any; whether they make sense.
    fn renumber(&mut self, numbers: &[f64]) -> bool {
        numbers.is_empty()
    }

    /// The solution as it is.
    fn solution(&self) -> &Array;

    /// The solution, and all other vectors back to where they came from.
    fn finish(self: Box<Self>, scratch: &mut Scratch) -> Array;
}

/// A run of a proximal method, which the caller leads: [`Minimizer::start`](super::Minimizer::start) begins it,
/// [`step`](Self::step) takes an iteration, [`finish`](Self::finish) gives the solution.
///
/// A run that is dropped before [`finish`](Self::finish) does not give its vectors back: the next run with that scratch makes them anew.
#[derive(Debug)]
pub struct Minimizing<'a> {
    pub(super) solver: &'static str,
    pub(super) on: &'a dyn Executor,
    scratch: &'a mut Scratch,
    pub(super) recurrence: Box<dyn Recurrence + 'a>,
    /// `[check_every, ROWS]`
    columns: Array,
    stop: Stop,
    pub(super) residuals: Vec<f64>,
    /// The last column, without squares.
    pub(super) seen: [f64; ROWS],
    began: Instant,
    /// The time that it took before it was saved.
    pub(super) before: Duration,
    pub(super) stopped: Option<Stopped>,
}

impl<'a> Minimizing<'a> {
    pub(super) fn new(
        solver: &'static str,
        (on, scratch): (&'a dyn Executor, &'a mut Scratch),
        recurrence: Box<dyn Recurrence + 'a>,
        (stop, check_every): (Stop, usize),
    ) -> Result<Self> {
        let room = room(&stop, check_every);
        let columns = scratch.take(on, &[room, ROWS], widest_real(on.device()))?;
        let stopped = (stop.iterations == 0).then_some(Stopped::Iterations);
        let (residuals, seen) = (vec![f64::INFINITY], [f64::INFINITY, 0.0, f64::INFINITY, 0.0]);
        let (began, before) = (Instant::now(), Duration::ZERO);
        Ok(Self {
            solver,
            on,
            scratch,
            recurrence,
            columns,
            stop,
            residuals,
            seen,
            began,
            before,
            stopped,
        })
    }

    /// The time that the run has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.before.saturating_add(self.began.elapsed())
    }

    pub(super) fn iterations(&self) -> usize {
        self.residuals.len() - 1
    }

    /// What an observer would see now: the primal residual, and the dual one in place of the gradient, both infinite before the first
    /// iteration; the size of the data is what the primal residual is compared with.
    #[must_use]
    pub fn progress(&self) -> Progress<'_> {
        let [residual, size, gradient, dual_size] = self.seen;
        Progress {
            solver: self.solver,
            iteration: self.iterations(),
            most: self.stop.iterations,
            residual,
            gradient,
            initial: self.residuals.get(1).copied().unwrap_or(f64::INFINITY),
            data: size,
            relative_residual: relative(residual, size),
            relative_gradient: relative(gradient, dual_size),
            residuals: &self.residuals,
            elapsed: self.elapsed(),
            stopped: self.stopped,
            solution: self.recurrence.solution().view(),
        }
    }

    /// Why the run is over, if it is.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// One iteration, unless the run is over; `Break` if it is then. Waits for its residuals.
    ///
    /// # Errors
    /// When the device fails.
    pub fn step(&mut self) -> Result<ControlFlow<()>> {
        self.advance(1)
    }

    /// At most so many iterations, and at most `check_every`, enqueued together: `Break` if the run is over then. Waits for
    /// their residuals.
    ///
    /// # Errors
    /// When the device fails.
    pub fn advance(&mut self, iterations: usize) -> Result<ControlFlow<()>> {
        if self.stopped.is_none() && iterations > 0 {
            let left = self.stop.iterations.saturating_sub(self.iterations());
            let ahead = iterations.min(self.columns.shape()[0]).min(left);
            for step in 0..ahead {
                let mut column = Column { columns: &mut self.columns, step };
                self.recurrence.iterate(self.on, self.scratch, &mut column)?;
            }
            let all = reals(&self.columns.view())?;
            for column in all.chunks_exact(ROWS).take(ahead) {
                self.seen = std::array::from_fn(|row| column[row].sqrt());
                self.residuals.push(self.seen[PRIMAL]);
            }
            self.stopped = self.judge();
            self.adapt()?;
        }
        Ok(if self.stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Has steps changed by what was seen, unless the run is over.
    fn adapt(&mut self) -> Result<()> {
        if self.stopped.is_some() {
            return Ok(());
        }
        let [primal, size, dual, dual_size] = self.seen;
        let shares = [relative(primal, size), relative(dual, dual_size)];
        self.recurrence.adapt(self.on, shares[0], shares[1])
    }

    /// Judges what a saved run had seen, which may have been over then.
    pub(super) fn look_again(&mut self, over: bool) -> Result<()> {
        let begun = self.iterations() > 0;
        self.stopped = if begun {
            self.judge()
        } else {
            (self.stop.iterations == 0).then_some(Stopped::Iterations)
        };
        if begun && over { self.adapt() } else { Ok(()) }
    }

    /// Whether what was seen is enough.
    fn judge(&self) -> Option<Stopped> {
        let ([primal, size, dual, dual_size], stop) = (self.seen, &self.stop);
        let asked = stop.absolute > 0.0 || stop.residual > 0.0 || stop.gradient > 0.0;
        let within = |residual: f64, size: f64, relative: f64| {
            let off = relative == 0.0 && stop.absolute == 0.0;
            off || residual <= stop.absolute + relative * size
        };
        let rounding = ROUNDING * epsilon(self.recurrence.solution().dtype());
        if !self.seen.iter().all(|number| number.is_finite()) {
            Some(Stopped::NotFinite)
        } else if asked
            && within(primal, size, stop.residual)
            && within(dual, dual_size, stop.gradient)
        {
            Some(Stopped::Residual)
        } else if primal <= rounding * size && dual <= rounding * dual_size {
            Some(Stopped::Precision)
        } else if stop.stagnation.is_some_and(|rule| rule.holds(&self.residuals[1..])) {
            Some(Stopped::Stagnation)
        } else if self.iterations() >= stop.iterations {
            Some(Stopped::Iterations)
        } else if stop.time.is_some_and(|most| self.elapsed() >= most) {
            Some(Stopped::Time)
        } else {
            None
        }
    }

    /// The solution as it is. A run that was not over ends with [`Stopped::Observer`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn finish(self) -> Result<Solution> {
        let iterations = self.iterations();
        let stopped = self.stopped.unwrap_or(Stopped::Observer);
        let x = self.recurrence.finish(self.scratch);
        self.scratch.give(self.columns);
        let launched = Launched::Singly(Singly::Method);
        Ok(Solution { x, iterations, residuals: self.residuals, stopped, launched })
    }

    /// The loop: iterations between two looks, then the observer, until the run is over.
    pub(super) fn drive(mut self, observer: &mut dyn Observer) -> Result<Solution> {
        loop {
            let watched = observer.observe(&self.progress());
            if self.stopped.is_some() || watched.is_break() {
                let reason = observer.reason().unwrap_or(Stopped::Observer);
                self.stopped.get_or_insert(reason);
                return self.finish();
            }
            let every = observer.every().filter(|&every| every > 0);
            let next = every.map(|every| every - self.iterations() % every);
            let _ = self.advance(next.unwrap_or(usize::MAX))?;
        }
    }
}

/// A residual beside its size: 0 where both are 0.
fn relative(residual: f64, size: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / size }
}

/// The iterations between two looks of the host.
fn room(stop: &Stop, check_every: usize) -> usize {
    check_every.min(stop.iterations).max(1)
}

/// The bytes of the columns.
pub(super) fn columns_bytes(stop: &Stop, check_every: usize) -> usize {
    room(stop, check_every).saturating_mul(ROWS * 8)
}

/// Fails if a parameter that all methods have is out of its range.
pub(super) fn check(name: &'static str, stop: &Stop, check_every: usize) -> Result<()> {
    parameters::check_every(name, check_every)?;
    stop.check().or_else(|why| wrong(name, why))
}
