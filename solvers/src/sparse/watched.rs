//! Loops around solvers, as observers see them: after each iteration, and before the first.

use std::time::Instant;

use arrayspan_bridge::Array;

use crate::parameters::wrong;
use crate::{Launched, Observer, Progress, Result, Singly, Solution, Stopped};

/// A gradient that nobody knows yet, and what it is compared with.
pub(super) const UNKNOWN: [f64; 2] = [f64::INFINITY, 0.0];

/// The residuals of a loop, and who watches it.
pub(super) struct Watched<'o> {
    solver: &'static str,
    most: usize,
    data: f64,
    began: Instant,
    pub(super) residuals: Vec<f64>,
    observer: &'o mut dyn Observer,
}

impl<'o> Watched<'o> {
    /// For at most so many iterations.
    pub(super) fn new(
        solver: &'static str,
        most: usize,
        observer: &'o mut dyn Observer,
    ) -> Result<Self> {
        observer.check().or_else(|why| wrong(solver, why))?;
        let began = Instant::now();
        Ok(Self { solver, most, data: f64::NAN, began, residuals: Vec::new(), observer })
    }

    /// Begins with the norms of data and residual.
    pub(super) fn begin(&mut self, data: f64, residual: f64) {
        self.data = data;
        self.residuals.push(residual);
    }

    /// Iterations done.
    pub(super) fn iterations(&self) -> usize {
        self.residuals.len() - 1
    }

    /// The newest residual.
    pub(super) fn residual(&self) -> f64 {
        self.residuals.last().copied().unwrap_or(f64::NAN)
    }

    /// What the run returns.
    pub(super) fn solution(self, x: Array, stopped: Option<Stopped>) -> Solution {
        let (iterations, residuals) = (self.iterations(), self.residuals);
        let stopped = stopped.unwrap_or(Stopped::Iterations);
        let launched = Launched::Singly(Singly::Method);
        Solution { x, iterations, residuals, stopped, launched }
    }

    /// Shows a model, and a gradient with what it is compared with. Why the run is over, if it is, by the method's own rule or by
    /// the observer's.
    pub(super) fn show(
        &mut self,
        solution: &Array,
        [gradient, compared]: [f64; 2],
        stopped: Option<Stopped>,
    ) -> Option<Stopped> {
        let residual = self.residual();
        let progress = Progress {
            solver: self.solver,
            iteration: self.iterations(),
            most: self.most,
            residual,
            gradient,
            initial: self.residuals[0],
            data: self.data,
            relative_residual: share(residual, self.data),
            relative_gradient: share(gradient, compared),
            residuals: &self.residuals,
            elapsed: self.began.elapsed(),
            stopped,
            solution: solution.view(),
        };
        let flow = self.observer.observe(&progress);
        let wanted = || self.observer.reason().unwrap_or(Stopped::Observer);
        stopped.or_else(|| flow.is_break().then(wanted))
    }
}

/// `part / whole`, and no share of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}
