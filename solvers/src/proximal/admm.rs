//! The alternating direction method of multipliers.

mod run;

use super::minimizer::default_stop;
use super::minimizing::check;
use crate::parameters::{positive, wrong};
use crate::{Result, Stop};

/// `min f(x) + g(z)` where `A x = z`, by turns: `x ← argmin f(x) + ρ/2 ‖A x - z + u‖²`, `z ← prox_{g/ρ}(A x + u)`, `u ← u + A x - z`.
///
/// How `x` is found depends on what is known:
/// * Without `A`: by the proximal operator of `f`.
/// * With an `f` that is a [`SquaredL2`](super::SquaredL2), whatever operator that has: by [`inner`](field@Self::inner) steps of conjugate gradients on the normal
///   equations, from the last `x` on, enqueued without waiting.
/// * With any other `f`: linearised, `x ← prox_{τf}(x - τρ Aᴴ(A x - z + u))` with `τρ ‖A‖² = 1`. The norm is
///   [`norm`](field@Self::norm), or the upper bound of a [`NormEstimator`](crate::NormEstimator). No relaxation then.
///
/// A sum of functions of one `x` is [`Blocks`](super::Blocks) for `f` and [`Equal`](super::Equal) for `g`: consensus, where each function has
/// a copy.
///
/// *Residuals*: the primal one is `‖A x - z‖`, against the larger one of `‖A x‖` and `‖z‖`. The dual one is `‖z - last z‖` (and, linearised,
/// `‖A‖ ‖x - last x‖`), against the largest `‖u‖` so far.
///
/// Storage: `n + 4m` elements, solution included (`2n` more where it is linearised, `2n + 2m` and what a misfit has where it is solved),
/// beside what the functions take. Values moved an iteration, beside what they and `A` move and what finding `x` takes: `14m`. Launches: 11.
///
/// Reference: Boyd et al., Found. Trends Mach. Learn. 3 (2011) 1, sections 3.4 and 7.1; Wohlberg, arXiv:1704.06209, for
/// relative balancing. Golden: pyproximal 0.13 `ADMM`, `LinearizedADMM`. (Its `ADMML2` is the second kind.)
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::Stopped;
/// use arrayspan_solvers::proximal::{Admm, Bounds, Minimizer, Split, SquaredL2};
///
/// // The nearest array between 0 and 1.
/// let b = Array::from_slice(&[-1.0, 0.5, 7.0], [3])?;
/// let start = Array::zeros_like(&b)?;
/// let (near, between) = (SquaredL2::new(1.0)?.target(b), Bounds::new(0.0, 1.0)?);
/// let solution = Admm::default().solve(Split { f: &near, g: &between, a: None }, start)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// for (found, expected) in solution.x.to_vec::<f64>()?.iter().zip([0.0, 0.5, 1.0]) {
///     assert!((found - expected).abs() < 1e-5);
/// }
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admm {
    /// The weight of `A x = z` at first. Above 0.
    pub rho: f64,
    /// Whether `ρ` is doubled or halved where, at a look, one residual is more than 10 times the other, both divided by their
    /// sizes; at most 40 times.
    pub balances: bool,
    /// Over-relaxation: `relaxation A x + (1 - relaxation) z` in place of `A x`. Above 0 and below 2.
    pub relaxation: f64,
    /// Conjugate gradient steps in each iteration, where `x` is found by them. At least 1.
    pub inner: usize,
    /// `‖A‖` or more, where `x` is found linearised; `None`: a bound is estimated.
    pub norm: Option<f64>,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host looks at their residuals and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for Admm {
    /// `ρ` is 1 and balanced, relaxation 1.5, 5 inner steps, at most 1000 iterations to 1e-6 of both residuals, a look every 10
    /// iterations.
    fn default() -> Self {
        let (rho, balances, relaxation, inner, norm) = (1.0, true, 1.5, 5, None);
        Self { rho, balances, relaxation, inner, norm, stop: default_stop(), check_every: 10 }
    }
}

impl Admm {
    const NAME: &'static str = "Admm";

    fn check(&self) -> Result<()> {
        check(Self::NAME, &self.stop, self.check_every)?;
        positive(Self::NAME, "rho", self.rho)?;
        self.norm.map(|norm| positive(Self::NAME, "norm", norm)).transpose()?;
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            let relaxation = self.relaxation;
            return wrong(Self::NAME, format!("relaxation {relaxation} is not in 0 < … < 2"));
        }
        if self.inner == 0 {
            return wrong(Self::NAME, "inner is 0: at least 1 step is needed");
        }
        Ok(())
    }
}
