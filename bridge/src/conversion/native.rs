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
                let whole = rounding.whole(x);
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

macro_rules! halves {
    ($($type:ty),*) => {$(
        impl Target for $type {
            #[inline]
            fn quick(x: Wide, _: Rounding, exact: bool) -> Option<Self> {
                let y = match x {
                    // Exact up to 24 bits; more would be rounded twice.
                    Wide::Signed(x) if x.unsigned_abs() < 1 << 24 => Self::from_f32(x as f32),
                    Wide::Unsigned(x) if x < 1 << 24 => Self::from_f32(x as f32),
                    Wide::Single(x) => Self::from_f32(x),
                    _ => return None,
                };
                (!exact && y.is_finite()).then_some(y)
            }
        }
    )*};
}

halves!(f16, bf16);

impl Rounding {
    #[inline]
    fn whole(self, x: f64) -> f64 {
        match self {
            Self::NearestEven => x.round_ties_even(),
            Self::NearestAway => x.round(),
            Self::TowardZero => x.trunc(),
            Self::Down => x.floor(),
            Self::Up => x.ceil(),
        }
    }
}
