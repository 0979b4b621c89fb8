//! Arrays of numbers from files that options name.

use std::fmt::Display;
use std::path::Path;

use ndarray::Array2;
use ndarray_npy::read_npy;

/// What a file of 32 or 64 bits holds: `FILE.npy`.
pub(crate) fn numbers(option: &str, path: &Path) -> Result<Array2<f64>, String> {
    let single = read_npy::<_, Array2<f32>>(path).map(|numbers| numbers.mapv(f64::from));
    finite(option, path, single.or_else(|_| read_npy(path)))
}

/// What was read from a file: some numbers, all finite.
pub(crate) fn finite<E: Display>(
    option: &str,
    path: &Path,
    read: Result<Array2<f64>, E>,
) -> Result<Array2<f64>, String> {
    let numbers = read.map_err(|error| format!("{option} {}: {error}", path.display()))?;
    if numbers.is_empty() || !numbers.iter().all(|value| value.is_finite()) {
        return Err(format!("{option} {}: it holds no finite numbers", path.display()));
    }
    Ok(numbers)
}
