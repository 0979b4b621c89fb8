//! One arithmetic step on all elements of a chunk.

use pulp::{Arch, Simd, WithSimd};

use super::scalar::Scalar;
use crate::{Binary, Unary};

/// The elements of one operand for one chunk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'c, T> {
    /// All the same.
    Number(T),
    /// As many as the chunk has.
    Slice(&'c [T]),
    /// What the place of the result holds.
    Out,
}

/// `out ← function(a)`.
pub(super) fn unary<T: Scalar>(function: Unary, a: Operand<'_, T>, out: &mut [T]) {
    Arch::new().dispatch(OfOne { function, a, out });
}

/// `out ← function(a, b)`.
pub(super) fn binary<T: Scalar>(
    function: Binary,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    out: &mut [T],
) {
    Arch::new().dispatch(OfTwo { function, a, b, out });
}

/// `function(a)` of a single number, for which looking for vector instructions would take longer than computing it.
pub(super) fn unary_of_number<T: Scalar>(function: Unary, a: T) -> T {
    let mut out = [T::default()];
    let a = Operand::Number(a);
    OfOne { function, a, out: &mut out }.with_simd(pulp::Scalar::new());
    out[0]
}

/// `function(a, b)`, as [`unary_of_number`].
pub(super) fn binary_of_numbers<T: Scalar>(function: Binary, a: T, b: T) -> T {
    let mut out = [T::default()];
    let (a, b) = (Operand::Number(a), Operand::Number(b));
    OfTwo { function, a, b, out: &mut out }.with_simd(pulp::Scalar::new());
    out[0]
}

/// Types, not closures: closures are not always inlined where vector instructions are enabled.
struct OfOne<'a, T> {
    function: Unary,
    a: Operand<'a, T>,
    out: &'a mut [T],
}

struct OfTwo<'a, T> {
    function: Binary,
    a: Operand<'a, T>,
    b: Operand<'a, T>,
    out: &'a mut [T],
}

impl<T: Scalar> WithSimd for OfOne<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { function, a, out } = self;
        match function {
            Unary::Negate => one(a, out, |a| -a),
            Unary::Conjugate => one(a, out, T::conj),
            Unary::Real => one(a, out, |a| T::from_part(a.re())),
            Unary::Imaginary => one(a, out, |a| T::from_part(a.im())),
            Unary::Absolute => one(a, out, |a| T::from_part(a.abs())),
            Unary::AbsoluteSquare => {
                one(a, out, |a| T::from_part(a.re() * a.re() + a.im() * a.im()));
            }
            Unary::SquareRoot => one(a, out, T::sqrt),
        }
    }
}

impl<T: Scalar> WithSimd for OfTwo<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { function, a, b, out } = self;
        match function {
            Binary::Add => two(a, b, out, |a, b| a + b),
            Binary::Subtract => two(a, b, out, |a, b| a - b),
            Binary::Multiply => two(a, b, out, |a, b| a * b),
            Binary::Divide => two(a, b, out, T::quotient),
            Binary::DivideOrZero => {
                two(a, b, out, |a, b| if b == T::zero() { T::zero() } else { a.quotient(b) });
            }
            Binary::MultiplyOrZero => {
                two(a, b, out, |a, b| if b == T::zero() { T::zero() } else { a * b });
            }
            Binary::Minimum => two(a, b, out, T::minimum),
            Binary::Maximum => two(a, b, out, T::maximum),
        }
    }
}

#[inline(always)]
fn one<T: Copy>(a: Operand<'_, T>, out: &mut [T], function: impl Fn(T) -> T) {
    match a {
        Operand::Number(a) => out.fill(function(a)),
        Operand::Slice(a) => with(a, out, |a, _| function(a)),
        Operand::Out => within(out, function),
    }
}

/// `out ← function(a, b)`, to be inlined where vector instructions are enabled.
#[inline(always)]
pub(super) fn two<T: Copy>(
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    out: &mut [T],
    function: impl Fn(T, T) -> T,
) {
    match (a, b) {
        (Operand::Slice(a), Operand::Slice(b)) => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = function(a, b);
            }
        }
        (Operand::Slice(a), Operand::Number(b)) => with(a, out, |a, _| function(a, b)),
        (Operand::Slice(a), Operand::Out) => with(a, out, function),
        (Operand::Number(a), Operand::Slice(b)) => with(b, out, |b, _| function(a, b)),
        (Operand::Number(a), Operand::Number(b)) => out.fill(function(a, b)),
        (Operand::Number(a), Operand::Out) => within(out, |out| function(a, out)),
        (Operand::Out, Operand::Slice(b)) => with(b, out, |b, out| function(out, b)),
        (Operand::Out, Operand::Number(b)) => within(out, |out| function(out, b)),
        (Operand::Out, Operand::Out) => within(out, |out| function(out, out)),
    }
}

#[inline(always)]
fn with<T: Copy>(a: &[T], out: &mut [T], function: impl Fn(T, T) -> T) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = function(a, *out);
    }
}

#[inline(always)]
fn within<T: Copy>(out: &mut [T], function: impl Fn(T) -> T) {
    for out in out {
        *out = function(*out);
    }
}
