//! Logarithms of determinants.

use arrayspan_kernels::Executor;
use arrayspan_operators::LinearMap;

use super::applied::{Applied, home};
use super::lanczos::Lanczos;
use super::random::Random;
use super::search::Search;
use super::which::Which;
use crate::engine::scale::epsilon;
use crate::parameters::{square, wrong};
use crate::{Result, Stopped, bytes};

/// What errors call it.
const NAME: &str = "LogDet";

/// `ln det A` of a self-adjoint and positive operator, with the default [`LogDet`]: exact up to 128 elements, else an estimate with its
/// error.
///
/// # Errors
/// As [`LogDet::of`].
pub fn log_det(a: &dyn LinearMap) -> Result<LogDetEstimate> {
    LogDet::default().of(a)
}

/// `ln det A = tr ln A` of a self-adjoint and positive `A`, by stochastic quadrature: the mean of `n <v, ln(A) v>` over random `v` of length 1,
/// each by the process of Lanczos from `v`, whose eigenvalues and weights are those of Gauss' rule.
///
/// `A` is applied `probes · steps` times; two random vectors try whether it is self-adjoint, unless it knows. Where a model has no more than `exact`
/// elements, all eigenvalues are computed instead. An eigenvalue that is zero or less (where it is exact, up to rounding) ends with [`Stopped::Indefinite`] (positive ones alone
/// have a logarithm; of a singular operator the determinant is zero), NaN and infinity with [`Stopped::NotFinite`]; both with the value NaN.
///
/// The **error** is that of the mean, its standard deviation by the spread of the samples, and what the last steps have changed of the rules, added up:
/// an estimate, not a bound. Twice as many probes make the first part smaller by `√2`.
///
/// Storage: `(2 steps + 1) n` elements (`n` for `steps` where it is exact; [`memory`](Self::memory)). The host looks once for each probe.
///
/// Reference: Ubaru, Chen and Saad, SIAM J. Matrix Anal. Appl. 38 (2017) 1075.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::log_det;
///
/// let weights = Array::from_slice(&[1.0, 2.0, 0.25], [3])?.into_shared();
/// let a = Diagonal::new(Space::new([3], DType::Float64)?, weights)?;
/// assert!((log_det(&a)?.value - 0.5_f64.ln()).abs() < 1e-14);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogDet {
    /// How many random vectors. At least 2.
    pub probes: usize,
    /// How many steps of Lanczos' process with each. At least 2; no more than a model has elements are done.
    pub steps: usize,
    /// Up to so many elements of a model all eigenvalues are computed.
    pub exact: usize,
    /// What random vectors are drawn from.
    pub seed: u64,
}

impl Default for LogDet {
    /// 20 probes of 30 steps; exact up to 128 elements.
    fn default() -> Self {
        Self { probes: 20, steps: 30, exact: 128, seed: 1 }
    }
}

/// What is known of the logarithm of a determinant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogDetEstimate {
    /// `ln det A`
    pub value: f64,
    /// How far it is off, about; zero if it is exact up to rounding.
    pub error: f64,
    /// How often the operator was applied.
    pub applications: usize,
    /// [`Stopped::Precision`] if it is exact, [`Stopped::Iterations`] of estimates.
    pub stopped: Stopped,
}

impl LogDet {
    /// The estimate, computed where the operator's arrays are, or on the CPU if it has none. Waits for the device.
    ///
    /// # Errors
    /// When a parameter is out of its range; models and data differ in space or device; the operator is not self-adjoint, or, being complex, linear over
    /// the real numbers only; the device fails or is out of memory.
    pub fn of(&self, a: &dyn LinearMap) -> Result<LogDetEstimate> {
        self.of_on(a, &*arrayspan_kernels::on(home(a))?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); when `on` computes elsewhere than the operator.
    pub fn of_on(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<LogDetEstimate> {
        self.check()?;
        let mut a = Applied::new(NAME, a, on)?;
        square(NAME, a.a)?;
        a.expect_matrix(NAME)?;
        let n = a.a.domain().len();
        if n == 0 {
            // The determinant of a matrix without rows is 1.
            return Ok(LogDetEstimate {
                value: 0.0,
                error: 0.0,
                applications: 0,
                stopped: Stopped::Precision,
            });
        }
        let mut random = Random::new(self.seed);
        a.expect_self_adjoint(NAME, &mut random)?;
        let (exact, steps) = self.sizes(n);
        let rounding = epsilon(a.a.domain().dtype());
        let search = Search {
            count: 1,
            which: Which::Largest,
            basis: steps,
            tolerance: 0.0,
            restarts: 0,
            lost: 32.0 * rounding,
        };
        let mut lanczos = Lanczos::new(&a, search)?;
        let (mut samples, mut changes) = (Vec::new(), 0.0);
        for probe in 0..if exact { 1 } else { self.probes } {
            lanczos.forget();
            lanczos.basis.draw(&mut a, &mut random, 0)?;
            if probe == 0 && !lanczos.measure(&mut a)? {
                return Ok(nothing(Stopped::NotFinite, 1));
            }
            let Some(rule) = lanczos.rule(&mut a, &mut random)? else {
                return Ok(nothing(Stopped::NotFinite, lanczos.applications));
            };
            let sums = if exact { [rule.sum_of_logs(rounding); 2] } else { rule.log_rules(n) };
            let [Some(value), Some(before)] = sums else {
                return Ok(nothing(Stopped::Indefinite, lanczos.applications));
            };
            samples.push(value);
            changes += (value - before).abs();
        }
        let count = samples.len() as f64;
        let value = samples.iter().sum::<f64>() / count;
        let applications = lanczos.applications;
        if exact {
            return Ok(LogDetEstimate {
                value,
                error: 0.0,
                applications,
                stopped: Stopped::Precision,
            });
        }
        let spread = samples.iter().map(|sample| (sample - value).powi(2)).sum::<f64>();
        let error = (spread / (count - 1.0) / count).sqrt() + changes / count;
        Ok(LogDetEstimate { value, error, applications, stopped: Stopped::Iterations })
    }

    /// The bytes that it takes on the device of `on`. Nothing is allocated for it.
    ///
    /// # Errors
    /// A parameter that is out of its range.
    pub fn memory(&self, a: &dyn LinearMap, on: &dyn Executor) -> Result<usize> {
        self.check()?;
        let (domain, m) = (a.domain(), self.sizes(a.domain().len()).1);
        let elements = super::basis::Basis::elements(domain.len(), [m + 1, m]);
        let scalars = arrayspan_kernels::widest_real(on.device()).bytes();
        let scalars = m.saturating_mul(3).saturating_add(4).saturating_mul(scalars);
        let vectors = elements.saturating_mul(domain.dtype().bytes());
        Ok(bytes::total([vectors, Random::bytes(on, domain), scalars, a.workspace()]))
    }

    fn check(&self) -> Result<()> {
        let (probes, steps) = (self.probes, self.steps);
        if probes >= 2 && steps >= 2 {
            return Ok(());
        }
        wrong(NAME, format!("probes = {probes} and steps = {steps} have to be at least 2"))
    }

    /// Whether all eigenvalues are computed, and of how many vectors.
    fn sizes(&self, n: usize) -> (bool, usize) {
        if n <= self.exact { (true, n) } else { (false, self.steps.min(n)) }
    }
}

/// Of what has no logarithm.
fn nothing(stopped: Stopped, applications: usize) -> LogDetEstimate {
    LogDetEstimate { value: f64::NAN, error: f64::NAN, applications, stopped }
}
