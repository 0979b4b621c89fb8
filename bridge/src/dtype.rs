//! Element types.

use std::fmt;

use half::{bf16, f16};
use num_complex::Complex;

/// The type of an array's elements: every type that `DLPack` 1.3 can carry, under its Python Array API name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names say it")]
pub enum DType {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    BFloat16,
    Float32,
    Float64,
    Complex32,
    Complex64,
    Complex128,
    Float8E3M4,
    Float8E4M3,
    Float8E4M3B11Fnuz,
    Float8E4M3Fn,
    Float8E4M3Fnuz,
    Float8E5M2,
    Float8E5M2Fnuz,
    Float8E8M0Fnu,
    Float6E2M3Fn,
    Float6E3M2Fn,
    Float4E2M1Fn,
    /// A 64-bit handle whose meaning only its producer knows.
    OpaqueHandle,
}

/// Every dtype with its `DLDataTypeCode` and its bits.
const TABLE: [(DType, u8, u8); 28] = [
    (DType::Int8, 0, 8),
    (DType::Int16, 0, 16),
    (DType::Int32, 0, 32),
    (DType::Int64, 0, 64),
    (DType::UInt8, 1, 8),
    (DType::UInt16, 1, 16),
    (DType::UInt32, 1, 32),
    (DType::UInt64, 1, 64),
    (DType::Float16, 2, 16),
    (DType::Float32, 2, 32),
    (DType::Float64, 2, 64),
    (DType::OpaqueHandle, 3, 64),
    (DType::BFloat16, 4, 16),
    (DType::Complex32, 5, 32),
    (DType::Complex64, 5, 64),
    (DType::Complex128, 5, 128),
    (DType::Bool, 6, 8),
    (DType::Float8E3M4, 7, 8),
    (DType::Float8E4M3, 8, 8),
    (DType::Float8E4M3B11Fnuz, 9, 8),
    (DType::Float8E4M3Fn, 10, 8),
    (DType::Float8E4M3Fnuz, 11, 8),
    (DType::Float8E5M2, 12, 8),
    (DType::Float8E5M2Fnuz, 13, 8),
    (DType::Float8E8M0Fnu, 14, 8),
    (DType::Float6E2M3Fn, 15, 6),
    (DType::Float6E3M2Fn, 16, 6),
    (DType::Float4E2M1Fn, 17, 4),
];

impl DType {
    /// Every dtype.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// Its `DLDataTypeCode` and bits per element.
    #[must_use]
    pub fn dlpack(self) -> (u8, u8) {
        match TABLE.iter().find(|row| row.0 == self) {
            Some(&(_, code, bits)) => (code, bits),
            None => unreachable!("the table holds every dtype"),
        }
    }

    /// The dtype with this `DLDataTypeCode` and these bits, if there is one.
    #[must_use]
    pub fn from_dlpack(code: u8, bits: u8) -> Option<Self> {
        TABLE.iter().find(|row| (row.1, row.2) == (code, bits)).map(|row| row.0)
    }

    /// Bits of one element.
    #[must_use]
    pub fn bits(self) -> usize {
        usize::from(self.dlpack().1)
    }

    /// Bytes of one element in memory; types below a byte take a whole one.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.bits().div_ceil(8)
    }

    /// Whether elements have a real and an imaginary part.
    #[must_use]
    pub fn is_complex(self) -> bool {
        matches!(self, Self::Complex32 | Self::Complex64 | Self::Complex128)
    }

    /// The type of the parts of a complex type; any other type itself.
    #[must_use]
    pub fn real(self) -> Self {
        match self {
            Self::Complex32 => Self::Float16,
            Self::Complex64 => Self::Float32,
            Self::Complex128 => Self::Float64,
            other => other,
        }
    }

    /// Whether verbs, operators and solvers compute with it everywhere.
    #[must_use]
    pub fn is_computable(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64 | Self::Complex64 | Self::Complex128)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A Rust type that is laid out in memory as some [`DType`].
///
/// # Safety
/// The type has exactly the size of its `DTYPE`, no padding, and every value that producers may write
/// (for `bool`: 0 and 1, which is checked where memory comes from outside) is a valid one.
pub unsafe trait Element: Copy + fmt::Debug + Send + Sync + 'static {
    /// Its dtype.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($type:ty => $dtype:ident),* $(,)?) => {$(
        // SAFETY: plain numbers without padding, of the size that `TABLE` gives (asserted in the tests).
        unsafe impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}

elements! {
    bool => Bool,
    i8 => Int8,
    i16 => Int16,
    i32 => Int32,
    i64 => Int64,
    u8 => UInt8,
    u16 => UInt16,
    u32 => UInt32,
    u64 => UInt64,
    f16 => Float16,
    bf16 => BFloat16,
    f32 => Float32,
    f64 => Float64,
    Complex<f16> => Complex32,
    Complex<f32> => Complex64,
    Complex<f64> => Complex128,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dlpack_codes_go_there_and_back() {
        for dtype in DType::all() {
            let (code, bits) = dtype.dlpack();
            assert_eq!(DType::from_dlpack(code, bits), Some(dtype));
        }
        assert_eq!(DType::all().count(), TABLE.len());
        assert_eq!(DType::from_dlpack(2, 8), None);
        assert_eq!(DType::from_dlpack(99, 32), None);
    }

    #[test]
    fn elements_have_the_size_of_their_dtype() {
        fn check<T: Element>() {
            assert_eq!(size_of::<T>(), T::DTYPE.bytes(), "{}", T::DTYPE);
        }
        check::<bool>();
        check::<f16>();
        check::<bf16>();
        check::<i64>();
        check::<u16>();
        check::<Complex<f16>>();
        check::<Complex<f32>>();
        check::<Complex<f64>>();
    }

    #[test]
    fn the_real_part_of_complex64_is_float32() {
        assert_eq!(DType::Complex64.real(), DType::Float32);
        assert_eq!(DType::Int8.real(), DType::Int8);
    }
}
