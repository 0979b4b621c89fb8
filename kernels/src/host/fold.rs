//! Reductions in 64-bit floating point, in an order that depends on the number of values only.

use bytemuck::{cast_slice, cast_slice_mut};
use num_complex::Complex64;
use pulp::{Arch, Simd, WithSimd};

use super::scalar::Scalar;
use crate::Reduction;

/// Independent partial sums, so that additions do not depend on each other.
const LANES: usize = 16;

/// The reduction of nothing.
pub(super) fn identity<W: Scalar>(reduction: Reduction) -> W {
    let value = match reduction {
        Reduction::Sum => 0.0,
        Reduction::Maximum => f64::NEG_INFINITY,
        Reduction::Minimum => f64::INFINITY,
    };
    W::rounded(Complex64::new(value, 0.0))
}

#[inline(always)]
pub(super) fn combine<W: Scalar>(reduction: Reduction, a: W, b: W) -> W {
    match reduction {
        Reduction::Sum => a + b,
        Reduction::Maximum => a.maximum(b),
        Reduction::Minimum => a.minimum(b),
    }
}

/// The reduction of all `values`.
pub(super) fn fold<T: Scalar>(reduction: Reduction, values: &[T]) -> T::Wide {
    Arch::new().dispatch(Fold { reduction, values })
}

/// Reduces each value into the sum beside it.
pub(super) fn fold_each<T: Scalar>(reduction: Reduction, sums: &mut [T::Wide], values: &[T]) {
    Arch::new().dispatch(FoldEach { reduction, sums, values });
}

/// The sum of the squared absolute values, squared in 64-bit floating point.
pub(super) fn squares<T: Scalar>(values: &[T]) -> f64 {
    Arch::new().dispatch(Squares { parts: cast_slice::<T, T::Part>(values) })
}

/// `Re Σ conj(a) b`, multiplied in 64-bit floating point.
pub(super) fn products<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    // The real part of a product is the sum of those of the parts.
    pairs(a, b, |a, b| a * b)
}

/// `Σ |factor (a - b)|²`, computed in 64-bit floating point.
pub(super) fn differences<T: Scalar>(a: &[T], b: &[T], factor: f64) -> f64 {
    pairs(a, b, move |a, b| {
        let difference = factor * (a - b);
        difference * difference
    })
}

/// The sum of a term of each two parts.
fn pairs<T: Scalar>(a: &[T], b: &[T], term: impl Fn(f64, f64) -> f64) -> f64 {
    let [a, b] = [a, b].map(cast_slice::<T, T::Part>);
    Arch::new().dispatch(Pairs { a, b, term })
}

struct Pairs<'a, P, F> {
    a: &'a [P],
    b: &'a [P],
    term: F,
}

impl<P: Scalar<Wide = f64>, F: Fn(f64, f64) -> f64> WithSimd for Pairs<'_, P, F> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let ((a, a_rest), (b, b_rest)) = (self.a.as_chunks::<LANES>(), self.b.as_chunks::<LANES>());
        let mut lanes = [0.0; LANES];
        for (a, b) in a.iter().zip(b) {
            for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
                *lane += (self.term)(a.wide(), b.wide());
            }
        }
        for (lane, (a, b)) in lanes.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *lane += (self.term)(a.wide(), b.wide());
        }
        together::<f64>(&lanes)
    }
}

struct Squares<'a, P> {
    parts: &'a [P],
}

impl<P: Scalar<Wide = f64>> WithSimd for Squares<'_, P> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let (blocks, rest) = self.parts.as_chunks::<LANES>();
        let mut lanes = [0.0; LANES];
        for block in blocks {
            for (lane, part) in lanes.iter_mut().zip(block) {
                *lane += part.wide() * part.wide();
            }
        }
        for (lane, part) in lanes.iter_mut().zip(rest) {
            *lane += part.wide() * part.wide();
        }
        together::<f64>(&lanes)
    }
}

struct Fold<'a, T> {
    reduction: Reduction,
    values: &'a [T],
}

impl<T: Scalar> WithSimd for Fold<'_, T> {
    type Output = T::Wide;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T::Wide {
        match self.reduction {
            Reduction::Sum => total(self.values),
            Reduction::Maximum => extreme(self.values, f64::NEG_INFINITY, T::maximum),
            Reduction::Minimum => extreme(self.values, f64::INFINITY, T::minimum),
        }
    }
}

struct FoldEach<'a, T: Scalar> {
    reduction: Reduction,
    sums: &'a mut [T::Wide],
    values: &'a [T],
}

impl<T: Scalar> WithSimd for FoldEach<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { reduction, sums, values } = self;
        match reduction {
            // A complex sum is the sum of its parts.
            Reduction::Sum => {
                let (sums, parts) = (cast_slice_mut(sums), cast_slice(values));
                each(sums, parts, |sum: f64, part: T::Part| sum + part.wide());
            }
            Reduction::Maximum => each(sums, values, |sum, value| sum.maximum(value.wide())),
            Reduction::Minimum => each(sums, values, |sum, value| sum.minimum(value.wide())),
        }
    }
}

#[inline(always)]
fn each<W: Copy, T: Copy>(sums: &mut [W], values: &[T], function: impl Fn(W, T) -> W) {
    for (sum, &value) in sums.iter_mut().zip(values) {
        *sum = function(*sum, value);
    }
}

#[inline(always)]
fn total<T: Scalar>(values: &[T]) -> T::Wide {
    let parts: &[T::Part] = cast_slice(values);
    let (blocks, rest) = parts.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for block in blocks {
        for (lane, part) in lanes.iter_mut().zip(block) {
            *lane += part.wide();
        }
    }
    for (lane, part) in lanes.iter_mut().zip(rest) {
        *lane += part.wide();
    }
    together::<T>(&lanes)
}

/// Not inlined: otherwise the compiler orders the lanes of the loop before for this step, which makes that loop slower.
#[inline(never)]
fn together<T: Scalar>(lanes: &[f64; LANES]) -> T::Wide {
    // Real and imaginary parts alternate.
    let (pairs, _) = lanes.as_chunks::<2>();
    let (re, im) = pairs.iter().fold((0.0, 0.0), |(re, im), [a, b]| (re + a, im + b));
    let complex = size_of::<T>() > size_of::<T::Part>();
    T::Wide::rounded(if complex { Complex64::new(re, im) } else { Complex64::new(re + im, 0.0) })
}

#[inline(always)]
fn extreme<T: Scalar>(values: &[T], nothing: f64, choose: impl Fn(T, T) -> T) -> T::Wide {
    let mut lanes = [T::rounded(Complex64::new(nothing, 0.0)); LANES];
    let (blocks, rest) = values.as_chunks::<LANES>();
    for block in blocks {
        for (lane, value) in lanes.iter_mut().zip(block) {
            *lane = choose(*lane, *value);
        }
    }
    let lanes = lanes.into_iter().chain(rest.iter().copied());
    lanes.fold(T::rounded(Complex64::new(nothing, 0.0)), choose).wide()
}
