//! How each dtype holds numbers: the one table that drives conversion on the host and on devices.

use crate::DType;

/// How a dtype, or each part of a complex one, holds numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// 0 or 1 in a byte. Any other byte counts as 1, but not as exact.
    Bool,
    /// A whole number of so many bits, in two's complement if signed.
    Int { bits: u32, signed: bool },
    /// Sign, exponent and mantissa.
    Float(Float),
}

/// A floating-point format: a sign bit (but for [`Special::Scale`]), then the exponent, then the mantissa.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Float {
    /// Bits of the exponent.
    pub(crate) exponent: u32,
    /// Bits of the mantissa that are stored.
    pub(crate) mantissa: u32,
    /// What is taken from the stored exponent.
    pub(crate) bias: i32,
    /// Which codes are no numbers.
    pub(crate) special: Special,
}

/// Which codes of a floating-point format are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// As in IEEE 754: the highest exponent is infinity and `NaN`.
    Ieee,
    /// No infinity; all ones but for the sign are `NaN`.
    AllOnes,
    /// No infinity and no negative zero; its code is `NaN`.
    NegativeZero,
    /// Every code is a number.
    None,
    /// No sign, no zero, no infinity: powers of two; all ones are `NaN`.
    Scale,
}

use Special::{AllOnes, Ieee, NegativeZero, None as Every, Scale};

/// Every floating-point dtype: bits of exponent and mantissa, bias, and which codes are no numbers.
const FLOATS: [(DType, u32, u32, i32, Special); 15] = [
    (DType::Float16, 5, 10, 15, Ieee),
    (DType::BFloat16, 8, 7, 127, Ieee),
    (DType::Float32, 8, 23, 127, Ieee),
    (DType::Float64, 11, 52, 1023, Ieee),
    (DType::Float8E3M4, 3, 4, 3, Ieee),
    (DType::Float8E4M3, 4, 3, 7, Ieee),
    (DType::Float8E4M3B11Fnuz, 4, 3, 11, NegativeZero),
    (DType::Float8E4M3Fn, 4, 3, 7, AllOnes),
    (DType::Float8E4M3Fnuz, 4, 3, 8, NegativeZero),
    (DType::Float8E5M2, 5, 2, 15, Ieee),
    (DType::Float8E5M2Fnuz, 5, 2, 16, NegativeZero),
    (DType::Float8E8M0Fnu, 8, 0, 127, Scale),
    (DType::Float6E2M3Fn, 2, 3, 1, Every),
    (DType::Float6E3M2Fn, 3, 2, 3, Every),
    (DType::Float4E2M1Fn, 2, 1, 1, Every),
];

impl Format {
    /// How the dtype, or each part of a complex one, holds numbers. `None` for handles.
    pub(crate) fn of(dtype: DType) -> Option<Self> {
        let dtype = dtype.real();
        let float = FLOATS.iter().find(|row| row.0 == dtype);
        if let Some(&(_, exponent, mantissa, bias, special)) = float {
            return Some(Self::Float(Float { exponent, mantissa, bias, special }));
        }
        match dtype {
            DType::Bool => Some(Self::Bool),
            DType::OpaqueHandle => None,
            _ => {
                let (code, bits) = dtype.dlpack();
                Some(Self::Int { bits: bits.into(), signed: code == 0 })
            }
        }
    }

    /// Whether every value of `other` is exactly one of this.
    pub(crate) fn holds(self, other: Self) -> bool {
        match (self, other) {
            (_, _) if self == other => true,
            (Self::Int { bits, signed }, Self::Int { bits: theirs, signed: negative }) => {
                signed >= negative && bits - u32::from(signed) >= theirs - u32::from(negative)
            }
            (Self::Float(float), Self::Int { bits, signed }) => {
                float.special != Scale
                    && bits - u32::from(signed) <= float.mantissa + 1
                    && i64::from(bits) <= i64::from(float.highest())
            }
            (Self::Float(float), Self::Float(other)) => float.holds_float(other),
            // Other bytes than 0 and 1 may stand in the place of truth values.
            (_, Self::Bool) | (Self::Bool, _) | (Self::Int { .. }, Self::Float(_)) => false,
        }
    }
}

impl Float {
    /// 64-bit floating point.
    pub(crate) const DOUBLE: Self = Self { exponent: 11, mantissa: 52, bias: 1023, special: Ieee };

    /// The bits beside the sign.
    pub(crate) const fn mask(self) -> u64 {
        (1 << (self.exponent + self.mantissa)) - 1
    }

    /// The sign bit; 0 where there is none.
    pub(crate) const fn sign(self) -> u64 {
        match self.special {
            Scale => 0,
            _ => self.mask() + 1,
        }
    }

    /// Infinity without its sign.
    pub(crate) const fn infinity(self) -> Option<u64> {
        match self.special {
            Ieee => Some(self.mask() - ((1 << self.mantissa) - 1)),
            _ => None,
        }
    }

    /// The `NaN` that conversion writes.
    pub(crate) const fn nan(self) -> Option<u64> {
        match self.special {
            Ieee => Some(self.mask() - ((1 << (self.mantissa - 1)) - 1)),
            AllOnes | Scale => Some(self.mask()),
            NegativeZero => Some(self.sign()),
            Every => None,
        }
    }

    /// The code of the largest number.
    pub(crate) const fn largest(self) -> u64 {
        match self.special {
            Ieee => self.mask() - (1 << self.mantissa),
            AllOnes | Scale => self.mask() - 1,
            NegativeZero | Every => self.mask(),
        }
    }

    /// The exponent of the least normal number.
    pub(crate) const fn least(self) -> i32 {
        match self.special {
            Scale => -self.bias,
            _ => 1 - self.bias,
        }
    }

    /// The exponent of the largest number.
    const fn highest(self) -> i32 {
        (self.largest() >> self.mantissa) as i32 - self.bias
    }

    /// The largest number: its exponent, and its mantissa as 64-bit floating point would store it.
    const fn reach(self) -> (i32, u64) {
        let mantissa = self.largest() & ((1 << self.mantissa) - 1);
        (self.highest(), mantissa << (Self::DOUBLE.mantissa - self.mantissa))
    }

    fn holds_float(self, other: Self) -> bool {
        let digit = |float: Self| float.least() - float.mantissa as i32;
        // Powers of two have no zero, which all others have.
        (self.special != Scale || other.special == Scale)
            && self.mantissa >= other.mantissa
            && digit(self) <= digit(other)
            && self.reach() >= other.reach()
            && (self.infinity().is_some() || other.infinity().is_none())
            && (self.nan().is_some() || other.nan().is_none())
    }
}
