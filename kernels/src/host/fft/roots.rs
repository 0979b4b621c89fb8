//! Roots of unity.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::host::scalar::Scalar;

/// `exp(-2πi part / of)`
pub(super) fn part_of_circle<T: Scalar>(part: usize, of: usize) -> [T; 2] {
    let turned = Complex64::from_polar(1.0, -TAU * (part % of) as f64 / of as f64);
    [turned.re, turned.im].map(|number| T::rounded(number.into()))
}
