//! Fourier transforms of few points, of several lines at once.

use pulp::Simd;

use super::complex::Pair;
use super::roots::part_of_circle;
use crate::host::scalar::Scalar;

/// A transform of `R` points with a negative exponent.
pub(super) trait Butterfly<T: Scalar, S: Simd, const R: usize>: Copy {
    fn apply(self, simd: S, points: [Pair<T, S>; R]) -> [Pair<T, S>; R];
}

#[derive(Clone, Copy)]
pub(super) struct Two;

impl<T: Scalar, S: Simd> Butterfly<T, S, 2> for Two {
    #[inline(always)]
    fn apply(self, simd: S, [a, b]: [Pair<T, S>; 2]) -> [Pair<T, S>; 2] {
        [a.plus(simd, b), a.minus(simd, b)]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Four;

impl<T: Scalar, S: Simd> Butterfly<T, S, 4> for Four {
    #[inline(always)]
    fn apply(self, simd: S, [a, b, c, d]: [Pair<T, S>; 4]) -> [Pair<T, S>; 4] {
        let [even, even_less] = [a.plus(simd, c), a.minus(simd, c)];
        let [odd, odd_less] = [b.plus(simd, d), b.minus(simd, d)];
        [
            even.plus(simd, odd),
            even_less.minus_i(simd, odd_less),
            even.minus(simd, odd),
            even_less.plus_i(simd, odd_less),
        ]
    }
}

// Loops, not closures: these are not always inlined where vector instructions are enabled.

/// An odd number of points `R = 2 H + 1`: sums and differences of points that lie as far from the first, on either side.
#[derive(Clone, Copy)]
pub(super) struct Odd<T: Scalar, S: Simd, const H: usize> {
    /// Cosines and sines of whole multiples of a part of the circle.
    cosines: [T::Of<S>; H],
    sines: [T::Of<S>; H],
    /// The sines, with the other sign.
    opposite: [T::Of<S>; H],
}

impl<T: Scalar, S: Simd, const H: usize> Odd<T, S, H> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        let none = T::all(simd, T::zero());
        let mut new = Self { cosines: [none; H], sines: [none; H], opposite: [none; H] };
        for at in 0..H {
            let [cosine, opposite]: [T; 2] = part_of_circle(at + 1, 2 * H + 1);
            new.cosines[at] = T::all(simd, cosine);
            new.sines[at] = T::all(simd, -opposite);
            new.opposite[at] = T::all(simd, opposite);
        }
        new
    }

    /// The cosine of so many parts of the circle, not a multiple of all.
    #[inline(always)]
    fn cosine(&self, parts: usize) -> T::Of<S> {
        let parts = parts % (2 * H + 1);
        self.cosines[parts.min(2 * H + 1 - parts) - 1]
    }

    /// The sine.
    #[inline(always)]
    fn sine(&self, parts: usize) -> T::Of<S> {
        let parts = parts % (2 * H + 1);
        if parts <= H { self.sines[parts - 1] } else { self.opposite[2 * H - parts] }
    }
}

macro_rules! odd {
    ($($radix:literal $half:literal;)*) => {$(
        impl<T: Scalar, S: Simd> Butterfly<T, S, $radix> for Odd<T, S, $half> {
            #[inline(always)]
            fn apply(self, simd: S, points: [Pair<T, S>; $radix]) -> [Pair<T, S>; $radix] {
                let first = points[0];
                let [mut sums, mut differences] = [[first; $half]; 2];
                let mut results = [first; $radix];
                for j in 0..$half {
                    sums[j] = points[j + 1].plus(simd, points[$radix - 1 - j]);
                    differences[j] = points[j + 1].minus(simd, points[$radix - 1 - j]);
                    results[0] = results[0].plus(simd, sums[j]);
                }
                for k in 1..=$half {
                    let mut even = first.plus_times(simd, self.cosine(k), sums[0]);
                    let mut odd = differences[0].times(simd, self.sine(k));
                    for (j, (sum, difference)) in sums.into_iter().zip(differences).enumerate().skip(1) {
                        even = even.plus_times(simd, self.cosine((j + 1) * k), sum);
                        odd = odd.plus_times(simd, self.sine((j + 1) * k), difference);
                    }
                    results[k] = even.minus_i(simd, odd);
                    results[$radix - k] = even.plus_i(simd, odd);
                }
                results
            }
        }
    )*};
}

odd! { 3 1; 5 2; 7 3; 11 5; 13 6; }
