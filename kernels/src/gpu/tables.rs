//! The taps that are not straight code: those of special rows and of long filters.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::{Array, DType, Element, Transfer};
use num_complex::{Complex32, Complex64};

use crate::{Band, Result, Stencil, Tap};

/// Common rows with more taps than this are loops over a table instead of straight code.
pub(super) const FEW: usize = 64;

/// Larger tables do not fit what devices keep for constants, and go into memory.
const MOST_CONSTANT_BYTES: usize = 48 << 10;

/// The taps of all bands that are not straight code, one after another.
#[derive(Debug)]
pub(super) struct Tables {
    /// Where the taps of each line of each band begin (line 0 the common row, if it is long; then the special
    /// ones; then the end of the last), and from `offsets` on the offset of each tap.
    pub(super) places: Vec<i32>,
    /// The weight of each tap.
    pub(super) factors: Vec<Complex64>,
    /// For each band, where its lines stand in `places`.
    pub(super) lines: Vec<usize>,
    /// Where in `places` the offsets stand.
    pub(super) offsets: usize,
}

/// Tables in a device's memory: places and factors.
pub(super) type Uploaded = Arc<(Array, Array)>;

/// Whether the tables of a stencil are too large to be constants.
pub(super) fn in_memory(stencil: &Stencil, dtype: DType) -> bool {
    let taps = |(_, band): &(usize, Band)| -> usize {
        let special: usize = band.head().iter().chain(band.tail()).map(|row| row.len() + 1).sum();
        special + if is_long(band) { band.interior().len() } else { 0 }
    };
    let taps: usize = stencil.terms().iter().map(taps).sum();
    taps * (size_of::<i32>() + dtype.bytes()) > MOST_CONSTANT_BYTES
}

/// Whether a band's common row is a loop.
pub(super) fn is_long(band: &Band) -> bool {
    band.interior().len() > FEW
}

impl Tables {
    pub(super) fn new(stencil: &Stencil) -> Self {
        let mut places = Vec::new();
        let mut lines = Vec::new();
        let mut taps: Vec<Tap> = Vec::new();
        for (_, band) in stencil.terms() {
            lines.push(places.len());
            let common = if is_long(band) { band.interior() } else { &[] };
            let special = band.head().iter().chain(band.tail()).map(Vec::as_slice);
            for line in std::iter::once(common).chain(special) {
                places.push(taps.len() as i32);
                taps.extend(line);
            }
            places.push(taps.len() as i32);
        }
        let offsets = places.len();
        places.extend(taps.iter().map(|tap| tap.offset as i32));
        let factors = taps.iter().map(|tap| tap.weight).collect();
        Self { places, factors, lines, offsets }
    }

    /// Copies the tables to `stream`'s device; weights are `complex` or real numbers of `dtype`'s precision.
    pub(super) fn upload(&self, dtype: DType, complex: bool, stream: &Stream) -> Result<Uploaded> {
        let factors = || self.factors.iter().copied();
        let narrow = |weight: Complex64| Complex32::new(weight.re as f32, weight.im as f32);
        let factors = match (dtype.real(), complex) {
            (DType::Float32, false) => send(factors().map(|weight| weight.re as f32), stream),
            (DType::Float32, true) => send(factors().map(narrow), stream),
            (_, false) => send(factors().map(|weight| weight.re), stream),
            (_, true) => send(factors(), stream),
        };
        Ok(Arc::new((send(self.places.iter().copied(), stream)?, factors?)))
    }
}

fn send<T: Element>(values: impl Iterator<Item = T>, stream: &Stream) -> Result<Array> {
    let values: Vec<T> = values.collect();
    let shape = [values.len()];
    let host = Array::from_vec(values, shape)?;
    Ok(host.to_with(stream.device(), Transfer::CopyIfNeeded, stream)?.0)
}
