//! Conjugate gradients on the normal equations, without forming them.

use std::ops::ControlFlow;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::Executor;
use arrayspan_operators::LinearMap;

use super::recurrence::{CglsWorkspace, Run};
use crate::fit::Fit;
use crate::{Error, Observer, Progress, Result, Solution, Stop, Stopped};

/// `min ‖y - A x‖² + damping² ‖x‖²` for any linear `A`.
///
/// `A` may be of any shape and rank; with `damping = 0` and a rank-deficient `A` the part of the start
/// vector that `A` does not see is kept. Breakdowns: an exactly zero gradient ends with
/// [`Stopped::Gradient`]; NaN or infinity, in `y` or from overflow, with [`Stopped::NotFinite`].
///
/// Scalars stay on the device, in Float64 where it has that. The host looks every [`look`](Self::look) iterations,
/// so a tolerance may be overshot by fewer than that. **An iteration too many changes nothing**: once the gradient is
/// at rounding level steps are zero, and the next look ends with [`Stopped::Precision`]. With `ε` the epsilon of the
/// dtype that level is `‖gradient‖ ≤ 4 ε ‖A‖ √(‖y - A x‖² + damping² ‖x‖²)` (up to `32 ε` where it has begun to rise
/// again, as with dense matrices of thousands of rows), or a residual of `ε/4 ‖y‖`. The solution then is as
/// near the exact one as a backward-stable method brings it, within a factor of ten: relatively
/// `ε (κ + κ² ‖y - A x‖ / (‖A‖ ‖x‖))`, with `κ` the condition of `A`, or of `A` above `damping`.
///
/// Data and models of any size are solved alike: those whose squares would leave the dtype's range are scaled by a
/// power of two, and so is an operator with such a norm.
///
/// Storage: `3n + 2m` elements (`n` model, `m` data; `n` more for scaled data) and `6 look + 24` scalars. Values moved
/// an iteration: `7n + 5m` (`11n + 5m` with damping) and one application of `A` and of `Aᴴ` (test `bytes::cgls`).
/// Launches beside those: 7 (9 with damping).
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
    /// How much the size of `x` counts: `damping² ‖x‖²` is added to the misfit. At least 0, and at most half the largest
    /// number of the dtype.
    pub damping: f64,
    /// When to stop.
    pub stop: Stop,
    /// Iterations between two looks of the host, at least 1; more than [`Stop::iterations`] are as many.
    pub look: usize,
}

impl Default for Cgls {
    /// No damping, the default [`Stop`], a look every 10 iterations.
    fn default() -> Self {
        Self { damping: 0.0, stop: Stop::default(), look: 10 }
    }
}

impl Cgls {
    pub(super) const NAME: &str = "Cgls";

    /// Solves from `x = 0`.
    ///
    /// # Errors
    /// When `y` does not fit `A`, a parameter makes no sense, or the device fails or is out of memory.
    pub fn solve(&self, a: &(impl LinearMap + ?Sized), y: &Array) -> Result<Solution> {
        self.solve_from(a, y, None, &mut ())
    }

    /// Solves from `start` (`None`: zero), watched by `observer`.
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and when `start` does not fit `A`.
    pub fn solve_from(
        &self,
        a: &(impl LinearMap + ?Sized),
        y: &Array,
        start: Option<Array>,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let on = arrayspan_kernels::on(y.device())?;
        let mut workspace = self.workspace(a, &*on)?;
        self.solve_in(&mut workspace, &*on, a, y.view(), start, observer)
    }

    /// The vectors that [`solve_in`](Self::solve_in) needs. Solvers with other parameters may use them, too; where
    /// `look` is larger than it was here, the host looks as often as it would have here.
    ///
    /// # Errors
    /// Out of memory, or a parameter that makes no sense.
    pub fn workspace(
        &self,
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
    ) -> Result<CglsWorkspace> {
        self.workspace_with(a, on, widest(on.device()))
    }

    /// As [`workspace`](Self::workspace), with scalars of that dtype.
    fn workspace_with(
        &self,
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
        scalars: DType,
    ) -> Result<CglsWorkspace> {
        self.check()?;
        let look = self.look.min(self.stop.iterations).max(1);
        CglsWorkspace::new(a, on, look, scalars)
    }

