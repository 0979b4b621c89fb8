//! Conjugate gradients on the normal equations, without forming them.

use std::ops::ControlFlow;

use arrayspan_bridge::{Array, AsView, DType, View};
use arrayspan_kernels::{Executor, widest_real};
use arrayspan_operators::{LinearMap, Space};

use super::recurrence::Run;
use super::rehearse;
use super::workspace::CglsWorkspace;
use crate::fit::Fit;
use crate::{Error, Observer, Progress, Result, Solution, Stop, Stopped};

/// `min ‖y - A x‖² + damping² ‖x‖²` for any linear `A`.
///
/// `A` may be of any shape and rank. With `damping = 0` and a rank-deficient `A`, the part of the start vector that `A`
/// maps to zero stays in the solution.
///
/// Breakdowns: a gradient that is exactly zero ends with [`Stopped::Gradient`]; NaN or infinity, in the arguments or from
/// overflow, with [`Stopped::NotFinite`]; a solution below the normal numbers of the dtype with [`Stopped::Underflow`].
///
/// Scalars stay on the device, in Float64 where it has that. The host checks every
/// [`check_every`](Self::check_every) iterations, and only then can a tolerance end the run, so it may do
/// up to `check_every - 1` iterations more than needed.
///
/// **An iteration too many changes nothing**: once the gradient is at rounding level all steps are zero, and the next
/// check ends with [`Stopped::Precision`]. With `ε` the epsilon of the dtype, that level is
/// `‖gradient‖ ≤ 4 ε ‖A‖ ‖y - A x‖`, or `√(‖y - A x‖² + damping² ‖x‖²) ≤ ε/4 ‖y‖`. Where a start vector explains the data
/// worse than zero does, its residual takes the place of `‖y‖`. A gradient that has been below three times that level
/// and has risen to four times its smallest norm counts as rounding, too. The relative error of the solution is then at
/// most ten times `ε (κ + κ² ‖y - A x‖ / (‖A‖ ‖x‖))`, which is what a backward-stable method guarantees, with `κ` the
/// condition of `A`, or of `A` stacked on `damping I`. (This is measured on thousands of random problems, not proven.)
///
/// Data, models and operators may have any size that the dtype holds: where squares or products would leave its range,
/// data and operator are scaled by powers of two, which is undone in the solution.
///
/// Storage: `3n + 2m` elements (`n` model, `m` data; `n` more where data or operator are scaled) and `6 check_every + 24`
/// scalars. Values moved an iteration: `7n + 5m` (`11n + 5m` with damping; `2n + 2m` more where the operator is scaled) and
/// one application of `A` and of `Aᴴ` (test `bytes::cgls`). Launches beside those: 7 (9 with damping).
///
/// Reference: Björck, Numerical Methods for Least Squares Problems, SIAM 1996, algorithm 7.4.1.
/// Golden: PyLops 2.8.0 `cgls` (which takes `damping` for `damping²` in its first step when `x₀ ≠ 0`).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, LinearOperator, Scheme, Space};
/// use arrayspan_solvers::{Cgls, Stop};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let solution = Cgls { stop: Stop::after(40), ..Cgls::default() }.solve(&a, &y)?;
/// assert!(solution.residuals[solution.iterations] < 1e-6 * solution.residuals[0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cgls {
    /// The weight of `‖x‖` beside the misfit, which `damping² ‖x‖²` is added to. At least 0, and at most half the largest
    /// number of the dtype.
    pub damping: f64,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1; what
    /// is more than [`Stop::iterations`] counts as that.
    pub check_every: usize,
}

impl Default for Cgls {
    /// No damping, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { damping: 0.0, stop: Stop::default(), check_every: 10 }
    }
}

impl Cgls {
    const NAME: &str = "Cgls";

    /// Solves from `x = 0`, for the data that `y` lends.
    ///
    /// # Errors
    /// When `y` does not fit `A` (shape, dtype or device), a parameter is out of its range, or the device fails or is out
    /// of memory.
    pub fn solve(&self, a: &(impl LinearMap + ?Sized), y: impl AsView) -> Result<Solution> {
        self.solve_from(a, y, None, &mut ())
    }

    /// Solves from `start` (`None`: zero); `observer` is called at the start and at every check (`&mut ()` does nothing).
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and when `start` does not fit `A`.
    pub fn solve_from(
        &self,
        a: &(impl LinearMap + ?Sized),
        y: impl AsView,
        start: Option<Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let y = y.as_view();
        let on = arrayspan_kernels::on(y.device())?;
        // Before anything is made that needs an executor of the operator's, of which the caller knows nothing.
        Fit { solver: Self::NAME, device: y.device() }.operator(a)?;
        let mut workspace = self.workspace(a, &*on)?;
        self.solve_in(&mut workspace, &*on, a, y, start, observer)
    }

    /// The vectors that [`solve_in`](Self::solve_in) needs. Solvers with other parameters may use them, too; a
    /// `check_every` larger than the one here counts as the one here.
    ///
    /// # Errors
    /// Out of memory, or a parameter that is out of its range.
    pub fn workspace(
        &self,
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
    ) -> Result<CglsWorkspace> {
        self.workspace_with(a, on, widest_real(on.device()))
    }

    /// As [`workspace`](Self::workspace), with scalars of that dtype.
    fn workspace_with(
        &self,
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
        scalars: DType,
    ) -> Result<CglsWorkspace> {
        self.check()?;
        let check_every = self.check_every.min(self.stop.iterations).max(1);
        CglsWorkspace::new(a, on, check_every, scalars)
    }

