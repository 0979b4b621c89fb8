//! Discrete Fourier transforms.

use std::f64::consts::TAU;

use arrayspan_kernels::{Fourier, Signals, Update};
use num_complex::Complex64;

use super::tensor::{Expected, Tensor, indices};
use super::updated;

/// `y ← alpha · F x + beta · y`, line by line, as the formulas of [`Fourier`] say.
pub fn fft(fourier: &Fourier, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let (axis, n) = (fourier.axis(), fourier.points());
    let mut result = y.clone();
    let mut scale = vec![0.0; y.values.len()];
    let mut lines = y.shape.clone();
    lines[axis] = usize::from(!x.values.is_empty() || y.shape[axis] > 0);
    let [from, to] = fourier.extents();
    for line in indices(&lines) {
        let at = |k: usize| {
            let mut place = line.clone();
            place[axis] = k;
            place
        };
        let input: Vec<Complex64> = (0..from).map(|k| x.at(&at(k))).collect();
        let (output, size) = transform(fourier, &input);
        for (k, value) in output.into_iter().enumerate().take(to) {
            let place = at(k).iter().zip(&y.shape).fold(0, |at, (i, extent)| at * extent + i);
            (result.values[place], scale[place]) = updated(update, (value, size), y.values[place]);
        }
    }
    Expected { result, scale, terms: 2 * (n.ilog2() as usize + 2) }
}

/// One line, and the length of what goes into each of its sums: errors of a fast transform are a few roundings of that.
fn transform(fourier: &Fourier, x: &[Complex64]) -> (Vec<Complex64>, f64) {
    let (n, extent, bins) = (fourier.points(), fourier.extent(), fourier.bins());
    if fourier.signals() == Signals::Cosines {
        return cosines(fourier, x);
    }
    let [a, b] = fourier.turns();
    let sign = if fourier.is_positive() { 1.0 } else { -1.0 };
    let factor = |k: usize| fourier.scale() * fourier.weight(k);
    let mut signal = vec![Complex64::default(); n];
    if fourier.is_inverse() {
        for k in 0..bins {
            signal[k] = factor(k) * x[(k + bins - b) % bins];
        }
    } else {
        for j in 0..n.min(extent) {
            signal[j] = x[(j + a) % extent];
        }
    }
    let size = length(&signal);
    let sums = sums(&signal, sign);
    if !fourier.is_inverse() {
        let most = (0..bins).map(|k| factor(k).abs()).fold(0.0, f64::max);
        let spectrum = |m: usize| {
            let k = (m + b) % bins;
            factor(k) * sums[k]
        };
        return ((0..bins).map(spectrum).collect(), most * size);
    }
    let real = fourier.signals() != Signals::Complex;
    let mut samples = vec![Complex64::default(); extent];
    for j in 0..n.min(extent) {
        samples[(j + a) % extent] = if real { sums[j].re.into() } else { sums[j] };
    }
    (samples, size)
}

/// Sums with cosines, of which each is the real part of one of 4 n points.
fn cosines(fourier: &Fourier, x: &[Complex64]) -> (Vec<Complex64>, f64) {
    let (n, extent) = (fourier.points(), fourier.extent());
    let [a, b] = fourier.turns();
    let factor = |k: usize| fourier.scale() * fourier.weight(k);
    let (mut signal, mut result) = (vec![Complex64::default(); 4 * n], Vec::new());
    if fourier.is_inverse() {
        (0..n).for_each(|k| signal[k] = factor(k) * x[(k + n - b) % n]);
        let all = sums(&signal, 1.0);
        result.resize(extent, Complex64::default());
        for j in 0..n.min(extent) {
            result[(j + a) % extent] = all[2 * j + 1].re.into();
        }
        return (result, length(&signal));
    }
    (0..n.min(extent)).for_each(|j| signal[2 * j + 1] = x[(j + a) % extent]);
    let all = sums(&signal, 1.0);
    let bin = |m: usize| Complex64::from(factor((m + b) % n) * all[(m + b) % n].re);
    result.extend((0..n).map(bin));
    let most = (0..n).map(|k| factor(k).abs()).fold(0.0, f64::max);
    (result, most * length(&signal))
}

fn length(signal: &[Complex64]) -> f64 {
    signal.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}

/// `Σ x[j] exp(± 2πi j k / n)`: of the elements that leave each remainder by a factor of `n` first.
fn sums(x: &[Complex64], sign: f64) -> Vec<Complex64> {
    let n = x.len();
    let root = |k: usize| Complex64::from_polar(1.0, sign * TAU * ((k % n) as f64 / n as f64));
    let Some(factor) = (2..n).take_while(|p| p * p <= n).find(|p| n.is_multiple_of(*p)) else {
        let roots: Vec<Complex64> = (0..n).map(root).collect();
        let sum = |k: usize| (0..n).map(|j| x[j] * roots[j * k % n]).sum();
        return (0..n).map(sum).collect();
    };
    let part = |rest: usize| -> Vec<Complex64> {
        sums(&x.iter().copied().skip(rest).step_by(factor).collect::<Vec<_>>(), sign)
    };
    let parts: Vec<Vec<Complex64>> = (0..factor).map(part).collect();
    let sum =
        |k: usize| (0..factor).map(|rest| root(rest * k) * parts[rest][k % (n / factor)]).sum();
    (0..n).map(sum).collect()
}
