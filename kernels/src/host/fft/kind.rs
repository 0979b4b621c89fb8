//! Which transforms there are of a line.

/// What a plan is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::host) enum Kind {
    /// With a positive exponent or a negative one.
    Complex {
        positive: bool,
    },
    /// From real numbers to half a spectrum, with a negative exponent.
    ToHalf,
    /// The other way round, with a positive one.
    FromHalf,
    /// From real numbers to sums of their products with cosines, and the other way round.
    ToCosines,
    FromCosines,
}

impl Kind {
    /// Whether lines are real on one side.
    pub(in crate::host) fn is_real(self) -> bool {
        !matches!(self, Self::Complex { .. })
    }

    /// Whether so many real samples are taken by twos, as real and imaginary parts.
    pub(in crate::host) fn by_twos(self, samples: usize) -> bool {
        self.is_real() && samples.is_multiple_of(2)
    }

    pub(in crate::host) fn has_cosines(self) -> bool {
        matches!(self, Self::ToCosines | Self::FromCosines)
    }

    /// Whether it leaves real samples.
    pub(in crate::host) fn is_inverse(self) -> bool {
        matches!(self, Self::FromHalf | Self::FromCosines)
    }
}
