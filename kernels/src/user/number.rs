//! Numbers of the host as arguments of user kernels.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Argument;
use num_complex::{Complex32, Complex64};

use crate::{Fit, fit};

/// A number that a user kernel takes by value, in the type that its parameter declares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// For parameters of any type that holds it.
    Integer(i64),
    /// For real and complex parameters; rounded.
    Real(f64),
    /// For complex parameters, and real ones where the imaginary part is 0; rounded.
    Complex(Complex64),
}

/// Conversions that lose nothing.
macro_rules! from {
    ($($variant:ident: $($type:ty)*;)*) => {$($(
        impl From<$type> for Number {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*)*};
}

from! {
    Integer: i8 i16 i32 i64 u8 u16 u32;
    Real: f32 f64;
    Complex: Complex64;
}

impl From<Complex32> for Number {
    fn from(value: Complex32) -> Self {
        Self::Complex(Complex64::new(value.re.into(), value.im.into()))
    }
}

impl Number {
    /// Fails unless a parameter of that dtype holds the number, rounded where it is not an integer.
    pub(crate) fn check(self, dtype: DType) -> Result<(), String> {
        let wrong = || Err(format!("{} is no number of {dtype}", self.describe()));
        match self {
            Self::Integer(value) => match range(dtype) {
                Some((least, most)) if !(least..=most).contains(&i128::from(value)) => wrong(),
                _ => Ok(()),
            },
            _ if range(dtype).is_some() => wrong(),
            Self::Complex(value) if !dtype.is_complex() && value.im != 0.0 => wrong(),
            _ if fit(self.value(), dtype) == Fit::TooLarge => wrong(),
            _ => Ok(()),
        }
    }

    fn describe(self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Real(value) => format!("{value:?}"),
            Self::Complex(value) => value.to_string(),
        }
    }

    fn value(self) -> Complex64 {
        match self {
            Self::Integer(value) => (value as f64).into(),
            Self::Real(value) => value.into(),
            Self::Complex(value) => value,
        }
    }

    /// As kernels take it, after [`check`](Self::check): integers of up to 32 bits with a sign, or less, as `int`, other
    /// ones as `i64`, complex numbers by their parts.
    pub(crate) fn push(self, dtype: DType, push: &mut dyn FnMut(Argument<'static>)) {
        let value = self.value();
        match (self, dtype.real()) {
            (_, DType::Float32) => push(Argument::F32(value.re as f32)),
            (_, DType::Float64) => push(Argument::F64(value.re)),
            (Self::Integer(value), DType::Int64 | DType::UInt32 | DType::UInt64) => {
                push(Argument::I64(value));
            }
            (Self::Integer(value), _) => push(Argument::I32(value as i32)),
            // `check` lets no other number be an integer.
            (_, _) => push(Argument::I32(0)),
        }
        match dtype {
            DType::Complex64 => push(Argument::F32(value.im as f32)),
            DType::Complex128 => push(Argument::F64(value.im)),
            _ => {}
        }
    }
}

/// The least and the largest integer of an integer dtype.
fn range(dtype: DType) -> Option<(i128, i128)> {
    let bits = dtype.bits();
    match dtype {
        DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => {
            Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        }
        DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => Some((0, (1 << bits) - 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_held_where_their_range_has_them() {
        assert!(Number::from(127).check(DType::Int8).is_ok());
        assert!(Number::from(128).check(DType::Int8).is_err());
        assert!(Number::from(-1).check(DType::UInt64).is_err());
        assert!(Number::from(i64::MAX).check(DType::UInt64).is_ok());
        assert!(Number::from(7).check(DType::Complex64).is_ok());
    }

    #[test]
    fn numbers_become_no_narrower_kind() {
        assert!(Number::from(1.0).check(DType::Int32).is_err());
        assert!(Number::from(Complex64::new(1.0, 1e-30)).check(DType::Float64).is_err());
        assert!(Number::from(Complex64::new(1.0, 0.0)).check(DType::Float64).is_ok());
        assert!(Number::from(Complex64::new(1.0, 0.0)).check(DType::Int64).is_err());
        assert!(Number::from(1e300).check(DType::Float32).is_err());
        assert!(Number::from(1e300).check(DType::Complex128).is_ok());
        assert!(Number::from(f64::INFINITY).check(DType::Float32).is_ok());
    }
}
