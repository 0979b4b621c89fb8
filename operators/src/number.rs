//! Numbers that operators are given, checked in the dtype they are computed with.
//!
//! A number fits a dtype if it is zero or, once rounded, a normal number of it. What becomes infinite is refused, and so
//! is what becomes zero or subnormal: devices may take subnormal numbers for zero. Only a tap of a filter may be lost
//! beside a larger one, when it is less than that one's rounding error.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Band, Fit, Gather, Scan, fit};
use num_complex::Complex64;

use crate::{Error, Result};

pub(crate) const ONE: Complex64 = Complex64::new(1.0, 0.0);
pub(crate) const ZERO: Complex64 = Complex64::new(0.0, 0.0);

/// Whether a factor is zero or a normal number of the dtype.
pub(crate) fn fits(factor: Complex64, dtype: DType) -> bool {
    fit(factor, dtype) == Fit::Held
}

/// The product of two factors, if it is a number of the dtype, and zero only where one of them is.
pub(crate) fn product(a: Complex64, b: Complex64, dtype: DType) -> Option<Complex64> {
    let product = a * b;
    let lost = product == ZERO && a != ZERO && b != ZERO;
    (!lost && fits(product, dtype)).then_some(product)
}

/// About the reciprocal of a size, a power of two, by which nothing is rounded, with an exponent of at most that; `None` of zero and of
/// what is not finite.
pub(crate) fn reciprocal_unit(size: f64, most: f64) -> Option<f64> {
    let near = || (-size.log2().round()).clamp(-most, most).exp2();
    (size > 0.0 && size.is_finite()).then(near)
}

/// How far a factor may be from one to change places with weights: results on the way are so much larger or smaller than
/// they were.
const MOST_MOVED: f64 = 1024.0;

/// Whether a factor may come behind weights instead of before them, or the other way round.
pub(crate) fn is_movable(factor: Complex64) -> bool {
    (1.0 / MOST_MOVED..=MOST_MOVED).contains(&factor.norm())
}

/// Fails unless `value`, which `what` names, fits the dtype of `operator`.
pub(crate) fn check(
    operator: &str,
    what: impl FnOnce() -> String,
    value: impl Into<Complex64>,
    dtype: DType,
) -> Result<()> {
    match fit(value, dtype) {
        Fit::Held => Ok(()),
        fits => verdict(operator, what, fits, dtype),
    }
}

/// Fails unless all entries of a band fit the dtype of `operator` and none is zero; `what` names what they come from.
pub(crate) fn entries(operator: &str, what: &str, band: &Band, dtype: DType) -> Result<()> {
    weights(band).try_for_each(|weight| {
        // A weight of zero has been lost by underflow: bands keep no zeros.
        let fits = if weight.norm() == 0.0 { Fit::TooSmall } else { fit(weight, dtype) };
        verdict(operator, || format!("{what}: a weight of {}", text(weight)), fits, dtype)
    })
}

/// As [`entries`], save those that are less than the rounding error of the largest: they may be lost beside it.
pub(crate) fn taps(operator: &str, what: &str, band: &Band, dtype: DType) -> Result<()> {
    let what = |weight| format!("{what}: a tap of {}", text(weight));
    beside_each_other(operator, what, || weights(band), dtype)
}

/// The same for the taps of a filter along several axes.
pub(crate) fn filter(operator: &str, what: &str, taps: &[Complex64], dtype: DType) -> Result<()> {
    let what = |tap| format!("{what}: a tap of {}", text(tap));
    beside_each_other(operator, what, || taps.iter().copied(), dtype)
}

/// The same for the weights of a sparse matrix.
pub(crate) fn entries_of(operator: &str, gather: &Gather, dtype: DType) -> Result<()> {
    if gather.is_unweighted() {
        return Ok(());
    }
    let what = |weight| format!("a weight of {}", text(weight));
    beside_each_other(operator, what, || gather.weights(), dtype)
}

/// The same for the weights of running sums.
pub(crate) fn sums_of(operator: &str, scan: &Scan, dtype: DType) -> Result<()> {
    let what = |weight| format!("a weight of {}", text(weight));
    let all = || scan.weights().map(Complex64::from).into_iter();
    beside_each_other(operator, what, all, dtype)
}

