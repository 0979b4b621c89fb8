//! The affine map that scaling is.

use super::format::Format;
use super::rules::Scale;
use crate::{DType, Error, Result};

/// The lower and the upper end.
pub(crate) type Range = (f64, f64);

/// `x` becomes `to + (x · prescale − offset) · factor`, rounded prescale after the product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine {
    /// 1, or one half where differences would be infinite.
    pub(crate) prescale: f64,
    pub(crate) offset: f64,
    pub(crate) factor: f64,
    pub(crate) to: f64,
}

impl Affine {
    /// The map that takes the range `from` to the range `to`; all to the lower end if `from` is one number.
    pub(crate) fn new(from: Range, to: Range) -> Self {
        let prescale = if (from.1 - from.0).is_finite() { 1.0 } else { 0.5 };
        let offset = from.0 * prescale + 0.0;
        let range = from.1 * prescale - offset;
        let factor = if range > 0.0 { (to.1 - to.0) / range } else { 0.0 };
        Self { prescale, offset, factor, to: to.0 }
    }

    /// What becomes of a number.
    #[inline]
    pub(crate) fn at(self, x: f64) -> f64 {
        if x.is_finite() {
            (x * self.prescale - self.offset).mul_add(self.factor, self.to)
        } else if self.factor < 0.0 {
            -x
        } else {
            x
        }
    }
}

impl Scale {
    /// The ranges it names: of the source, where it is fixed, and of the target.
    ///
    /// # Errors
    /// [`Error::Conversion`] for ranges that are not finite, or of the source empty.
    pub(crate) fn ranges(self, from: DType, to: DType) -> Result<(Option<Range>, Range)> {
        let fail = |why| Err(Error::Conversion { from, to, why });
        let (source, target) = match self {
            Self::None => (None, None),
            Self::Range { from, to } => (Some(from), to),
            Self::MinMax { to } => (None, to),
        };
        if let Some((low, high)) = source
            && !(low < high && low.is_finite() && high.is_finite())
        {
            return fail(
                "the range to scale from is not one of two finite numbers, the lower one first",
            );
        }
        let target = target.or_else(|| Format::of(to).map(Format::range)).unwrap_or((0.0, 1.0));
        if !(target.1 - target.0).is_finite() {
            return fail("the range to scale to is not finite");
        }
        Ok((source, target))
    }
}

impl Format {
    /// What a range is scaled to when none is named: the least and the largest integer (that 64-bit floating point
    /// holds), and 0 to 1 for floats.
    fn range(self) -> Range {
        match self {
            Self::Int { bits, signed } => {
                let digits = bits - u32::from(signed);
                let largest = (u64::MAX >> (64 - digits)) & (u64::MAX << digits.saturating_sub(53));
                (if signed { -2_f64.powi(digits as i32) } else { 0.0 }, largest as f64)
            }
            Self::Bool | Self::Float(_) => (0.0, 1.0),
        }
    }
}
