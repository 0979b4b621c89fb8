//! A number between two formats: exact, whatever they are. The devices' `number.cl.h` does the same.

use super::format::{Float, Format, Special};
use super::rules::{Overflow, Rounding};

/// `± magnitude · 2^exponent`, infinity or `NaN`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    negative: bool,
    magnitude: u64,
    exponent: i32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Finite,
    Infinite,
    NaN,
}

/// A code, and whether it stands for the very number it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) bits: u64,
    pub(crate) exact: bool,
}

impl Format {
    /// The number that a code stands for. Bits above those of the format do not count.
    #[inline]
    pub(crate) fn decode(self, bits: u64) -> Number {
        let finite =
            |negative, magnitude| Number { negative, magnitude, exponent: 0, kind: Kind::Finite };
        match self {
            Self::Bool => finite(false, u64::from(bits & 0xff != 0)),
            Self::Int { bits: width, signed: false } => {
                finite(false, bits & (u64::MAX >> (64 - width)))
            }
            Self::Int { bits: width, signed: true } => {
                let value = ((bits << (64 - width)) as i64) >> (64 - width);
                finite(value < 0, value.unsigned_abs())
            }
            Self::Float(float) => float.decode(bits),
        }
    }

    /// The code that the rules give for a number.
    #[inline]
    pub(crate) fn encode(self, number: Number, overflow: Overflow, rounding: Rounding) -> Encoded {
        match self {
            Self::Bool => {
                let whole = integer(number, 1, false, overflow, rounding);
                let zero = number.kind == Kind::Finite && number.magnitude == 0;
                Encoded { bits: u64::from(!zero), exact: whole.exact }
            }
            Self::Int { bits, signed } => integer(number, bits, signed, overflow, rounding),
            Self::Float(float) => float.encode(number, overflow),
        }
    }
}

impl Float {
    #[inline]
    fn decode(self, bits: u64) -> Number {
        let code = bits & self.mask();
        let negative = bits & self.sign() != 0;
        let kind = match self.special {
            Special::NegativeZero if negative && code == 0 => Kind::NaN,
            _ if code <= self.largest() => Kind::Finite,
            _ if Some(code) == self.infinity() => Kind::Infinite,
            _ => Kind::NaN,
        };
        if self.special == Special::Scale {
            return Number { negative, magnitude: 1, exponent: code as i32 - self.bias, kind };
        }
        let exponent = (code >> self.mantissa) as i32;
        let magnitude =
            (code & ((1 << self.mantissa) - 1)) | (u64::from(exponent != 0) << self.mantissa);
        let exponent = exponent.max(1) - self.bias - self.mantissa as i32;
        Number { negative, magnitude, exponent, kind }
    }

    /// Rounded to the nearest number, of two equally near ones to that with an even code.
    #[inline]
    fn encode(self, number: Number, overflow: Overflow) -> Encoded {
        let Number { negative, magnitude, exponent, kind } = number;
        let scale = self.special == Special::Scale;
        let inexact = |bits| Encoded { bits, exact: false };
        if kind == Kind::NaN {
            return self.nan().map_or(inexact(0), |bits| Encoded { bits, exact: true });
        }
        let sign = if negative { self.sign() } else { 0 };
        if scale && (negative || magnitude == 0) {
            return inexact(if overflow == Overflow::Saturate { 0 } else { self.mask() });
        }
        if kind == Kind::Infinite {
            let infinity = self.infinity().map(|bits| Encoded { bits: sign | bits, exact: true });
            return infinity.unwrap_or_else(|| inexact(self.beyond(sign, overflow)));
        }
        if magnitude == 0 {
            let bits = if self.special == Special::NegativeZero { 0 } else { sign };
            return Encoded { bits, exact: true };
        }
        let top = 63 - magnitude.leading_zeros() as i32;
        let base = (top + exponent).max(self.least());
        let shift = base - self.mantissa as i32 - exponent;
        let start = (((base - self.least()) as u64) << self.mantissa).wrapping_sub(scale.into());
        let (code, rest) = if shift <= 0 {
            (start.wrapping_add(magnitude << -shift), false)
        } else if shift > top + 1 {
            // Less than half of the least number.
            (if scale { 0 } else { start }, true)
        } else {
            let whole = magnitude.checked_shr(shift as u32).unwrap_or(0);
            let rest = magnitude - whole.checked_shl(shift as u32).unwrap_or(0);
            let half = 1 << (shift - 1);
            let code = start.wrapping_add(whole);
            let up = rest > half || (rest == half && code & 1 == 1);
            (code.wrapping_add(up.into()), rest != 0)
        };
        if code > self.largest() {
            return inexact(self.beyond(sign, overflow));
        }
        let sign = if code == 0 && self.special == Special::NegativeZero { 0 } else { sign };
        Encoded { bits: sign | code, exact: !rest }
    }

    /// What stands for a number beyond the largest.
    fn beyond(self, sign: u64, overflow: Overflow) -> u64 {
        let largest = sign | self.largest();
        match overflow {
            Overflow::Saturate => largest,
            _ => self.infinity().map(|bits| sign | bits).or(self.nan()).unwrap_or(largest),
        }
    }
}

/// A whole number of so many bits.
#[inline]
fn integer(
    number: Number,
    bits: u32,
    signed: bool,
    overflow: Overflow,
    rounding: Rounding,
) -> Encoded {
    let Number { negative, magnitude, exponent, kind } = number;
    let mask = u64::MAX >> (64 - bits);
    let limit = match (signed, negative) {
        (true, _) => (mask >> 1) + u64::from(negative),
        (false, true) => 0,
        (false, false) => mask,
    };
    let signed_bits = |whole: u64| (if negative { whole.wrapping_neg() } else { whole }) & mask;
    if kind != Kind::Finite {
        let saturated = kind == Kind::Infinite && overflow == Overflow::Saturate;
        return Encoded { bits: if saturated { signed_bits(limit) } else { 0 }, exact: false };
    }
    let (whole, lost, fraction) = if exponent >= 0 {
        let whole = magnitude.checked_shl(exponent as u32).unwrap_or(0);
        let back = whole.checked_shr(exponent as u32).unwrap_or(0);
        (whole, back != magnitude, false)
    } else if exponent <= -64 {
        let up = magnitude != 0 && rounding.rounds_up(negative, false, std::cmp::Ordering::Less);
        (u64::from(up), false, magnitude != 0)
    } else {
        let shift = exponent.unsigned_abs();
        let whole = magnitude >> shift;
        let rest = magnitude & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        let up = rest != 0 && rounding.rounds_up(negative, whole & 1 == 1, rest.cmp(&half));
        (whole + u64::from(up), false, rest != 0)
    };
    let out = lost || whole > limit;
    let bits = signed_bits(if out && overflow == Overflow::Saturate { limit } else { whole });
    Encoded { bits, exact: !(out || fraction) }
}

impl Rounding {
    /// Whether a fraction takes the magnitude up, given how it compares with one half.
    #[inline]
    fn rounds_up(self, negative: bool, odd: bool, half: std::cmp::Ordering) -> bool {
        match self {
            Self::NearestEven => half.is_gt() || (half.is_eq() && odd),
            Self::NearestAway => half.is_ge(),
            Self::TowardZero => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }
}
