//! Images of ellipses, as heads are imitated by: read, or made up.

use std::path::Path;

use ndarray::Array2;
use ndarray_npy::read_npy;

use crate::common::{Failure, file};

/// Brightness, centre, half axes and turn in degrees of ellipses within ±1, added to each other: those of Shepp and Logan (1974) with the
/// contrast of Toft (1996).
const ELLIPSES: [[f64; 6]; 10] = [
    [1.0, 0.0, 0.0, 0.69, 0.92, 0.0],
    [-0.8, 0.0, -0.0184, 0.6624, 0.874, 0.0],
    [-0.2, 0.22, 0.0, 0.11, 0.31, -18.0],
    [-0.2, -0.22, 0.0, 0.16, 0.41, 18.0],
    [0.1, 0.0, 0.35, 0.21, 0.25, 0.0],
    [0.1, 0.0, 0.1, 0.046, 0.046, 0.0],
    [0.1, 0.0, -0.1, 0.046, 0.046, 0.0],
    [0.1, -0.08, -0.605, 0.046, 0.023, 0.0],
    [0.1, 0.0, -0.606, 0.023, 0.023, 0.0],
    [0.1, 0.06, -0.605, 0.023, 0.046, 0.0],
];

/// Brightness from 0 to 1.
pub(crate) fn read(path: &Path) -> Result<Array2<f64>, Failure> {
    let bytes = read_npy::<_, Array2<u8>>(path);
    let read = bytes.map(|image| image.mapv(|value| f64::from(value) / 255.0));
    Ok(file::finite("--image", path, read.or_else(|_| read_npy(path)))?)
}

/// That of Shepp and Logan.
pub(crate) fn generated() -> Array2<f64> {
    const SIDE: usize = 128;
    let at = |k: usize| (2 * k + 1) as f64 / SIDE as f64 - 1.0;
    Array2::from_shape_fn((SIDE, SIDE), |(row, column)| {
        let (x, y) = (at(column), -at(row));
        let inside = ELLIPSES.iter().filter(|[_, x0, y0, a, b, turn]| {
            let (sine, cosine) = turn.to_radians().sin_cos();
            let (x, y) = (x - x0, y - y0);
            ((x * cosine + y * sine) / a).hypot((y * cosine - x * sine) / b) <= 1.0
        });
        inside.map(|ellipse| ellipse[0]).sum()
    })
}
