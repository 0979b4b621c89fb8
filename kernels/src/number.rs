//! Numbers of the host in the dtype that verbs compute with.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use num_complex::Complex64;

/// The dtype that numbers of arrays of `dtype` are computed in: `Float32` where they are 16-bit floats.
#[must_use]
pub fn computed(dtype: DType) -> DType {
    if matches!(dtype, DType::Float16 | DType::BFloat16) { DType::Float32 } else { dtype }
}

/// The bits of both parts, the same for numbers that are equal: of both zeros those of 0, since -0 + 0 is 0.
pub(crate) fn bits(number: Complex64) -> [u64; 2] {
    [number.re, number.im].map(|part| (part + 0.0).to_bits())
}

/// How a dtype holds a number: see [`fit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// As itself or rounded.
    Held,
    /// NaN or infinite before it is rounded.
    NotFinite,
    /// Infinite once rounded.
    TooLarge,
    /// Not zero, but zero or subnormal once rounded. Devices may take subnormal numbers for zero, so such a number
    /// has no value that is the same on all of them.
    TooSmall,
}

/// How the computable `dtype`, or the one that 16-bit floats are computed in, holds a number, a complex one by its modulus: a part that
/// is lost beside the other is rounding.
#[must_use]
pub fn fit(value: impl Into<Complex64>, dtype: DType) -> Fit {
    let value = value.into();
    // What most factors are, every dtype holds.
    if value == Complex64::ONE || value == Complex64::ZERO {
        return Fit::Held;
    }
    // Most numbers are real, and need no root.
    let modulus = if value.im == 0.0 { value.re.abs() } else { value.re.hypot(value.im) };
    let single = computed(dtype).real() == DType::Float32;
    let (finite, normal) = match modulus as f32 {
        rounded if single => (rounded.is_finite(), rounded.is_normal()),
        _ => (modulus.is_finite(), modulus.is_normal()),
    };
    match () {
        () if !value.is_finite() => Fit::NotFinite,
        () if !finite => Fit::TooLarge,
        () if normal || modulus == 0.0 => Fit::Held,
        () => Fit::TooSmall,
    }
}

/// The widest real dtype that the device computes with: what scalars of a recurrence are best kept in.
#[must_use]
pub fn widest_real(device: Device) -> DType {
    if device.is_cpu() || device.info().float64 { DType::Float64 } else { DType::Float32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::{Complex64 as C64, Complex128, Float32, Float64};

    #[test]
    fn numbers_are_judged_once_rounded() {
        let largest = f64::from(f32::MAX);
        // Less than half a step above the largest number: rounded down to it.
        assert_eq!(fit(largest * (1.0 + 2e-8), Float32), Fit::Held);
        assert_eq!(fit(largest * (1.0 + 4e-8), Float32), Fit::TooLarge);
        assert_eq!(fit(f64::MAX, Float64), Fit::Held);
        let smallest = f64::from(f32::MIN_POSITIVE);
        assert_eq!(fit(smallest, Float32), Fit::Held);
        assert_eq!(fit(smallest / 2.0, Float32), Fit::TooSmall);
        assert_eq!(fit(-1e-50, Float32), Fit::TooSmall);
        assert_eq!(fit(5e-324, Float64), Fit::TooSmall);
        assert_eq!((fit(0.0, Float32), fit(-0.0, Float64)), (Fit::Held, Fit::Held));
        for stored in [DType::Float16, DType::BFloat16] {
            assert_eq!((fit(1e30, stored), fit(1e40, stored)), (Fit::Held, Fit::TooLarge));
        }
    }

    #[test]
    fn complex_numbers_are_judged_by_their_modulus() {
        let number = |re, im| Complex64::new(re, im);
        assert_eq!(fit(number(1.0, 1e-60), C64), Fit::Held);
        assert_eq!(fit(number(0.0, 1e-60), C64), Fit::TooSmall);
        assert_eq!(fit(number(0.0, 1e-60), Complex128), Fit::Held);
        assert_eq!(fit(number(1.0, -1e60), C64), Fit::TooLarge);
        assert_eq!(fit(number(1.0, f64::NAN), C64), Fit::NotFinite);
        assert_eq!(fit(f64::NEG_INFINITY, Float64), Fit::NotFinite);
        assert_eq!(fit(number(f64::MAX, f64::MAX), Complex128), Fit::TooLarge);
    }
}
