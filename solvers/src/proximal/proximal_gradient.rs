//! Gradient steps and proximal steps by turns.

mod run;

use super::minimizer::default_stop;
use super::minimizing::check;
use crate::parameters::positive;
use crate::{Result, Stop};

/// `min f(x) + g(x)` with a smooth `f`: `x ← prox_{τg}(y - τ ∇f(y))`, where `y` is `x`, or ahead of it.
///
/// With [`accelerated`](field@Self::accelerated) `y` is ahead by a share of the last step that grows to 1 (FISTA), and falls back to 0 where a step goes against
/// the last one, and at rounding level: then objectives fall as `1/k²`, and faster where `f` is strongly convex, without knowing it. Without, as `1/k`.
///
/// With [`backtracking`](field@Self::backtracking) a step that `f` does not allow, `f(x⁺) > f(y) + <∇f(y), x⁺ - y> + ‖x⁺ - y‖²/2τ`, is not taken, and `τ` is halved, all on the
/// device: an iteration is then a try. What is within rounding of `f(y)` is allowed.
///
/// *Residuals*: the primal one is `‖x⁺ - y‖`, against `‖x⁺‖`; the dual one the same over `τ`, how far `-∇f` is from a subgradient of `g`, against the
/// largest `‖∇f‖` so far.
///
/// Storage: `5n` elements, solution included, beside what the functions take. Values moved an iteration, beside what they move: `15n` (`21n` with
/// backtracking). Launches: 13 (15).
///
/// Reference: Beck and Teboulle, SIAM J. Imaging Sci. 2 (2009) 183; O'Donoghue and Candès, Found. Comput. Math. 15 (2015) 715, for
/// restarts. Golden: pyproximal 0.13 `ProximalGradient`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_operators::MatrixMult;
/// use arrayspan_solvers::Stopped;
/// use arrayspan_solvers::proximal::{Composite, L1, Minimizer, ProximalGradient, SquaredL2};
///
/// // min ½ ‖A x - b‖² + ‖x‖₁
/// let matrix = Array::from_slice(&[2.0, 0.0, 0.0, 1.0, 0.0, 0.0], [3, 2])?;
/// let b = Array::from_slice(&[3.0, 0.5, 1.0], [3])?;
/// let misfit = SquaredL2::new(1.0)?.operator(MatrixMult::new(matrix.into_shared(), &[])?).target(b);
/// let few = L1::new(1.0)?;
/// let start = Array::from_slice(&[0.0, 0.0], [2])?;
/// let solution = ProximalGradient::default().solve(Composite { f: &misfit, g: &few }, start)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// let x = solution.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.25).abs() < 1e-5 && x[1] == 0.0);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximalGradient {
    /// `τ` at first. `None`: `1/L` of the bound that `f` knows ([`Smooth::lipschitz`](super::Smooth::lipschitz)), and 1 if it knows none.
    pub step: Option<f64>,
    /// Whether steps that are too long are noticed and made shorter.
    pub backtracking: bool,
    /// Whether gradients are taken ahead of `x`.
    pub accelerated: bool,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host looks at their residuals and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for ProximalGradient {
    /// The step of a bound, backtracking, accelerated, at most 1000 iterations to 1e-6 of both residuals, a look every 10 iterations.
    fn default() -> Self {
        let stop = default_stop();
        Self { step: None, backtracking: true, accelerated: true, stop, check_every: 10 }
    }
}

impl ProximalGradient {
    const NAME: &'static str = "ProximalGradient";

    fn check(&self) -> Result<()> {
        check(Self::NAME, &self.stop, self.check_every)?;
        if let Some(step) = self.step {
            positive(Self::NAME, "step", step)?;
        }
        Ok(())
    }
}
