//! The factors of a long filter on a device. All are computed in 64 bits.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::iteration::Text;
use arrayspan_bridge::{Array, DType};
use num_complex::Complex64;

use super::super::fft::root;
use super::super::tables::{Uploaded, weights};
use crate::filter::is_paired;
use crate::fourier::complex;
use crate::{Filter, Result};

/// Complex numbers that so many samples are.
pub(super) fn points(samples: usize, dtype: DType) -> usize {
    if is_paired(samples, dtype) { samples / 2 } else { samples }
}

/// Factors that make half a spectrum of that of pairs.
fn halves(samples: usize, dtype: DType) -> usize {
    if is_paired(samples, dtype) { samples / 4 + 1 } else { 0 }
}

/// Where the factors stand.
pub(super) fn define(samples: usize, dtype: DType, text: &mut Text) {
    let (points, halves) = (points(samples, dtype), halves(samples, dtype));
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
    let (points, halves) = (points(samples, dtype), halves(samples, dtype));
    let roots = (0..points).map(|k| root(k, points));
    let halves = (0..halves).map(|k| root(k, 2 * points));
    // Of pairs half a spectrum, else all of it.
    let of = if is_paired(samples, dtype) { dtype } else { complex(dtype) };
    let response = filter.response(samples, of, 1.0 / points as f64);
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
