//! The primal-dual method of Chambolle and Pock.

mod run;

use super::minimizer::default_stop;
use super::minimizing::check;
use crate::parameters::positive;
use crate::{Result, Stop};

/// `min f(x) + g(A x)` by turns: `x ← prox_{τf}(x - τ Aᴴy)`, `y ← prox_{σg*}(y + σ A x̄)`, where `x̄` is `x` and a step beyond it.
///
/// It asks for proximal operators of `f` and of the conjugate of `g`, one application of `A` and one of `Aᴴ` an iteration, and solves
/// nothing. It converges where `τ σ ‖A‖² ≤ 1`. Without [`norm`](field@Self::norm) the norm is the upper bound of a
/// [`NormEstimator`](crate::NormEstimator).
///
/// *Residuals*: the primal one is how far `-Aᴴy` is from a subgradient of `f` at `x`, against the largest `‖Aᴴy‖` so far; the dual one
/// how far `A x` is from a subgradient of `g*` at `y`, against the largest `‖A x‖`.
///
/// Storage: `5n + 5m` elements, solution included, beside what the functions take. Values moved an iteration: `10n + 11m` beside
/// them and `A`. Launches beside those: 13.
///
/// Reference: Chambolle and Pock, J. Math. Imaging Vis. 40 (2011) 120, algorithms 1 and 2; Goldstein et al., arXiv:1305.0546, for
/// balanced steps. Golden: pyproximal 0.13 `PrimalDual` with `gfirst=False`.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::Stopped;
/// use arrayspan_solvers::proximal::{ChambollePock, L1, Minimizer, Split, SquaredL2};
///
/// // Total variation denoising of a step: each side is drawn by the weight over its length.
/// let noisy = Array::from_slice(&[0.1, -0.1, 0.0, 4.1, 3.9, 4.0], [6])?;
/// let space = Space::new([6], DType::Float64)?;
/// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let start = Array::zeros_like(&noisy)?;
/// let (misfit, variation) = (SquaredL2::new(1.0)?.target(noisy), L1::new(0.6)?);
/// let problem = Split { f: &misfit, g: &variation, a: Some(&slope) };
/// let solution = ChambollePock::default().solve(problem, start)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// for (found, expected) in solution.x.to_vec::<f64>()?.iter().zip([0.2, 0.2, 0.2, 3.8, 3.8, 3.8]) {
///     assert!((found - expected).abs() < 1e-4);
/// }
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChambollePock {
    /// `‖A‖` or more; `None`: a bound is estimated.
    pub norm: Option<f64>,
    /// `τ / σ` is the square of this: large where `x` is large beside `y`. Above 0.
    pub ratio: f64,
    /// What becomes of steps.
    pub steps: Steps,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host looks at their residuals and decides whether to go on. At least 1.
    pub check_every: usize,
}

/// What becomes of the steps of [`ChambollePock`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// They stay.
    Fixed,
    /// When the host looks and one residual is more than 1.5 times the other, both divided by their sizes, the step that belongs to it gets longer and
    /// the other one shorter; each time by less, so that steps converge.
    Balanced,
    /// For an `f` that is strongly convex with this constant, `f(z) ≥ f(x) + <s, z - x> + constant/2 ‖z - x‖²` (`w` of a
    /// [`SquaredL2`](super::SquaredL2) without an operator): `τ` gets shorter and `σ` longer, and `‖x - x*‖²` falls as `1/k²`.
    StronglyConvex(f64),
}

impl Default for ChambollePock {
    /// A bound of the norm estimated, equal and balanced steps, at most 1000 iterations to 1e-6 of both residuals, a look every 10 iterations.
    fn default() -> Self {
        let (norm, ratio, steps, stop) = (None, 1.0, Steps::Balanced, default_stop());
        Self { norm, ratio, steps, stop, check_every: 10 }
    }
}

impl ChambollePock {
    const NAME: &'static str = "ChambollePock";

    fn check(&self) -> Result<()> {
        check(Self::NAME, &self.stop, self.check_every)?;
        positive(Self::NAME, "ratio", self.ratio)?;
        self.norm.map(|norm| positive(Self::NAME, "norm", norm)).transpose()?;
        if let Steps::StronglyConvex(constant) = self.steps {
            positive(Self::NAME, "the constant of strong convexity", constant)?;
        }
        Ok(())
    }
}
