//! Many values become one, in 64-bit floating point and in an order that depends on nothing but their number.

use bytemuck::cast_slice;
use num_complex::Complex64;
use pulp::{Arch, Simd, WithSimd};

use super::scalar::Scalar;
use crate::Reduction;

/// Independent sums side by side, so that additions need not wait for each other.
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
        let pairs = self.sums.iter_mut().zip(self.values);
        match self.reduction {
            Reduction::Sum => pairs.for_each(|(sum, value)| *sum = *sum + value.wide()),
            Reduction::Maximum => pairs.for_each(|(sum, value)| *sum = sum.maximum(value.wide())),
            Reduction::Minimum => pairs.for_each(|(sum, value)| *sum = sum.minimum(value.wide())),
        }
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
    // Real and imaginary parts take turns.
    let every = size_of::<T>() / size_of::<T::Part>();
    let sum = |first: usize| lanes.iter().skip(first).step_by(every).sum();
    T::Wide::rounded(Complex64::new(sum(0), if every == 2 { sum(1) } else { 0.0 }))
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
