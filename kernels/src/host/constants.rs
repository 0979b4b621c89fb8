//! Functions of constants, computed once, before the first element.

use arrayspan_bridge::expression::{Binary, Unary};
use num_complex::Complex64;

use super::elementwise;
use super::scalar::Scalar;

/// `function(a)`, as complex numbers have it if elements are `complex`.
pub(crate) fn unary(complex: bool, function: Unary, a: Complex64) -> Complex64 {
    if complex {
        return of_one(function, a);
    }
    of_one(function, a.re).into()
}

/// `function(a, b)`, as complex numbers have it if elements are `complex`; what has an order is real.
pub(crate) fn binary(complex: bool, function: Binary, a: Complex64, b: Complex64) -> Complex64 {
    if complex && (a.im != 0.0 || b.im != 0.0) {
        return of_two(function, a, b);
    }
    of_two(function, a.re, b.re).into()
}

pub(super) fn of_one<T: Scalar>(function: Unary, a: T) -> T {
    elementwise::unary_of_number(function, a)
}

pub(super) fn of_two<T: Scalar>(function: Binary, a: T, b: T) -> T {
    elementwise::binary_of_numbers(function, a, b)
}
