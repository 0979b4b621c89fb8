//! Conjugate gradients on the normal equations, without forming them.

pub(super) mod freeze;
mod recurrence;

use arrayspan_bridge::Array;
use arrayspan_kernels::Update;
use arrayspan_operators::LinearMap;

use crate::engine::Make;
use crate::engine::run::{Method, Run};
use crate::{Result, Stop};
use recurrence::Vectors;

/// `min ‖y - A x‖² + damping² ‖x‖²` for any linear `A`.
///
/// `A` may be of any shape and rank. With `damping = 0` and a rank-deficient `A`, the part of the start vector that `A`
/// maps to zero stays in the solution.
///
/// Breakdowns: a gradient that is exactly zero ends with [`Stopped::Gradient`](crate::Stopped::Gradient); NaN or infinity, in the arguments or from
/// overflow, with [`Stopped::NotFinite`](crate::Stopped::NotFinite); a solution below the normal numbers of the dtype with [`Stopped::Underflow`](crate::Stopped::Underflow).
///
/// Scalars stay on the device, in Float64 where it has that. The host checks every
/// [`check_every`](field@Self::check_every) iterations, and only then can a tolerance end the run, so it may do
/// up to `check_every - 1` iterations more than needed.
///
/// **An iteration too many changes nothing**: once the gradient is at rounding level all steps are zero, and the next
/// check ends with [`Stopped::Precision`](crate::Stopped::Precision). With `ε` the epsilon of the dtype, that level is
/// `‖gradient‖ ≤ 4 ε ‖A‖ ‖y - A x‖`, or `√(‖y - A x‖² + damping² ‖x‖²) ≤ ε/4 ‖y‖`. Where a start vector explains the data
/// worse than zero does, its residual takes the place of `‖y‖`. A gradient that has been below three times that level
/// and has risen to four times its smallest norm counts as rounding, too. The relative error of the solution is then at
/// most ten times `ε (κ + κ² ‖y - A x‖ / (‖A‖ ‖x‖))`, which is what a backward-stable method guarantees, with `κ` the
/// condition of `A`, or of `A` stacked on `damping I`. (This is measured on thousands of random problems, not proven.)
///
/// Data, models and operators may have any size that the dtype holds: where squares or products would leave its range,
/// data and operator are scaled by powers of two, which is undone in the solution.
///
/// Storage: `3n + 2m` elements (`n` model, `m` data; `n` more where data or operator are scaled) and `6 (check_every + 11) + 10`
/// scalars ([`memory`](crate::Solver::memory)). Values moved an iteration: `6n + 4m` (`11n + 4m` with damping; `2n + 2m` more where the operator is scaled) and
/// one application of `A` and of `Aᴴ` (test `bytes::cgls`). Launches beside those: 5 (8 with damping).
///
/// Reference: Björck, Numerical Methods for Least Squares Problems, SIAM 1996, algorithm 7.4.1.
/// Golden: PyLops 2.8.0 `cgls` (which takes `damping` for `damping²` in its first step when `x₀ ≠ 0`).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, LinearOperator, Scheme, Space};
/// use arrayspan_solvers::{Cgls, Solver, Stop};
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
    /// number of the dtype; below `ε² ‖A‖` it is taken for none,
    /// because nothing of it is left beside rounding errors.
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

impl Method for Cgls {
    type Vectors = Vectors;
    const NAME: &'static str = "Cgls";
    /// The norms are sums of their own.
    const ROWS: [usize; 2] = [recurrence::ROWS, 2];
    const OBJECTIVE: usize = recurrence::OBJECTIVE;
    const DESCENDS: bool = true;

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn check_every(&self) -> usize {
        self.check_every
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn lifted(&self, _: usize) -> Result<Self> {
        Ok(*self)
    }

    fn check(&self, _: &dyn LinearMap) -> Result<()> {
        Ok(())
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        Ok(Vectors {
            residual: make.data("the workspace's residual")?,
            image: make.data("the workspace's image")?,
            gradient: make.model("the workspace's gradient")?,
            direction: make.model("the workspace's direction")?,
            curvature: [make.scalar()?, make.scalar()?],
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.residual
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        vec![&mut vectors.residual, &mut vectors.direction]
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn arrays(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { residual, image, gradient, direction, curvature: [image_norm, norm] } =
            vectors;
        vec![residual, image, gradient, direction, image_norm, norm]
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        run.descend_from_start()
    }

    /// Makes the first gradient the first direction.
    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(run.scalars());
        let Vectors { gradient, direction, .. } = &mut run.w.vectors;
        Ok(run.on.copy(gradient.view(), direction.view_mut(), Update::set())?)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        run.iterate(step)
    }
}

#[cfg(test)]
mod tests;