    /// Solves on `on` with vectors that are already there.
    ///
    /// # Errors
    /// As [`solve_from`](Self::solve_from); a workspace of another operator or device.
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
        let look = self.look.min(workspace.history.room());
        let (mut run, mut seen) = Run::begin(workspace, on, a, self.damping, y, start)?;
        let data = run.data();
        let mut ahead = 0;
        loop {
            let (residual, gradient) = seen.last();
            let iteration = seen.iterations();
            let unscaled = run.unscaled()?;
            let solution = unscaled.as_ref().unwrap_or(&run.x).view();
            let progress = Progress { iteration, residual, gradient, solution };
            let watched = observer.observe(&progress);
            let asked = (watched == ControlFlow::Break(())).then_some(Stopped::Observer);
            if let Some(mut stopped) = self.stop.judge(&seen, data).or(asked) {
                if let Some(x) = &unscaled
                    && !run.is_finite(x)?
                {
                    stopped = Stopped::NotFinite;
                }
                let (x, residuals) = (unscaled.unwrap_or(run.x), seen.residuals);
                return Ok(Solution { x, iterations: iteration, residuals, stopped });
            }
            run.w.history.restart(on, ahead)?;
            ahead = look.min(self.stop.iterations - iteration);
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
        if let Some(device) = a.device() {
            fit.device("the operator", device)?;
        }
        fit.array("data", a.range(), y)?;
        if let Some(start) = start {
            fit.array("start", a.domain(), &start.view())?;
        }
        workspace.check(fit, a)
    }

    fn check(&self) -> Result<()> {
        let wrong = |why: String| Err(Error::Parameter { solver: Self::NAME, why });
        if !(self.damping.is_finite() && self.damping >= 0.0) {
            return wrong(format!("damping {} is not a finite number ≥ 0", self.damping));
        }
        if self.look == 0 {
            return wrong("look is 0: the host must look after at least 1 iteration".into());
        }
        let tolerances = [("residual", self.stop.residual), ("gradient", self.stop.gradient)];
        match tolerances.iter().find(|(_, tolerance)| tolerance.is_nan()) {
            Some((name, _)) => wrong(format!("the tolerance stop.{name} is NaN")),
            None => Ok(()),
        }
    }
}

/// The dtype of scalars: the widest that the device computes with.
fn widest(device: Device) -> DType {
    if device.is_cpu() || device.info().float64 { DType::Float64 } else { DType::Float32 }
}

#[cfg(test)]
mod tests {
    use arrayspan_operators::MatrixMult;

    use super::*;

    /// As on a device without 64-bit floating point.
    #[test]
    fn scalars_of_thirty_two_bits_serve_data_and_operators_of_every_size() -> Result<()> {
        let on = arrayspan_kernels::on(Device::cpu())?;
        let entry = |i: usize| ((i * 37 + 11) % 23) as f32 / 23.0 - 0.4;
        let solve = |operator: f32, data: f32, scalars: DType| -> Result<Vec<f32>> {
            let mut matrix: Vec<f32> = (0..30 * 10).map(|i| entry(i) * operator).collect();
            (0..10).for_each(|i| matrix[i * 11] += 3.0 * operator);
            let a = MatrixMult::new(Array::from_vec(matrix, [30, 10])?.into_shared(), &[])?;
            let y = Array::from_vec((0..30).map(|i| entry(i * 7) * data).collect(), [30])?;
            let solver = Cgls { stop: Stop::after(300), look: 300, damping: 0.0 };
            let mut workspace = solver.workspace_with(&a, &*on, scalars)?;
            let solution = solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ())?;
            assert_eq!(solution.stopped, Stopped::Precision, "{operator:e} {data:e}");
            Ok(solution.x.view().to_vec::<f32>()?.iter().map(|x| x / (data / operator)).collect())
        };
        let reference = solve(1.0, 1.0, DType::Float64)?;
        for (operator, data) in [
            (1.0, 1.0),
            (1.0, 1e-23),
            (1.0, 1e18),
            (1.0, 1e-30),
            (1e-15, 1e15),
            (1e15, 1.0),
            (1e-15, 1.0),
        ] {
            for (found, expected) in solve(operator, data, DType::Float32)?.iter().zip(&reference) {
                let off = (found - expected).abs();
                assert!(off < 1e-5, "{operator:e} {data:e}: {found} is not {expected}");
            }
        }
        Ok(())
    }
}
