//! The section to invert: read from a file, or generated.

use std::fs::File;
use std::path::Path;

use ndarray::Array2;
use ndarray_npy::{NpzReader, ReadNpyExt, ReadableElement};

/// Reads a section of velocity or acoustic impedance: positive numbers, time or depth along the first axis.
pub fn read(path: &Path, key: &str) -> Result<Array2<f64>, String> {
    let fail = |why: String| format!("--model {}: {why}", path.display());
    let section = match path.extension().and_then(|ending| ending.to_str()) {
        Some("npz") => read_npz(path, key),
        Some("npy") => read_npy(path),
        _ => Err("expected a file ending in .npz or .npy".into()),
    };
    let section = section.map_err(fail)?;
    if section.nrows() < 3 || section.ncols() < 3 {
        return Err(fail(format!("shape {:?} is too small: 3 x 3 at least", section.shape())));
    }
    match section.iter().find(|value| !(value.is_finite() && **value > 0.0)) {
        Some(value) => Err(fail(format!("holds {value}; velocities and impedances are positive"))),
        None => Ok(section),
    }
}

fn read_npy(path: &Path) -> Result<Array2<f64>, String> {
    let open = || File::open(path).map_err(|error| error.to_string());
    either(Array2::<f64>::read_npy(open()?), || Ok(Array2::<f32>::read_npy(open()?)))
}

fn read_npz(path: &Path, key: &str) -> Result<Array2<f64>, String> {
    let open = || -> Result<_, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        NpzReader::new(file).map_err(|error| error.to_string())
    };
    let mut file = open()?;
    let names = file.names().map_err(|error| error.to_string())?;
    let plain = |name: &str| name.trim_end_matches(".npy").to_string();
    let Some(name) = names.iter().find(|name| plain(name) == key) else {
        let names: Vec<_> = names.iter().map(|name| plain(name)).collect();
        return Err(format!("no array '{key}' among {names:?}"));
    };
    either(by_name::<f64>(&mut file, name), || Ok(by_name::<f32>(&mut open()?, name)))
}

fn by_name<T: ReadableElement>(
    file: &mut NpzReader<File>,
    name: &str,
) -> Result<Array2<T>, ndarray_npy::ReadNpzError> {
    file.by_name(name)
}

/// The array in double precision or, failing that, in single; the first error if neither can be read.
fn either<E: std::fmt::Display>(
    double: Result<Array2<f64>, E>,
    single: impl FnOnce() -> Result<Result<Array2<f32>, E>, String>,
) -> Result<Array2<f64>, String> {
    match double {
        Ok(section) => Ok(section),
        Err(error) => match single()? {
            Ok(section) => Ok(section.mapv(f64::from)),
            Err(_) => Err(format!("not a 2-D array of floating-point numbers: {error}")),
        },
    }
}

/// Dipping layers of random impedance, some gently folded, cut by a fault, over a compaction trend; in
/// 10⁶ kg m⁻² s⁻¹.
pub fn generate(samples: usize, traces: usize) -> Array2<f64> {
    let layer = |number: i64| {
        // A fixed, scattered sequence: the same section on every machine.
        let scattered = (number.wrapping_mul(2_654_435_761) >> 7).rem_euclid(1000) as f64 / 1000.0;
        scattered - 0.5
    };
    Array2::from_shape_fn((samples, traces), |(sample, trace)| {
        let (depth, along) = (sample as f64 / samples as f64, trace as f64 / traces as f64);
        let fault = if along > 0.35 + 0.3 * depth { 0.06 } else { 0.0 };
        let fold = 0.03 * (6.0 * along).sin() * (1.0 - depth);
        let place = depth - 0.10 * along + fold + fault;
        let thick = (place * 14.0).floor() as i64;
        let thin = (place * 47.0).floor() as i64;
        let trend = 2.5 + 4.0 * depth;
        trend * (1.0 + 0.35 * layer(thick) + 0.12 * layer(thin + 1000))
    })
}
