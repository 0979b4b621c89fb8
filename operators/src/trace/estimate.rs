//! Traces from a few applications to random vectors.

use arrayspan_kernels::Executor;
use num_complex::Complex64;

use super::block::{applied, deflated, dot, multiply, orthonormalise, product, to_one};
use super::sample::{Sampler, Samples};
use crate::{Error, LinearMap, Operator, Result};

/// The bytes of vectors that `Hutchinson` draws at once.
const MOST_BYTES: usize = 1 << 24;

/// The most vectors. The error of their mean is a thousandth of that of one.
const MOST_EVALUATIONS: usize = 1 << 20;

/// What a multiple of the elements is too little by for vectors of signs of few elements: with as many, one in 10¹¹ blocks of them
/// does not span all models.
const FEW: usize = 240;

/// How a trace is estimated. The mean over all seeds is the trace, of any square matrix; what differs is the variance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TraceMethod {
    /// The mean of `zᴴ A z` over random `z` (Hutchinson, Communications in Statistics 19, 1990). The error falls as 1 over the
    /// root of the number of vectors.
    Hutchinson,
    /// That of what is left when the range of `A S` is taken out, whose trace is exact (Meyer, Musco, Musco and Woodruff, SOSA
    /// 2021, algorithm 1). Exact for a rank up to a third of the evaluations; the error of positive matrices falls as 1 over their
    /// number.
    #[default]
    HutchPlusPlus,
    /// The same with all vectors chosen beforehand, which applies `Aᴴ`, too (algorithm 2, with parts of 1/6, 1/3 and 1/2). Exact
    /// for a rank up to a sixth of the evaluations.
    NaHutchPlusPlus,
}

/// Estimates the trace of an operator from a few applications to random vectors, each made for many vectors at once.
///
/// The same seed gives the same vectors on every device and in every dtype; results differ by rounding. `evaluations` is the number
/// of vectors that the operator is applied to, up to 2²⁰. `Hutchinson` takes memory for some of them, 16 MiB if one is no larger; the
/// other methods for all, but for no more than twelve times as many as a model has elements and 240, with which they are exact.
/// Vectors are drawn on the host. Waits for the device.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::DType;
/// use arrayspan_operators::prelude::*;
/// use arrayspan_operators::{TraceEstimator, TraceMethod};
/// let slope = FirstDerivative::new(Space::new([500], DType::Float64)?, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let normal = adjoint(&slope).after(&slope).build()?;
/// let estimator = TraceEstimator { method: TraceMethod::Hutchinson, evaluations: 100, ..TraceEstimator::default() };
/// let (estimate, exact) = (estimator.of(&normal)?.re, normal.trace()?.re);
/// assert_eq!(exact, 998.0);
/// assert!((estimate - exact).abs() < 0.05 * exact);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `LinearOperator.trace`, whose `na-hutch++` takes `A` for symmetric and real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceEstimator {
    /// How.
    pub method: TraceMethod,
    /// What the elements of random vectors are.
    pub sampler: Sampler,
    /// How many vectors the operator, or its adjoint, is applied to. (PyLops takes a tenth of the elements.)
    pub evaluations: usize,
    /// What the vectors are drawn from.
    pub seed: u64,
}

impl Default for TraceEstimator {
    fn default() -> Self {
        Self {
            method: TraceMethod::default(),
            sampler: Sampler::default(),
            evaluations: 60,
            seed: 1,
        }
    }
}

impl TraceEstimator {
    /// The estimate, computed where the operator's arrays are, or on the CPU if it has none.
    ///
    /// # Errors
    /// As [`Operator::trace`]; [`Error::Parameter`] for more than 2²⁰ evaluations or too few, of which `HutchPlusPlus` takes at least
    /// 3 and `NaHutchPlusPlus` 6; out of memory.
    pub fn of(&self, operator: &Operator) -> Result<Complex64> {
        self.of_on(operator, &*operator.executor()?)
    }

