//! Bounds of the norm of an operator.

use std::f64::consts::PI;

use arrayspan_bridge::Relayout;
use arrayspan_kernels::{Executor, Factor, Update, VectorMut};
use arrayspan_operators::LinearMap;

use super::applied::{Applied, home};
use super::polynomial::Tridiagonal;
use super::random::Random;
use crate::engine::read::reals;
use crate::engine::scale::epsilon;
use crate::parameters::{self, not_negative, wrong};
use crate::{Result, Stopped, bytes};

/// What errors call it.
const NAME: &str = "NormEstimator";

/// Bounds of `‖A‖`, the largest singular value, with the default [`NormEstimator`]: within a tenth of it most often, and above it
/// but once in a million.
///
/// ```
/// use arrayspan_bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::norm_estimate;
///
/// let slope = FirstDerivative::new(Space::new([500], DType::Float64)?, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let norm = norm_estimate(&slope)?;
/// assert!(norm.lower <= 2.0 && 1.9999 < norm.upper && norm.upper < 1.15 * norm.lower);
/// let step = 1.0 / norm.upper.powi(2); // of which ISTA converges
/// # assert!(step > 0.15);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
///
/// # Errors
/// As [`NormEstimator::of`].
pub fn norm_estimate(a: &dyn LinearMap) -> Result<NormEstimate> {
    NormEstimator::default().of(a)
}

/// Lower and upper bounds of `‖A‖`, by the bidiagonalisation of Golub and Kahan from a random vector.
///
/// The **lower** bound is the largest singular value of the bidiagonal matrix, which that of `A` cannot be below. The **upper** bound is
/// where the polynomial of `AᴴA` that the process has applied to the random vector `v` becomes `1/δ`: were `‖A‖` larger, the singular
/// vector would be in `v` by less than `δ`, which happens with the probability `failure` (Hochstenbach, equation 3.3; of real vectors
/// of length `N`, `δ = failure √(π / 2(N - 1))`; a complex vector counts as a real one of twice the length). It is the only assumption, holds
/// for any spectrum, and is up to rounding: both bounds have room for 16 `ε` of the dtype.
///
/// `A` is of any shape and rank; real-linear operators have their norm, too. Power iteration gives only a lower bound; the steps that PyLops
/// computes from it may be too long.
///
/// Breakdowns: a space that `AᴴA` does not leave ends with [`Stopped::Precision`], both bounds being the norm; zero has the norm
/// zero; NaN and infinity end with [`Stopped::NotFinite`], a lower bound of 0 and an upper one of infinity.
///
/// Storage: `n + m` elements (`n` model, `m` data) and `2 iterations + 5` scalars. Values moved an iteration: `3n + 3m` and one application
/// each of `A` and `Aᴴ`, which add to what is there. Launches beside those: 6.
///
/// Reference: Hochstenbach, J. Sci. Comput. 57 (2013) 464; van Dorsselaer, Hochstenbach and van der Vorst, SIAM J. Matrix Anal. Appl. 22
/// (2000) 837.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormEstimator {
    /// Enough is known when `upper ≤ (1 + tolerance) · lower`. Finite and at least 0.
    pub tolerance: f64,
    /// The probability with which the upper bound may be too low. Above 0 and below 1.
    pub failure: f64,
    /// At most this many iterations. At least 1.
    pub iterations: usize,
    /// What the random vector is drawn from.
    pub seed: u64,
    /// How many iterations are enqueued before the host looks. At least 1.
    pub check_every: usize,
}

impl Default for NormEstimator {
    /// A tenth, one failure in a million, at most 30 iterations, a check every 5.
    fn default() -> Self {
        Self { tolerance: 0.1, failure: 1e-6, iterations: 30, seed: 1, check_every: 5 }
    }
}

/// What is known of a norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormEstimate {
    /// `‖A‖` is at least this.
    pub lower: f64,
    /// `‖A‖` is at most this, but for the probability of failure.
    pub upper: f64,
    /// The applications of `A`, and of its adjoint.
    pub iterations: usize,
    /// [`Stopped::Residual`] if the tolerance was reached.
    pub stopped: Stopped,
}

