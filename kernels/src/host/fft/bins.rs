//! Real lines as complex ones of half as many points, several at once: an even number of samples is taken by twos, as real and imaginary
//! parts, and half a spectrum is made of the transform of that. An odd number is transformed as it is, without imaginary parts.

use pulp::Simd;

use super::complex::{Pair, root};
use super::factors::Factors;
use super::roots::part_of_circle;
use crate::host::scalar::Scalar;

/// What lies between transformed points and the bins of real lines.
pub(super) struct Bins<T> {
    samples: usize,
    /// Of an even number of samples, the roots of its first quarter.
    roots: Vec<[T; 2]>,
}

impl<T: Scalar> Bins<T> {
    pub(super) fn new(samples: usize) -> Self {
        let quarter = if samples.is_multiple_of(2) { samples / 4 + 1 } else { 0 };
        let roots = (0..quarter).map(|bin| part_of_circle(bin, samples));
        Self { samples, roots: roots.collect() }
    }

    /// Bins of transformed points.
    #[inline(always)]
    pub(super) fn of_points<S: Simd>(
        &self,
        simd: S,
        points: &[T::Of<S>],
        bins: &mut [T::Of<S>],
        factors: Factors<T>,
    ) {
        let (half, zero) = (self.samples / 2, T::all(simd, T::zero()));
        let own = T::all(simd, factors.first);
        let Pair { re, im } = Pair::<T, S>::read(points, 0).times(simd, own);
        if self.roots.is_empty() {
            Pair::<T, S> { re, im: zero }.write(bins, 0);
            for bin in 1..=half {
                weighed(simd, Pair::read(points, bin), factors).write(bins, bin);
            }
            return;
        }
        Pair::<T, S> { re: T::plus(simd, re, im), im: zero }.write(bins, 0);
        Pair::<T, S> { re: T::minus(simd, re, im), im: zero }.write(bins, half);
        let halves = factors.times(T::one() / (T::one() + T::one()));
        for bin in 1..half.div_ceil(2) {
            let low = Pair::<T, S>::read(points, bin);
            let high = Pair::<T, S>::read(points, half - bin);
            // Twice the spectrum of even samples, and of odd ones.
            let even: Pair<T, S> =
                Pair { re: T::plus(simd, low.re, high.re), im: T::minus(simd, low.im, high.im) };
            let odd: Pair<T, S> =
                Pair { re: T::plus(simd, low.im, high.im), im: T::minus(simd, high.re, low.re) };
            let odd = odd.turned(simd, root(simd, self.roots[bin]));
            weighed(simd, even.plus(simd, odd), halves).write(bins, bin);
            weighed(simd, even.minus(simd, odd), halves.conjugate()).write(bins, half - bin);
        }
        if half.is_multiple_of(2) {
            let middle = Pair::<T, S>::read(points, half / 2);
            weighed(simd, middle, factors.conjugate()).write(bins, half / 2);
        }
    }

    /// Points of bins, their real and imaginary parts exchanged, so that a transform with a negative exponent leaves what one with a
    /// positive exponent would, exchanged again. Bins that stand for themselves have no imaginary parts: what they hold is no part of a
    /// real signal. The first of the factors is none of theirs.
    #[inline(always)]
    pub(super) fn to_points<S: Simd>(
        &self,
        simd: S,
        bins: &[T::Of<S>],
        points: &mut [T::Of<S>],
        factors: Factors<T>,
    ) {
        let (half, zero) = (self.samples / 2, T::all(simd, T::zero()));
        let first = Pair::<T, S>::read(bins, 0).re;
        if self.roots.is_empty() {
            Pair::<T, S> { re: zero, im: first }.write(points, 0);
            for bin in 1..=half {
                let Pair { re, im } = weighed(simd, Pair::<T, S>::read(bins, bin), factors);
                Pair::<T, S> { re: im, im: re }.write(points, bin);
                let im = T::minus(simd, zero, im);
                Pair::<T, S> { re: im, im: re }.write(points, self.samples - bin);
            }
            return;
        }
        let last = Pair::<T, S>::read(bins, half).re;
        let [sum, difference] = [T::plus(simd, first, last), T::minus(simd, first, last)];
        Pair::<T, S> { re: difference, im: sum }.write(points, 0);
        for bin in 1..half.div_ceil(2) {
            let low = weighed(simd, Pair::<T, S>::read(bins, bin), factors);
            let high = weighed(simd, Pair::<T, S>::read(bins, half - bin), factors);
            let even: Pair<T, S> =
                Pair { re: T::plus(simd, low.re, high.re), im: T::minus(simd, low.im, high.im) };
            let odd: Pair<T, S> =
                Pair { re: T::minus(simd, low.re, high.re), im: T::plus(simd, low.im, high.im) };
            let odd = odd.turned_back(simd, root(simd, self.roots[bin]));
            let [low, high] = [even.plus_i(simd, odd), even.minus_i(simd, odd)];
            Pair::<T, S> { re: low.im, im: low.re }.write(points, bin);
            let im = T::minus(simd, zero, high.im);
            Pair::<T, S> { re: im, im: high.re }.write(points, half - bin);
        }
        if half.is_multiple_of(2) {
            let twice = factors.times(T::one() + T::one()).conjugate();
            let Pair { re, im } = weighed(simd, Pair::<T, S>::read(bins, half / 2), twice);
            Pair::<T, S> { re: im, im: re }.write(points, half / 2);
        }
    }
}

/// A bin that stands for two, times its factors.
#[inline(always)]
fn weighed<T: Scalar, S: Simd>(simd: S, bin: Pair<T, S>, factors: Factors<T>) -> Pair<T, S> {
    let [re, im] = factors.others;
    Pair {
        re: T::times(simd, bin.re, T::all(simd, re)),
        im: T::times(simd, bin.im, T::all(simd, im)),
    }
}