    /// As [`of`](Self::of), where `on` computes.
    ///
    /// # Errors
    /// As [`of`](Self::of); [`Error::WrongExecutor`] when `on` computes on none of its devices.
    pub fn of_on(&self, operator: &Operator, on: &dyn Executor) -> Result<Complex64> {
        operator.expect_square()?;
        let (least, evaluations) = (self.least(), self.evaluations);
        if evaluations < least {
            let why =
                format!("{:?} takes at least {least} evaluations, not {evaluations}", self.method);
            return Error::parameter("trace", why);
        }
        if evaluations > MOST_EVALUATIONS {
            let why = format!("{evaluations} evaluations; at most {MOST_EVALUATIONS} are made");
            return Error::parameter("trace", why);
        }
        if operator.domain().len() == 0 {
            return Ok(Complex64::ZERO);
        }
        let drawn =
            Drawn { operator, on, samples: Samples { sampler: self.sampler, seed: self.seed } };
        // More add nothing: a third of them, or a sixth, spans all models several times. Those of few elements are often the
        // same again, or their negatives.
        let most = operator.domain().len().saturating_mul(12).saturating_add(FEW);
        match self.method {
            TraceMethod::Hutchinson => drawn.mean(evaluations),
            TraceMethod::HutchPlusPlus => drawn.deflated(evaluations.min(most)),
            TraceMethod::NaHutchPlusPlus => drawn.beforehand(evaluations.min(most)),
        }
    }

    fn least(&self) -> usize {
        match self.method {
            TraceMethod::Hutchinson => 1,
            TraceMethod::HutchPlusPlus => 3,
            TraceMethod::NaHutchPlusPlus => 6,
        }
    }
}

/// An operator, and what it is applied to.
struct Drawn<'a> {
    operator: &'a Operator,
    on: &'a dyn Executor,
    samples: Samples,
}

impl Drawn<'_> {
    fn block(&self, first: usize, count: usize) -> Result<arrayspan_bridge::Array> {
        self.samples.block(self.on, self.operator.domain(), first, count)
    }

    fn apply(&self, x: &arrayspan_bridge::Array) -> Result<arrayspan_bridge::Array> {
        applied(self.operator, false, self.on, x)
    }

    /// `Σ zᴴ A z / n`
    fn mean(&self, evaluations: usize) -> Result<Complex64> {
        let space = self.operator.domain();
        let each = space.len().saturating_mul(space.dtype().bytes()).max(1);
        let most = (MOST_BYTES / each).max(1);
        let mut sum = Complex64::ZERO;
        for first in (0..evaluations).step_by(most) {
            let z = self.block(first, most.min(evaluations - first))?;
            sum += dot(self.on, &z, &self.apply(&z)?)?;
        }
        Ok(sum / evaluations as f64)
    }

    /// `tr(Qᴴ A Q) + tr(Gᴴ A G) / b` with `Q` of the range of `A S`, and `G` orthogonal to it.
    fn deflated(&self, evaluations: usize) -> Result<Complex64> {
        let third = evaluations / 3;
        let mut q = self.apply(&self.block(0, third)?)?;
        orthonormalise(self.on, &mut q)?;
        // What is left over when divided by three goes to the mean.
        let count = evaluations - 2 * third;
        let mut g = self.block(third, count)?;
        deflated(self.on, &q, &mut g)?;
        let exact = dot(self.on, &q, &self.apply(&q)?)?;
        Ok(exact + dot(self.on, &g, &self.apply(&g)?)? / count as f64)
    }

    /// `A` is near `Z (Sᴴ Z)⁺ Wᴴ` with `Z = A R` and `W = Aᴴ S`: the trace of that, and the mean for what it differs by.
    fn beforehand(&self, evaluations: usize) -> Result<Complex64> {
        // Rounded to the nearest.
        let narrow = evaluations / 6 + usize::from(evaluations % 6 >= 3);
        let wide = evaluations / 3 + usize::from(evaluations % 3 == 2);
        let count = evaluations - narrow - wide;
        let (s, r) = (self.block(0, narrow)?, self.block(narrow, wide)?);
        let g = self.block(narrow + wide, count)?;
        let mut z = self.apply(&r)?;
        let mut w = applied(self.operator, true, self.on, &s)?;
        // Their product is one of two results, which may leave the dtype; a factor of both is one of the trace.
        let unit = to_one(self.on, &z)?;
        [&mut z, &mut w].into_iter().try_for_each(|block| multiply(self.on, block, unit))?;
        let cut = if z.dtype().real() == arrayspan_bridge::DType::Float32 { 1e-5 } else { 1e-12 };
        let middle = product(self.on, &s, &z)?.pseudo_inverse(cut);
        let exact = middle.times(&product(self.on, &w, &z)?).trace() / unit;
        let (left, right) = (product(self.on, &g, &z)?, product(self.on, &w, &g)?);
        let known = left.times(&middle).times(&right).trace() / unit;
        Ok(exact + (dot(self.on, &g, &self.apply(&g)?)? - known) / count as f64)
    }
}
