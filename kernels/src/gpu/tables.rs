//! The taps that are not straight code: those of special rows and of long filters.

use std::sync::Arc;

use arrayspan_bridge::devices::Stream;
use arrayspan_bridge::devices::vectors::reserve;
use arrayspan_bridge::{Array, DType, Element, Transfer};
use num_complex::{Complex32, Complex64};

use crate::band::Edges;
use crate::number::computed;
use crate::{Result, Stencil, Tap};

/// Common rows with more taps than this are loops over a table instead of straight code.
pub(super) const FEW: usize = 64;

/// Larger tables do not fit what devices keep for constants, and go into memory.
const MOST_CONSTANT_BYTES: usize = 48 << 10;

/// The taps of all bands that are not straight code, one after another.
#[derive(Debug)]
pub(super) struct Tables {
    /// Where the taps of each line of each band begin (line 0 the common row, if it is long; then the special ones;
    /// then the end of the last; of a band in pieces, a line is a piece), where each piece of those begins, and from
    /// `offsets` on the offset of each tap.
    pub(super) places: Vec<i64>,
    /// The weight of each tap.
    pub(super) factors: Vec<Complex64>,
    /// For each band, where its lines stand in `places`.
    pub(super) lines: Vec<usize>,
    /// For each band, where the first rows of its pieces stand in `places`, if it is in pieces.
    pub(super) begins: Vec<usize>,
    /// Where in `places` the offsets stand.
    pub(super) offsets: usize,
}

/// Tables in a device's memory: places and factors.
pub(super) type Uploaded = Arc<(Array, Array)>;

/// Whether the tables of a stencil are too large to be constants, when places are `wide` and the kernel has so many
/// stencils.
pub(super) fn in_memory(stencil: &Stencil, dtype: DType, wide: bool, of: usize) -> bool {
    let taps = |(_, band): &(usize, crate::Band)| -> usize {
        let Some(edges) = band.edges() else {
            return band.pieces().map(|(_, taps)| taps.len() + 2).sum();
        };
        let special: usize = edges.special().map(|row| row.len() + 1).sum();
        special + if is_long(edges) { edges.interior.len() } else { 0 }
    };
    let taps: usize = stencil.terms().iter().map(taps).sum();
    let place = if wide { size_of::<i64>() } else { size_of::<i32>() };
    taps * (place + computed(dtype).bytes()) > MOST_CONSTANT_BYTES / of
}

/// Whether a band's common row is a loop.
pub(super) fn is_long(band: &Edges) -> bool {
    band.interior.len() > FEW
}

impl Tables {
    pub(super) fn new(stencil: &Stencil) -> Self {
        let mut places: Vec<i64> = Vec::new();
        let (mut lines, mut begins) = (Vec::new(), Vec::new());
        let mut taps: Vec<Tap> = Vec::new();
        for (_, band) in stencil.terms() {
            lines.push(places.len());
            let mut add = |line: &[Tap]| {
                places.push(taps.len() as i64);
                taps.extend(line);
            };
            match band.edges() {
                Some(edges) => {
                    add(if is_long(edges) { &edges.interior } else { &[] });
                    edges.special().for_each(add);
                }
                None => band.pieces().for_each(|(_, taps)| add(taps)),
            }
            places.push(taps.len() as i64);
            begins.push(places.len());
            if band.edges().is_none() {
                places.extend(band.pieces().map(|(rows, _)| rows.start as i64));
            }
        }
        let offsets = places.len();
        places.extend(taps.iter().map(|tap| tap.offset as i64));
        let factors = taps.iter().map(|tap| tap.weight).collect();
        Self { places, factors, lines, begins, offsets }
    }

    /// Copies the tables to `stream`'s device; weights are `complex` or real numbers of `dtype`'s precision, places
    /// have 64 bits if they are `wide`, else 32.
    pub(super) fn upload(
        &self,
        dtype: DType,
        complex: bool,
        wide: bool,
        stream: &Stream,
    ) -> Result<Uploaded> {
        let factors = weights(self.factors.iter().copied(), dtype, complex, stream);
        let places = if wide {
            send(self.places.iter().copied(), stream)
        } else {
            // An index space that is not wide has no longer axis, and no tap reaches beyond its axis.
            send(self.places.iter().map(|place| *place as i32), stream)
        };
        Ok(Arc::new((places?, factors?)))
    }
}

/// Weights on `stream`'s device: `complex` or real numbers of `dtype`'s precision.
pub(super) fn weights(
    weights: impl Iterator<Item = Complex64>,
    dtype: DType,
    complex: bool,
    stream: &Stream,
) -> Result<Array> {
    let narrow = |weight: Complex64| Complex32::new(weight.re as f32, weight.im as f32);
    match (computed(dtype).real(), complex) {
        (DType::Float32, false) => send(weights.map(|weight| weight.re as f32), stream),
        (DType::Float32, true) => send(weights.map(narrow), stream),
        (_, false) => send(weights.map(|weight| weight.re), stream),
        (_, true) => send(weights, stream),
    }
}

pub(super) fn send<T: Element>(values: impl Iterator<Item = T>, stream: &Stream) -> Result<Array> {
    let mut list = Vec::new();
    reserve(&mut list, values.size_hint().0)?;
    list.extend(values);
    send_list(list, stream)
}

pub(super) fn send_list<T: Element>(list: Vec<T>, stream: &Stream) -> Result<Array> {
    let shape = [list.len()];
    let host = Array::from_vec(list, shape)?;
    Ok(host.into_device_with(stream.device(), Transfer::CopyIfNeeded, stream)?.0)
}
