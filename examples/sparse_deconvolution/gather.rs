//! A gather of traces that is made up.

use std::f64::consts::PI;

use ndarray::Array2;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Traces and samples of the generated gather.
const GENERATED: (usize, usize) = (120, 500);

/// A Ricker wavelet of a sum of squares of 1, centred: `(1 - 2 a) exp(-a)` with `a = (π f t)²`.
pub fn wavelet(step: f64, peak: f64) -> Result<Vec<f64>, String> {
    if !(step > 0.0 && peak > 0.0 && step * peak < 0.5) {
        return Err(format!(
            "--step {step} --peak {peak}: two samples a period at least are needed"
        ));
    }
    let half = (1.5 / (peak * step)).ceil() as i32;
    let value = |sample: i32| {
        let a = (PI * peak * step * f64::from(sample)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    };
    let wavelet: Vec<f64> = (-half..=half).map(value).collect();
    let size = wavelet.iter().map(|value| value * value).sum::<f64>().sqrt();
    Ok(wavelet.into_iter().map(|value| value / size).collect())
}

/// Reflections from a few flat and dipping layers, with the wavelet, and noise.
pub fn generate(wavelet: &[f64]) -> Array2<f64> {
    let (traces, samples) = GENERATED;
    let mut random = StdRng::seed_from_u64(1);
    let mut data = Array2::zeros(GENERATED);
    for _ in 0..14 {
        let (top, dip) = (random.random_range(20.0..460.0), random.random_range(-0.25..0.25));
        let strength: f64 = random.random_range(-1.0..1.0);
        for trace in 0..traces {
            let centre = (top + dip * trace as f64).round() as isize;
            for (k, value) in wavelet.iter().enumerate() {
                let at = centre + k as isize - wavelet.len() as isize / 2;
                if (0..samples as isize).contains(&at) {
                    data[(trace, at as usize)] += strength * value;
                }
            }
        }
    }
    data.mapv(|value: f64| value + random.random_range(-0.02..0.02))
}
