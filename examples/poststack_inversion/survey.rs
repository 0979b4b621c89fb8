//! What a survey would record: the wavelet, the noise, and what is known of the section beforehand.

use std::f64::consts::PI;

use ndarray::{Array2, Axis};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

/// Sampling interval in seconds.
pub const STEP: f64 = 0.004;
/// Peak frequency of the wavelet in hertz.
pub const PEAK: f64 = 20.0;
/// Samples of the wavelet on either side of its centre.
const HALF: i32 = 20;

/// A Ricker wavelet, centred: `(1 - 2 a) exp(-a)` with `a = (π f t)²`.
pub fn wavelet() -> Vec<f64> {
    let value = |sample: i32| {
        let a = (PI * PEAK * STEP * f64::from(sample)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    (-HALF..=HALF).map(value).collect()
}

/// Gaussian noise of a standard deviation of `level` times the root mean square of `data`.
pub fn noise(data: &Array2<f64>, level: f64, seed: u64) -> Array2<f64> {
    let mean_square = data.iter().map(|value| value * value).sum::<f64>() / data.len() as f64;
    let mut random = StdRng::seed_from_u64(seed);
    let deviation = level * mean_square.sqrt();
    Array2::from_shape_fn(data.dim(), |_| {
        let normal: f64 = StandardNormal.sample(&mut random);
        deviation * normal
    })
}

/// What is known beforehand: the section smoothed far below the wavelet's band, by a running mean along
/// both axes, three times.
pub fn background(section: &Array2<f64>) -> Array2<f64> {
    let mut smooth = section.clone();
    for _ in 0..3 {
        for axis in [Axis(0), Axis(1)] {
            let half = (smooth.len_of(axis) / 16).max(1);
            for mut line in smooth.lanes_mut(axis) {
                let sums: Vec<f64> = std::iter::once(0.0)
                    .chain(line.iter().scan(0.0, |sum, value| {
                        *sum += value;
                        Some(*sum)
                    }))
                    .collect();
                for i in 0..line.len() {
                    let (start, end) = (i.saturating_sub(half), (i + half + 1).min(line.len()));
                    line[i] = (sums[end] - sums[start]) / (end - start) as f64;
                }
            }
        }
    }
    smooth
}
