//! Grey pictures: from files, to files, generated, and how noisy they are.

use std::path::Path;

use image::GrayImage;
use ndarray::Array2;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

use super::Failure;

/// That of `--image`, or the generated one.
pub(crate) fn given(image: Option<&Path>) -> Result<Array2<f64>, Failure> {
    let Some(path) = image else { return Ok(generated()) };
    read(path).map_err(|why| format!("--image {}: {why}", path.display()).into())
}

/// Brightness from 0 to 1.
fn read(path: &Path) -> Result<Array2<f64>, Failure> {
    let picture = image::open(path)?.into_luma8();
    let shape = (picture.height() as usize, picture.width() as usize);
    let values = picture.into_raw().into_iter().map(|value| f64::from(value) / 255.0).collect();
    Ok(Array2::from_shape_vec(shape, values)?)
}

/// A grey picture; black is 0, white is 1.
pub(crate) fn write(path: &Path, values: &Array2<f64>) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("--out {}: {error}", path.display()))?;
    }
    let (height, width) = values.dim();
    let bytes = values.iter().map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
    let picture = GrayImage::from_raw(width as u32, height as u32, bytes);
    let picture = picture.ok_or("the picture has no place in memory")?;
    picture.save(path).map_err(|error| format!("--out {}: {error}", path.display()).into())
}

/// Discs and stripes of a few shades.
fn generated() -> Array2<f64> {
    Array2::from_shape_fn((320, 240), |(row, column)| {
        let (y, x) = (row as f64 / 320.0, column as f64 / 240.0);
        let disc = (x - 0.5).hypot(y - 0.4) < 0.25;
        let inner = (x - 0.58).hypot(y - 0.34) < 0.1;
        let stripe = (8.0 * y + 2.0 * x) as i64 % 3 == 0;
        match (inner, disc, stripe) {
            (true, ..) => 0.95,
            (_, true, _) => 0.7,
            (.., true) => 0.45,
            _ => 0.2,
        }
    })
}

/// Normal numbers.
pub(crate) fn noise(shape: (usize, usize), deviation: f64, seed: u64) -> Array2<f64> {
    let mut random = StdRng::seed_from_u64(seed);
    Array2::from_shape_fn(shape, |_| {
        let normal: f64 = StandardNormal.sample(&mut random);
        deviation * normal
    })
}

/// The peak signal to noise ratio in decibels, beside a white of 1.
pub(crate) fn ratio(truth: &Array2<f64>, found: &Array2<f64>) -> f64 {
    let squares = (truth - found).iter().map(|value| value * value).sum::<f64>();
    -10.0 * (squares / truth.len() as f64).log10()
}
