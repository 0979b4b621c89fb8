//! Discrete cosine transforms of real lines, before and behind a transform to half a spectrum (Makhoul 1980): samples in another order, and
//! bins turned.

use std::f64::consts::TAU;

use num_complex::{Complex, Complex64};
use pulp::Simd;
use rustfft::FftNum;

use super::complex::{Pair, Root, root};
use super::factors::Factors;
use crate::host::scalar::Scalar;

/// What bins `k` of half a spectrum of `n` are multiplied by: `exp(-πi k / 2n)`.
pub(in crate::host) struct Cosines<T>(Vec<Complex<T>>);

impl<T: FftNum + Scalar> Cosines<T> {
    pub(super) fn new(points: usize) -> Self {
        let turn = |k: usize| {
            let turned = Complex64::from_polar(1.0, -TAU * k as f64 / (4 * points) as f64);
            Complex::new(T::rounded(turned.re.into()), T::rounded(turned.im.into()))
        };
        Self((0..=points / 2).map(turn).collect())
    }

    /// Even samples, then odd ones back to front.
    pub(super) fn order(samples: &[T], ordered: &mut [T]) {
        let (even, odd) = ordered.split_at_mut(samples.len().div_ceil(2));
        let (pairs, rest) = samples.as_chunks::<2>();
        for ((even, odd), pair) in even.iter_mut().zip(odd.iter_mut().rev()).zip(pairs) {
            (*even, *odd) = (pair[0], pair[1]);
        }
        if let ([last], Some(even)) = (rest, even.last_mut()) {
            *even = *last;
        }
    }

    /// The other way round.
    pub(super) fn order_back(ordered: &[T], samples: &mut [T]) {
        let (even, odd) = ordered.split_at(samples.len().div_ceil(2));
        let (pairs, rest) = samples.as_chunks_mut::<2>();
        for ((even, odd), pair) in even.iter().zip(odd.iter().rev()).zip(pairs) {
            *pair = [*even, *odd];
        }
        if let ([last], Some(even)) = (rest, even.last()) {
            *last = *even;
        }
    }

    /// Sums with cosines of half a spectrum: real and imaginary parts of what its bins are when they are turned. The first and all others
    /// times weights.
    pub(super) fn of_bins(&self, bins: &[Complex<T>], [first, inner]: [T; 2], cosines: &mut [T]) {
        let (n, half) = (cosines.len(), bins.len() - 1);
        cosines[0] = first * bins[0].re;
        let (low, high) = cosines.split_at_mut(n - n / 2);
        let all = bins[1..].iter().zip(&self.0[1..]);
        let high = high.iter_mut().rev();
        // Of an even number the bin in the middle gives one, which is the first of the upper half.
        for ((low, high), (bin, turn)) in low[1..].iter_mut().zip(high).zip(all) {
            *low = inner * (bin.re * turn.re - bin.im * turn.im);
            *high = T::zero() - inner * (bin.re * turn.im + bin.im * turn.re);
        }
        if half > 0 && n.is_multiple_of(2) {
            cosines[half] =
                inner * (bins[half].re * self.0[half].re - bins[half].im * self.0[half].im);
        }
    }

    /// Half the spectrum of the sum of cosines that many times, the first and all others times weights.
    pub(super) fn to_bins(&self, cosines: &[T], [first, inner]: [T; 2], bins: &mut [Complex<T>]) {
        let n = cosines.len();
        let half = inner * T::rounded(Complex64::new(0.5, 0.0));
        bins[0] = Complex::new(first * cosines[0], T::zero());
        let low = &cosines[1..];
        let high = cosines[n - n / 2..].iter().rev();
        for (((bin, turn), low), high) in bins[1..].iter_mut().zip(&self.0[1..]).zip(low).zip(high)
        {
            // (low - i high) times the conjugate of the turn.
            let (re, im) =
                (*low * turn.re - *high * turn.im, T::zero() - *low * turn.im - *high * turn.re);
            *bin = Complex::new(half * re, half * im);
        }
        if let (true, Some(middle)) = (n.is_multiple_of(2), bins.last_mut()) {
            middle.im = T::zero();
        }
    }
}