fn beside_each_other<I: Iterator<Item = Complex64>>(
    operator: &str,
    what: impl Fn(Complex64) -> String,
    all: impl Fn() -> I,
    dtype: DType,
) -> Result<()> {
    let largest = all().map(Complex64::norm).fold(0.0, f64::max);
    let epsilon = if is_single(dtype) { f32::EPSILON.into() } else { f64::EPSILON };
    let lost = |weight: Complex64| {
        fit(weight, dtype) == Fit::TooSmall && weight.norm() < epsilon / 2.0 * largest
    };
    let mut kept = all().filter(|weight| !lost(*weight));
    kept.try_for_each(|weight| check(operator, || what(weight), weight, dtype))
}

fn weights(band: &Band) -> impl Iterator<Item = Complex64> {
    band.pieces().flat_map(|(_, taps)| taps).map(|tap| tap.weight)
}

/// The moduli of the factors that an operator and its parts multiply by, each from the top down to where it is applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gain {
    /// The least that is not zero, infinite if all are.
    least: f64,
    largest: f64,
}

impl Gain {
    /// A single factor of one.
    pub(crate) const ONE: Self = Self { least: 1.0, largest: 1.0 };

    /// Those of several parts.
    pub(crate) fn union(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), largest: self.largest.max(other.largest) }
    }

    /// All multiplied by `factor`.
    pub(crate) fn times(self, factor: Complex64) -> Self {
        if factor == Complex64::ONE {
            return self;
        }
        let modulus = if factor.im == 0.0 { factor.re.abs() } else { factor.norm() };
        if modulus == 0.0 || self.largest == 0.0 {
            return Self { least: f64::INFINITY, largest: 0.0 };
        }
        Self { least: self.least * modulus, largest: self.largest * modulus }
    }

    /// Whether all fit the dtype.
    pub(crate) fn fits(self, dtype: DType) -> bool {
        self.check("", "", dtype).is_ok()
    }

    /// Fails unless all fit the dtype of `operator`; `what` names the last factor.
    pub(crate) fn check(self, operator: &str, what: &str, dtype: DType) -> Result<()> {
        if self.largest == 0.0 {
            return Ok(());
        }
        // A product that has left Float64 on its way is none of any dtype.
        let finite = self.largest.is_finite();
        let largest = if finite { fit(self.largest, dtype) } else { Fit::TooLarge };
        let least = if self.least > 0.0 { fit(self.least, dtype) } else { Fit::TooSmall };
        let (fits, product) = match largest {
            Fit::Held => (least, self.least),
            _ => (largest, self.largest),
        };
        let what = || format!("{what} times the factors of its parts is {}, which", text(product));
        verdict(operator, what, fits, dtype)
    }
}

/// Whether it is computed in `Float32`, as 16-bit floats are.
fn is_single(dtype: DType) -> bool {
    dtype.real().bits() <= 32
}

/// Fails unless a number, which `what` names, fits.
fn verdict(operator: &str, what: impl FnOnce() -> String, fits: Fit, dtype: DType) -> Result<()> {
    let single = is_single(dtype);
    let largest = if single { f32::MAX.into() } else { f64::MAX };
    let smallest = if single { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE };
    let why = match fits {
        Fit::Held => return Ok(()),
        Fit::NotFinite => format!("is not a finite number of {dtype}"),
        Fit::TooLarge => format!("is beyond the numbers of {dtype}, up to {largest:.1e}"),
        Fit::TooSmall => format!("is below the normal numbers of {dtype}, from {smallest:.1e}"),
    };
    Error::parameter(operator, format!("{} {why}", what()))
}

/// A number as one writes it: without an imaginary part if it has none, with an exponent if that is shorter.
pub(crate) fn text(value: impl Into<Complex64>) -> String {
    let Complex64 { re, im } = value.into();
    let part = |part: f64| match part.abs() {
        usual if usual == 0.0 || (1e-4..1e7).contains(&usual) => format!("{part:?}"),
        _ => format!("{part:e}"),
    };
    match im {
        0.0 => part(re),
        _ => format!("{}{}{}i", part(re), if im < 0.0 { "" } else { "+" }, part(im)),
    }
}