impl NormEstimator {
    /// The bounds, computed where the operator's arrays are, or on the CPU if it has none. Waits for the device at each check.
    ///
    /// # Errors
    /// When a parameter is out of its range, models and data are on different devices, or the device fails or is out of memory.
    pub fn of(&self, a: &dyn LinearMap) -> Result<NormEstimate> {
        self.of_on(a, &*arrayspan_kernels::on(home(a))?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); when `on` computes elsewhere than the operator.
    pub fn of_on(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<NormEstimate> {
        self.check()?;
        let mut a = Applied::new(NAME, a, on)?;
        let none =
            NormEstimate { lower: 0.0, upper: 0.0, iterations: 0, stopped: Stopped::Precision };
        let (model, data) = (a.a.domain(), a.a.range());
        if model.len() == 0 || data.len() == 0 {
            return Ok(none);
        }
        let parts = if model.dtype().is_complex() { 2 } else { 1 };
        let unlikely = self.unlikely(model.len().saturating_mul(parts));

        let (mut v, mut u) = (a.models(1)?, a.data(1)?);
        Random::new(self.seed).fill(on, v.view_mut())?;
        a.normalise(v.view_mut())?;
        a.forward(v.view(), u.view_mut(), Update::set())?;
        match a.measure(&u.view())? {
            None => {
                return Ok(NormEstimate {
                    upper: f64::INFINITY,
                    stopped: Stopped::NotFinite,
                    ..none
                });
            }
            Some(false) => return Ok(NormEstimate { iterations: 1, ..none }),
            Some(true) => {}
        }
        let mut squares = a.scalars(&[2, self.iterations])?;
        let [mut alpha, mut beta, mut inverse] =
            [a.scalars(&[])?, a.scalars(&[])?, a.scalars(&[])?];
        let mut done = 0_usize;
        loop {
            let until = self.iterations.min(done.saturating_add(self.check_every));
            for at in done..until {
                if at > 0 {
                    let subtract = Update::new(1.0, -Factor::from(&beta));
                    a.forward(v.view(), u.view_mut(), subtract)?;
                }
                let mut square = squares.view_mut().selected(0, 0)?.selected(0, at)?;
                a.norm_squared(&u.view(), square.reborrow())?;
                a.length(square.view(), alpha.view_mut(), inverse.view_mut())?;
                u.update_on(on, |u| u * &inverse)?;
                a.adjoint(u.view(), v.view_mut(), Update::new(1.0, -Factor::from(&alpha)))?;
                let mut square = squares.view_mut().selected(0, 1)?.selected(0, at)?;
                a.norm_squared(&v.view(), square.reborrow())?;
                a.length(square.view(), beta.view_mut(), inverse.view_mut())?;
                v.update_on(on, |v| v * &inverse)?;
            }
            done = until;
            let [alphas, betas] = [0, 1].map(|row| squares.view().selected(0, row));
            let alphas = reals(&alphas?.sliced(0, 0, done)?)?;
            let betas = reals(&betas?.sliced(0, 0, done)?)?;
            let epsilon = epsilon(model.dtype());
            let Some(bounds) = bounds(&alphas, &betas, unlikely, epsilon) else {
                let stopped = Stopped::NotFinite;
                return Ok(NormEstimate {
                    upper: f64::INFINITY,
                    iterations: done,
                    stopped,
                    ..none
                });
            };
            let [lower, upper] = bounds.squares.map(|square| a.unscaled(square.sqrt()));
            let (lower, upper) = (lower * (1.0 - 16.0 * epsilon), upper * (1.0 + 16.0 * epsilon));
            let stopped = if bounds.exact {
                Stopped::Precision
            } else if upper <= (1.0 + self.tolerance) * lower {
                Stopped::Residual
            } else if done >= self.iterations {
                Stopped::Iterations
            } else {
                continue;
            };
            return Ok(NormEstimate { lower, upper, iterations: done, stopped });
        }
    }

    /// The bytes that it takes, on the device of `on`. Nothing is allocated for it.
    #[must_use]
    pub fn memory(&self, a: &dyn LinearMap, on: &dyn Executor) -> usize {
        let numbers = self.iterations.saturating_mul(2).saturating_add(4);
        let scalars = numbers.saturating_mul(arrayspan_kernels::widest_real(on.device()).bytes());
        bytes::total([bytes::of(a.domain()), bytes::of(a.range()), a.workspace(), scalars])
    }

    fn check(&self) -> Result<()> {
        let Self { tolerance, failure, iterations, check_every, .. } = *self;
        not_negative(NAME, "the tolerance", tolerance)?;
        if !(failure > 0.0 && failure < 1.0) {
            return wrong(NAME, format!("failure = {failure} is no probability in 0 < … < 1"));
        }
        parameters::iterations(NAME, iterations, check_every)
    }

    /// `ln 1/δ`: a vector of length 1 in `len` real dimensions has less than `δ` of another one with the probability of failure.
    fn unlikely(&self, len: usize) -> f64 {
        let spread = (PI / (2.0 * len.saturating_sub(1).max(1) as f64)).sqrt();
        -(self.failure * spread).min(1.0).ln()
    }
}

struct Bounds {
    /// Of the lower and the upper bound.
    squares: [f64; 2],
    /// Whether the process has come to its end.
    exact: bool,
}

/// Bounds by the squares of the bidiagonal matrix: `α` on its diagonal, `β` beside it. `None` if they are not finite.
fn bounds(alphas: &[f64], betas: &[f64], unlikely: f64, epsilon: f64) -> Option<Bounds> {
    let mut normal = Tridiagonal::default();
    let (mut largest, mut before, mut exact) = (0.0_f64, 0.0, false);
    for (&alpha, &beta) in alphas.iter().zip(betas) {
        let diagonal = alpha + before;
        if !(diagonal + beta).is_finite() {
            return None;
        }
        largest = largest.max(diagonal);
        // What is left of a vector is rounding errors of its parts.
        exact = alpha.min(beta) <= (8.0 * epsilon).powi(2) * largest;
        normal.diagonal.push(diagonal);
        normal.off.push(if exact { 0.0 } else { (alpha * beta).sqrt() });
        if exact {
            break;
        }
        before = beta;
    }
    let [lower, _] = normal.largest();
    Some(Bounds { squares: [lower, normal.reaches(unlikely)], exact })
}