    /// Builds what a run from zero launches on the device of `on`, side by side on all cores where the device's compiler
    /// bears it, so that the run need not wait for one kernel after the other; how many were not there yet. Where that
    /// saves time a run does so itself before it begins, unless parts of the operator are opaque: this is for kernels
    /// that should be there before there are data. Waits for the compiler; on devices that run no kernels it does nothing.
    ///
    /// Data or operators that have to be scaled take kernels beside these. Takes the memory of a run for as long as it
    /// runs.
    ///
    /// # Errors
    /// As [`workspace`](Self::workspace); a kernel that cannot be built.
    pub fn warm_up(&self, a: &(impl LinearMap + ?Sized), on: &dyn Executor) -> Result<usize> {
        self.check()?;
        if on.device().kind().dialect().is_none() {
            return Ok(0);
        }
        let mut workspace = self.workspace(a, on)?;
        let (x, y) = (empty(a.domain(), on)?, empty(a.range(), on)?);
        let (built, _) = rehearse::run(&mut workspace, on, a, self.damping, &y.view(), (x, false))?;
        Ok(built)
    }

    /// Solves on `on` with vectors that are already there.
    ///
    /// # Errors
    /// As [`solve_from`](Self::solve_from), and when the workspace does not fit the operator or is on another device.
    pub fn solve_in(
        &self,
        workspace: &mut CglsWorkspace,
        on: &dyn Executor,
        a: &(impl LinearMap + ?Sized),
        y: View<'_>,
        start: Option<Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        self.check()?;
        Self::fit(workspace, on, a, &y, start.as_ref())?;
        self.check_damping(y.dtype())?;
        let check_every = self.check_every.min(workspace.history.room());
        let started = start.is_some();
        let x = start.map_or_else(|| empty(a.domain(), on), Ok)?;
        let x = rehearse::if_worth_while(workspace, on, a, self.damping, &y, (x, started))?;
        let mut run = Run::new(workspace, on, a, self.damping, y, (x, started));
        let mut seen = run.begin()?;
        let data = run.scaled_data();
        let mut ahead = 0;
        loop {
            let (residual, gradient) = seen.last();
            let iteration = seen.iterations();
            let unscaled = run.unscaled()?;
            let solution = unscaled.as_ref().unwrap_or(&run.x).view();
            let progress = Progress { iteration, residual, gradient, solution };
            let watched = observer.observe(&progress);
            let asked = (watched == ControlFlow::Break(())).then_some(Stopped::Observer);
            let done = (run.damped_alone && iteration > 0).then_some(Stopped::Precision);
            if let Some(stopped) = self.stop.judge(&seen, data).or(done).or(asked) {
                let stopped = run.outcome(stopped, unscaled.as_ref())?;
                let (x, residuals) = (unscaled.unwrap_or(run.x), seen.residuals);
                return Ok(Solution { x, iterations: iteration, residuals, stopped });
            }
            run.w.history.restart(on, ahead)?;
            ahead = check_every.min(self.stop.iterations - iteration);
            if run.damped_alone {
                ahead = 1;
            }
            for step in 0..ahead {
                run.iterate(step)?;
            }
            run.w.history.read(ahead, run.scale, &mut seen)?;
        }
    }

    /// Fails unless all arguments fit together. Nothing has been written then.
    fn fit(
        workspace: &CglsWorkspace,
        on: &dyn Executor,
        a: &(impl LinearMap + ?Sized),
        y: &View<'_>,
        start: Option<&Array>,
    ) -> Result<()> {
        let fit = Fit { solver: Self::NAME, device: on.device() };
        // First, so that what is said of the operator is true of the data, too.
        fit.array("data", a.range(), y)?;
        fit.operator(a)?;
        if let Some(start) = start {
            fit.array("start", a.domain(), &start.view())?;
        }
        workspace.check(fit, a, on)
    }

    fn check(&self) -> Result<()> {
        let wrong = |why: String| Err(Error::Parameter { solver: Self::NAME, why });
        if !(self.damping.is_finite() && self.damping >= 0.0) {
            return wrong(format!("damping {} is not a finite number ≥ 0", self.damping));
        }
        if self.check_every == 0 {
            return wrong(
                "check_every is 0: the host must check after at least 1 iteration".into(),
            );
        }
        let tolerances = [("residual", self.stop.residual), ("gradient", self.stop.gradient)];
        let sensible = |tolerance: f64| tolerance.is_finite() && tolerance >= 0.0;
        match tolerances.into_iter().find(|&(_, tolerance)| !sensible(tolerance)) {
            Some((name, tolerance)) => {
                let why = "is not a finite number ≥ 0 (0 turns it off)";
                wrong(format!("the tolerance stop.{name} = {tolerance} {why}"))
            }
            None => Ok(()),
        }
    }

    /// Fails where the damping is beyond what can be scaled in that dtype.
    fn check_damping(&self, dtype: DType) -> Result<()> {
        let largest = if dtype.real() == DType::Float32 { f32::MAX.into() } else { f64::MAX };
        if self.damping <= largest / 2.0 {
            return Ok(());
        }
        let why = format!("damping {:e} is too large to be computed with in {dtype}", self.damping);
        Err(Error::Parameter { solver: Self::NAME, why })
    }
}

/// An array of a space, with unspecified content.
fn empty(space: &Space, on: &dyn Executor) -> Result<Array> {
    Ok(on.empty(space.shape(), space.dtype())?)
}

#[cfg(test)]
mod tests;
