//! The factors of a long filter on a device. All are computed in 64 bits.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::iteration::Text;
use arrayspan_bridge::{Array, DType};
use num_complex::Complex64;

use super::super::fft::root;
use super::super::tables::{Uploaded, weights};
use crate::{Filter, Result};

/// Complex numbers that so many samples are.
pub(super) fn points(samples: usize, dtype: DType) -> usize {
    if dtype.is_complex() { samples } else { samples / 2 }
}

/// Where the factors stand.
pub(super) fn define(points: usize, dtype: DType, text: &mut Text) {
    let halves = if dtype.is_complex() { 0 } else { points / 2 + 1 };
    text.define("ROOTS_AT", 0);
    text.define("HALVES_AT", points);
    text.define("RESPONSE_AT", points + halves);
}

/// Copies the roots of one, those that halve the spectrum of real lines, and the filter's spectrum to `stream`'s device.
pub(in crate::gpu) fn upload(
    filter: &Filter,
    samples: usize,
    dtype: DType,
    stream: &Stream,
) -> Result<Uploaded> {
    let points = points(samples, dtype);
    let halves = if dtype.is_complex() { 0 } else { points / 2 + 1 };
    let roots = (0..points).map(|k| root(k, points));
    let halves = (0..halves).map(|k| root(k, 2 * points));
    let response = filter.response(samples, dtype, 1.0 / points as f64);
    uploaded(roots.chain(halves).chain(response), dtype, stream)
}

/// Copies complex numbers to `stream`'s device.
pub(super) fn uploaded(
    factors: impl Iterator<Item = Complex64>,
    dtype: DType,
    stream: &Stream,
) -> Result<Uploaded> {
    let all: Vec<Complex64> = factors.collect();
    let factors = weights(all.into_iter(), dtype, true, stream)?;
    Ok(Arc::new((Array::empty([0], DType::Int32, stream)?, factors)))
}
