//! Sections of traces as grey pictures, side by side, time downwards.

use std::f64::consts::PI;
use std::path::Path;

use ndarray::{Array2, Axis, concatenate};

use super::{Failure, picture};

/// Columns between two sections.
const GAP: usize = 4;

/// A Ricker wavelet, so many cycles of its peak frequency from its middle.
pub(crate) fn ricker(cycles: f64) -> f64 {
    let a = (PI * cycles).powi(2);
    (1.0 - 2.0 * a) * (-a).exp()
}

/// The signal to noise ratio in decibels, beside the true section.
pub(crate) fn ratio(truth: &Array2<f64>, found: &Array2<f64>) -> f64 {
    let power = |section: &Array2<f64>| section.iter().map(|value| value * value).sum::<f64>();
    10.0 * (power(truth) / power(&(truth - found))).log10()
}

/// Writes sections, a trace a row, on one scale: `most` is white, and `-most` black.
pub(crate) fn write(path: &Path, sections: &[&Array2<f64>], most: f64) -> Result<(), Failure> {
    let most = most.max(f64::MIN_POSITIVE);
    let mut columns: Vec<Array2<f64>> = Vec::new();
    for section in sections {
        if !columns.is_empty() {
            columns.push(Array2::ones((section.ncols(), GAP)));
        }
        columns.push(section.t().mapv(|value| 0.5 + 0.5 * value / most));
    }
    let views: Vec<_> = columns.iter().map(|columns| columns.view()).collect();
    picture::write(path, &concatenate(Axis(1), &views)?)
}

/// The amplitude that one in a hundred samples exceeds.
pub(crate) fn loud(section: &Array2<f64>) -> f64 {
    let mut sizes: Vec<f64> = section.iter().map(|value| value.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.get(sizes.len() * 99 / 100).copied().unwrap_or(0.0)
}
