//! Operators that are linear over the real numbers, and not over complex ones.

use arrayspan_bridge::DType;
use arrayspan_bridge::DType::Complex128;
use arrayspan_operators::Diagonal;
use arrayspan_operators::author::*;
use num_complex::Complex64;

use crate::support::{Opaque, filled};

pub(crate) const LEN: usize = 3;

pub(crate) fn space(len: usize, dtype: DType) -> Space {
    Space::new([len], dtype).unwrap()
}

/// `y = a x + b conj(x)`, which any map is that is linear over the real numbers, element by element. Its adjoint is
/// `conj(a) y + b conj(y)`.
pub(crate) fn mix(a: Complex64, b: Complex64) -> Opaque {
    let mix = Opaque::new("Mix", [&space(LEN, Complex128); 2], move |adjoint, on, x, y, update| {
        let a = if adjoint { a.conj() } else { a };
        let mixed = constant(a) * input(0) + constant(b) * input(0).conj();
        Ok(on.map_updated(&mixed, &[x], y, update)?)
    });
    mix.saying(Properties::real_linear)
}

/// `y = conj(x)`
pub(crate) fn conjugate(dtype: DType) -> Operator {
    Operator::of("Conjugate", space(LEN, dtype), space(LEN, dtype), Form::Conjugate).unwrap()
}

/// Multiplication by complex weights.
pub(crate) fn weights(values: &[Complex64]) -> Operator {
    let values = filled(&space(values.len(), Complex128), values).into_shared();
    Diagonal::new(space(values.shape()[0], Complex128), values).unwrap()
}
