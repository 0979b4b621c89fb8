//! What conversion does with numbers that the target cannot hold.

/// What becomes of a number that the target cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// It is an error, and so is every number that the target cannot hold exactly.
    Exact,
    /// Integers keep their lowest bits, as in two's complement; floats become infinite, where there is no
    /// infinity `NaN`, where there is neither the largest number.
    Wrap,
    /// It becomes the nearest number that the target has.
    Saturate,
}

/// Which whole number stands for one with a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// The nearest; of two equally near ones the even one.
    NearestEven,
    /// The nearest; of two equally near ones the larger in magnitude.
    NearestAway,
    /// The next one towards zero.
    TowardZero,
    /// The next lower one.
    Down,
    /// The next higher one.
    Up,
}

/// What is done to numbers before they take their new dtype: nothing, or an affine map that two points give.
///
/// The map is computed in 64-bit floating point, `to.0 + (x − from.0) · (to.1 − to.0) / (from.1 − from.0)`, with one
/// rounding for the difference, one for the factor and one for the rest. Numbers outside `from` come to lie outside
/// `to`; [`Overflow`] says what becomes of them when the target cannot hold them. Infinities stay infinite (with
/// their sign turned if the map falls) and `NaN` stays `NaN`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Numbers stay as they are.
    None,
    /// The range `from` becomes the range `to`.
    Range {
        /// Two numbers of the source, the lower one first.
        from: (f64, f64),
        /// What becomes of them; `None` stands for the least and the largest integer of the target, or 0 and 1 for
        /// floats.
        to: Option<(f64, f64)>,
    },
    /// As [`Range`](Self::Range) from the least to the largest finite element, which are found on the device. Depends
    /// on the data, so that two arrays converted this way cannot be compared. Where all finite elements are equal,
    /// or there are none, the lower end of `to` stands for them.
    MinMax {
        /// What becomes of the least and the largest; `None` as for [`Range`](Scale::Range).
        to: Option<(f64, f64)>,
    },
}

/// How numbers take another dtype. Nothing here depends on the data but [`Scale::MinMax`].
///
/// | target | `NaN` | infinity | number out of range | fraction or excess digits |
/// |---|---|---|---|---|
/// | integers | 0 | wrap 0, saturate the limit | as [`Overflow`] says | as [`Rounding`] says |
/// | `Bool` | 1 | 1 | 1 | 1: all but zero is true |
/// | floats with infinity | `NaN` | infinity | wrap infinity, saturate the largest | nearest, ties to even |
/// | floats with `NaN` alone | `NaN` | wrap `NaN`, saturate the largest | the same | nearest, ties to even |
/// | floats of 4 and 6 bits | 0 | the largest | the largest | nearest, ties to even |
/// | `Float8E8M0Fnu` | `NaN` | wrap `NaN`, saturate the largest | the same; zero and below: wrap `NaN`, saturate the least | nearest, ties to even |
///
/// Under [`Overflow::Exact`] every entry is an error but `NaN` for `NaN` and infinity for infinity; `Bool` then
/// takes 0 and 1 alone. Written `NaN`s are the plain quiet one. Negative zero counts as zero where there is none.
/// Complex numbers convert part by part. Elements whose dtype stays are copied as they are, unless scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    /// What becomes of numbers that the target cannot hold.
    pub overflow: Overflow,
    /// Which whole numbers stand for those with a fraction.
    pub rounding: Rounding,
    /// What is done before.
    pub scale: Scale,
    /// Whether a real target drops the imaginary part of a complex source. Otherwise that is an error.
    pub drop_imaginary: bool,
}

impl Conversion {
    /// Every element must be held exactly.
    pub const EXACT: Self = Self::new(Overflow::Exact);
    /// Numbers out of range wrap.
    pub const WRAP: Self = Self::new(Overflow::Wrap);
    /// Numbers out of range become the nearest one.
    pub const SATURATE: Self = Self::new(Overflow::Saturate);

    /// With fractions to the nearest even, without scaling, and complex sources refused by real targets.
    #[must_use]
    pub const fn new(overflow: Overflow) -> Self {
        Self {
            overflow,
            rounding: Rounding::NearestEven,
            scale: Scale::None,
            drop_imaginary: false,
        }
    }

    /// The same with another rounding.
    #[must_use]
    pub const fn rounding(self, rounding: Rounding) -> Self {
        Self { rounding, ..self }
    }

    /// The same with numbers scaled before.
    #[must_use]
    pub const fn scale(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    /// The same, and real targets drop the imaginary part.
    #[must_use]
    pub const fn dropping_imaginary(self) -> Self {
        Self { drop_imaginary: true, ..self }
    }
}
