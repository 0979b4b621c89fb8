//! Sections: read, or made up, and which of their traces there are.

use std::fs::File;
use std::path::Path;

use ndarray::Array2;
use ndarray_npy::{NpzReader, read_npy};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::common::section::ricker;
use crate::common::{Failure, file};

/// A section from a file.
pub(crate) fn read(path: &Path) -> Result<Array2<f64>, Failure> {
    let read = || -> Result<Array2<f64>, Failure> {
        if path.extension().is_some_and(|extension| extension == "npz") {
            return Ok(NpzReader::new(File::open(path)?)?.by_index(0)?);
        }
        Ok(read_npy(path)?)
    };
    Ok(file::finite("--section", path, read())?)
}

/// Reflections from layers that dip and bend, one of them broken.
pub(crate) fn generated() -> Array2<f64> {
    Array2::from_shape_fn((128, 160), |(trace, sample)| {
        let (x, t) = (trace as f64, sample as f64);
        let fault = if x > 70.0 { 9.0 } else { 0.0 };
        let layers = [
            (1.0, 25.0 + 0.15 * x),
            (-0.7, 60.0 + 8.0 * (x / 20.0).sin()),
            (0.8, 85.0 - 0.1 * x + fault),
            (-0.9, 125.0 + 6.0 * (x / 30.0).cos() + fault),
        ];
        layers.into_iter().map(|(strength, at)| strength * ricker(0.06 * (t - at))).sum()
    })
}

/// The traces that are left: the first and the last one, and others at random.
pub(crate) fn kept(traces: usize, missing: f64, seed: u64) -> Vec<usize> {
    let mut random = StdRng::seed_from_u64(seed);
    let is_kept =
        |trace: &usize| *trace == 0 || trace + 1 == traces || random.random::<f64>() >= missing;
    (0..traces).filter(is_kept).collect()
}