/// The same of several lines at once, whose bins are real and imaginary parts by turns.
impl<T: FftNum + Scalar> Cosines<T> {
    #[inline(always)]
    pub(super) fn of_bins_together<S: Simd>(
        &self,
        simd: S,
        bins: &[T::Of<S>],
        Factors { first, others: [inner, _] }: Factors<T>,
        (cosines, n): (&mut [T::Of<S>], usize),
    ) {
        let half = n / 2;
        cosines[0] = T::times(simd, T::all(simd, first), bins[0]);
        for k in 1..n.div_ceil(2) {
            let bin = Pair::<T, S>::read(bins, k).turned(simd, self.turn(simd, k));
            cosines[k] = T::times(simd, T::all(simd, inner), bin.re);
            cosines[n - k] = T::times(simd, T::all(simd, -inner), bin.im);
        }
        if n.is_multiple_of(2) {
            let bin = Pair::<T, S>::read(bins, half).turned(simd, self.turn(simd, half));
            cosines[half] = T::times(simd, T::all(simd, inner), bin.re);
        }
    }

    #[inline(always)]
    pub(super) fn to_bins_together<S: Simd>(
        &self,
        simd: S,
        (cosines, n): (&[T::Of<S>], usize),
        Factors { first, others: [inner, _] }: Factors<T>,
        bins: &mut [T::Of<S>],
    ) {
        let (half, zero) = (n / 2, T::all(simd, T::zero()));
        let weight = T::all(simd, inner / (T::one() + T::one()));
        Pair::<T, S> { re: T::times(simd, T::all(simd, first), cosines[0]), im: zero }
            .write(bins, 0);
        for k in 1..=half {
            let [low, high] = [cosines[k], T::minus(simd, zero, cosines[n - k])];
            let bin = Pair::<T, S> { re: low, im: high }.turned_back(simd, self.turn(simd, k));
            bin.times(simd, weight).write(bins, k);
        }
    }

    #[inline(always)]
    fn turn<S: Simd>(&self, simd: S, bin: usize) -> Root<T, S> {
        let Complex { re, im } = self.0[bin];
        root(simd, [re, im])
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use realfft::RealFftPlanner;

    use super::*;

    /// `w[k] cos(π k (2j + 1) / 2n)`
    fn factor(n: usize, k: usize, j: usize, [first, inner]: [f64; 2]) -> f64 {
        let weight = if k == 0 { first } else { inner };
        weight * (PI * (k * (2 * j + 1)) as f64 / (2 * n) as f64).cos()
    }

    #[test]
    fn lines_of_every_length_are_what_the_matrix_says() {
        for n in 1..20 {
            let (cosines, weights) = (Cosines::<f64>::new(n), [1.5, 0.75]);
            let x: Vec<f64> =
                (0..n).map(|j| (3 * j + 1) as f64 / 7.0 - j as f64 * j as f64).collect();
            let mut ordered = vec![0.0; n];
            let mut bins = vec![Complex64::default(); n / 2 + 1];
            let near = |a: &[f64], b: &dyn Fn(usize) -> f64| {
                let off = a.iter().enumerate().map(|(at, a)| (a - b(at)).abs()).fold(0.0, f64::max);
                assert!(off < 1e-11, "{n} points: {off}");
            };

            Cosines::order(&x, &mut ordered);
            RealFftPlanner::new().plan_fft_forward(n).process(&mut ordered, &mut bins).unwrap();
            let mut y = vec![0.0; n];
            cosines.of_bins(&bins, weights, &mut y);
            near(&y, &|k| (0..n).map(|j| factor(n, k, j, weights) * x[j]).sum());

            cosines.to_bins(&x, weights, &mut bins);
            RealFftPlanner::new().plan_fft_inverse(n).process(&mut bins, &mut ordered).unwrap();
            Cosines::order_back(&ordered, &mut y);
            near(&y, &|j| (0..n).map(|k| factor(n, k, j, weights) * x[k]).sum());
        }
    }
}
