//! Complex numbers of several lines at once: a vector of real parts, one of each line, and one of imaginary parts.

use pulp::Simd;

use crate::host::scalar::Scalar;
use crate::host::vectors::Vectors;

/// One complex number of each line.
#[derive(Clone, Copy)]
pub(in crate::host) struct Pair<T: Vectors, S: Simd> {
    pub(in crate::host) re: T::Of<S>,
    pub(in crate::host) im: T::Of<S>,
}

/// A root of unity in every element: its real part, its imaginary part, and that with the other sign.
pub(in crate::host) type Root<T, S> = [<T as Vectors>::Of<S>; 3];

/// The root in every element.
#[inline(always)]
pub(in crate::host) fn root<T: Scalar, S: Simd>(simd: S, [re, im]: [T; 2]) -> Root<T, S> {
    [T::all(simd, re), T::all(simd, im), T::all(simd, -im)]
}

impl<T: Vectors, S: Simd> Pair<T, S> {
    /// Point `number` of vectors that are real and imaginary parts by turns.
    #[inline(always)]
    pub(in crate::host) fn read(vectors: &[T::Of<S>], number: usize) -> Self {
        Self { re: vectors[2 * number], im: vectors[2 * number + 1] }
    }

    #[inline(always)]
    pub(in crate::host) fn write(self, vectors: &mut [T::Of<S>], number: usize) {
        vectors[2 * number] = self.re;
        vectors[2 * number + 1] = self.im;
    }

    #[inline(always)]
    pub(in crate::host) fn plus(self, simd: S, other: Self) -> Self {
        Self { re: T::plus(simd, self.re, other.re), im: T::plus(simd, self.im, other.im) }
    }

    #[inline(always)]
    pub(in crate::host) fn minus(self, simd: S, other: Self) -> Self {
        Self { re: T::minus(simd, self.re, other.re), im: T::minus(simd, self.im, other.im) }
    }

    /// `self + i · other`
    #[inline(always)]
    pub(in crate::host) fn plus_i(self, simd: S, other: Self) -> Self {
        Self { re: T::minus(simd, self.re, other.im), im: T::plus(simd, self.im, other.re) }
    }

    /// `self - i · other`
    #[inline(always)]
    pub(in crate::host) fn minus_i(self, simd: S, other: Self) -> Self {
        Self { re: T::plus(simd, self.re, other.im), im: T::minus(simd, self.im, other.re) }
    }

    #[inline(always)]
    pub(in crate::host) fn times(self, simd: S, factor: T::Of<S>) -> Self {
        Self { re: T::times(simd, self.re, factor), im: T::times(simd, self.im, factor) }
    }

    /// `self + factor · other`
    #[inline(always)]
    pub(in crate::host) fn plus_times(self, simd: S, factor: T::Of<S>, other: Self) -> Self {
        Self {
            re: T::multiply_add(simd, factor, other.re, self.re),
            im: T::multiply_add(simd, factor, other.im, self.im),
        }
    }

    /// `self · root`
    #[inline(always)]
    pub(in crate::host) fn turned(self, simd: S, [re, im, minus_im]: Root<T, S>) -> Self {
        Self {
            re: T::multiply_add(simd, self.im, minus_im, T::times(simd, self.re, re)),
            im: T::multiply_add(simd, self.re, im, T::times(simd, self.im, re)),
        }
    }

    /// `self · conj(root)`
    #[inline(always)]
    pub(in crate::host) fn turned_back(self, simd: S, [re, im, minus_im]: Root<T, S>) -> Self {
        self.turned(simd, [re, minus_im, im])
    }
}
