//! What the processor converts by itself.

use half::{bf16, f16};

use super::rules::Rounding;

/// A number that the processor computes with, or nearly.
pub(super) trait Native: Copy {
    /// Its bytes in memory, which need no alignment.
    type Bytes: Copy + Send + Sync;

    fn of(bytes: Self::Bytes) -> Self;
    fn bytes(self) -> Self::Bytes;
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
    /// The same number in one of a few types.
    fn wide(self) -> Wide;
}

/// A number in one of a few types. Which one is known when the code is compiled.
#[derive(Clone, Copy)]
pub(super) enum Wide {
    Signed(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
}

/// A number that others become.
pub(super) trait Target: Native {
    /// The answer, where the processor's own is right: not for what is infinite or `NaN`, nor for what does not fit;
    /// if `exact`, only for the same number.
    fn quick(x: Wide, rounding: Rounding, exact: bool) -> Option<Self>;
}

macro_rules! natives {
    ($($type:ty, $bits:ty, $bytes:literal, $kind:ident;)*) => {$(
        impl Native for $type {
            type Bytes = [u8; $bytes];

            #[inline]
            fn of(bytes: [u8; $bytes]) -> Self {
                Self::from_ne_bytes(bytes)
            }

            #[inline]
            fn bytes(self) -> [u8; $bytes] {
                self.to_ne_bytes()
            }

            #[inline]
            fn bits(self) -> u64 {
                <$bits>::from_ne_bytes(self.to_ne_bytes()).into()
            }

            #[inline]
            fn of_bits(bits: u64) -> Self {
                Self::from_ne_bytes((bits as $bits).to_ne_bytes())
            }

            #[inline]
            fn wide(self) -> Wide {
                Wide::$kind(self.into())
            }
        }
    )*};
}

natives! {
    i8, u8, 1, Signed;
    i16, u16, 2, Signed;
    i32, u32, 4, Signed;
    i64, u64, 8, Signed;
    u8, u8, 1, Unsigned;
    u16, u16, 2, Unsigned;
    u32, u32, 4, Unsigned;
    u64, u64, 8, Unsigned;
    f16, u16, 2, Single;
    bf16, u16, 2, Single;
    f32, u32, 4, Single;
    f64, u64, 8, Double;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        #[allow(clippy::float_cmp, reason = "the same number is meant")]
        impl Target for $type {
            #[inline]
            fn quick(x: Wide, rounding: Rounding, exact: bool) -> Option<Self> {
                // Powers of two, and so exact.
                const FIRST: f64 = <$type>::MIN as f64;
                const BEYOND: f64 = (<$type>::MAX / 2 + 1) as f64 * 2.0;
                let x = match x {
                    Wide::Signed(x) => return x.try_into().ok(),
                    Wide::Unsigned(x) => return x.try_into().ok(),
                    Wide::Single(x) => f64::from(x),
                    Wide::Double(x) => x,
                };
                let whole = rounding.whole(x)?;
                let fits = (FIRST..BEYOND).contains(&whole) && !(exact && whole != x);
                fits.then_some(whole as $type)
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Target for $type {
            #[inline]
            fn quick(x: Wide, _: Rounding, exact: bool) -> Option<Self> {
                let y = match x {
                    Wide::Signed(x) => x as $type,
                    Wide::Unsigned(x) => x as $type,
                    Wide::Single(x) => x.into(),
                    Wide::Double(x) => x as $type,
                };
                (!exact && y.is_finite()).then_some(y)
            }
        }
    )*};
}

floats!(f32, f64);

/// The nearest 16-bit float, without branches; meaningless for what is not finite or too large.
#[inline]
fn half(x: f32) -> f16 {
    let (sign, size) = ((x.to_bits() >> 16) & 0x8000, x.to_bits() & 0x7fff_ffff);
    let normal = size.wrapping_sub(0x3800_0000).wrapping_add(0xfff + ((size >> 13) & 1)) >> 13;
    // Beside one half, the last digit of a 32-bit float is that of the least 16-bit ones.
    let small = (f32::from_bits(size) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let size = if size < 0x3880_0000 { small } else { normal.min(0x7c00) };
    f16::from_bits((sign | size) as u16)
}

macro_rules! halves {
    ($($type:ty: $nearest:expr),*) => {$(
        impl Target for $type {
            #[inline]
            fn quick(x: Wide, _: Rounding, exact: bool) -> Option<Self> {
                let y = match x {
                    // Exact up to 24 bits; more would be rounded twice.
                    Wide::Signed(x) if x.unsigned_abs() < 1 << 24 => $nearest(x as f32),
                    Wide::Unsigned(x) if x < 1 << 24 => $nearest(x as f32),
                    Wide::Single(x) => $nearest(x),
                    _ => return None,
                };
                (!exact && y.is_finite()).then_some(y)
            }
        }
    )*};
}

halves!(f16: half, bf16: bf16::from_f32);

impl Wide {
    /// The nearest number in 64-bit floating point.
    #[inline]
    pub(super) fn double(self) -> f64 {
        match self {
            Self::Signed(x) => x as f64,
            Self::Unsigned(x) => x as f64,
            Self::Single(x) => x.into(),
            Self::Double(x) => x,
        }
    }
}

impl Rounding {
    /// The whole number for one that is neither `NaN` nor too large to have a fraction.
    #[inline]
    #[allow(
        clippy::float_cmp,
        reason = "differences of a number and a whole one near it are exact"
    )]
    fn whole(self, x: f64) -> Option<f64> {
        // Beside this, the last digit of a 64-bit float is one.
        const LAST: f64 = 1.5 * (1_u64 << 52) as f64;
        let nearest = (x + LAST) - LAST;
        let off = x - nearest;
        let whole = match self {
            Self::NearestEven => nearest,
            Self::NearestAway => {
                nearest + f64::from(off == 0.5 && x > 0.0) - f64::from(off == -0.5 && x < 0.0)
            }
            Self::TowardZero => {
                nearest - f64::from(off < 0.0 && x > 0.0) + f64::from(off > 0.0 && x < 0.0)
            }
            Self::Down => nearest - f64::from(off < 0.0),
            Self::Up => nearest + f64::from(off > 0.0),
        };
        (x.abs() < (1_u64 << 51) as f64).then_some(whole)
    }
}
