//! The kernel of long filters whose samples threads hold: of 32-bit numbers, and of no more taps than half of what a group holds.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation, Stream};
use arrayspan_bridge::iteration::Text;

use super::super::element::PRELUDE;
use super::super::fft::{BUTTERFLY, CELLS, FACTOR, root};
use super::super::tables::Uploaded;
use super::signature::{Signature, Written};
use super::tables;
use crate::fourier::{Lines, complex};
use crate::{Filter, Result};

const TEXT: &str = include_str!("../../source/filter_held.cl.h");

/// Threads of a group, and the numbers that each has at a time.
pub(super) const THREADS: usize = 256;
const EACH: usize = 16;

/// What a thread may have of each line at first.
const RADICES: [usize; 5] = [1, 2, 4, 8, 16];

/// Groups that a processor is to hold at once.
const RESIDENT: usize = 2;

/// What loads, stores and the product cost beside a bit of the points.
const PASSES: f64 = 6.0;

/// Bytes that memory moves at once, and what it costs to move as many again of what others need: on one H200, parts of one line beside
/// others took four times as long as those along memory.
const SIDE_BY_SIDE: usize = 32;
const APART: f64 = 0.43;

/// A filter of samples that threads hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Held {
    signature: Signature,
    radix: usize,
    taps: usize,
}

impl Held {
    /// That of a filter of such lines, of blocks at these addresses, with so many arguments for the formula's constants; `None` for
    /// wider numbers, or more taps.
    pub(in crate::gpu) fn new(
        (filter, dtype, extent): (&Filter, DType, usize),
        (lines, addresses): (&Lines, [usize; 2]),
        formula: Written,
    ) -> Option<Self> {
        if dtype.real() != DType::Float32 {
            return None;
        }
        let signature = Signature::new(dtype, (lines, addresses), formula);
        let taps = filter.taps().len();
        let with = |radix| Self { signature: signature.clone(), radix, taps };
        let fitting = RADICES.into_iter().map(with).filter(|held| 2 * (taps - 1) <= held.points());
        let across = lines.across.contains(&true);
        let cost = |held: &Self| {
            let (points, beside) = (held.points() as f64, held.lines() * dtype.bytes());
            let apart = if across { (SIDE_BY_SIDE as f64 / beside as f64).max(1.0) } else { 1.0 };
            let moved = 1.0 + APART * (apart - 1.0);
            held.parts(extent) as f64 * points * (points.log2() + PASSES) * moved
        };
        fitting.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// Samples of a part.
    pub(super) fn points(&self) -> usize {
        THREADS * self.radix
    }

    /// Lines of a group.
    fn lines(&self) -> usize {
        EACH / self.radix
    }

    /// Parts that are one signal.
    fn together(&self) -> usize {
        if self.signature.dtype.is_complex() { 1 } else { 2 }
    }

    fn results(&self) -> usize {
        self.points() + 1 - self.taps
    }

    fn parts(&self, extent: usize) -> usize {
        extent.div_ceil(self.together() * self.results())
    }

    /// Parts of each of so many lines of that extent, and groups that take them.
    pub(super) fn groups(&self, lines: usize, extent: usize) -> [usize; 2] {
        let parts = self.parts(extent);
        [parts, lines.div_ceil(self.lines()).saturating_mul(parts)]
    }

    /// Whether extents and strides are arguments.
    pub(super) fn takes_numbers(&self) -> bool {
        self.signature.baked.is_empty()
    }
}

impl Specialisation for Held {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.signature.define(&mut text);
        text.define("RADIX", self.radix);
        text.define("LINES", self.lines());
        text.define("RESULTS", self.results());
        text.define("TAPS", self.taps);
        text.define("PARTS", self.together());
        text.define("RESIDENT", RESIDENT);
        text.define("RESPONSE_AT", THREADS + EACH);
        text.add(PRELUDE);
        for part in [BUTTERFLY, CELLS, FACTOR, TEXT] {
            text.add(part);
        }
        self.signature.element().kernel("filter_held", text)
    }
}

/// Copies the roots of one and the filter's spectrum for blocks of so many points to `stream`'s device, in the order in which
/// threads take them.
pub(in crate::gpu) fn upload(
    filter: &Filter,
    points: usize,
    dtype: DType,
    stream: &Stream,
) -> Result<Uploaded> {
    let radix = points / THREADS;
    let bins = filter.response(points, complex(dtype), 1.0 / points as f64);
    let of_threads = (0..EACH).flat_map(|m| {
        let [sets, each] = [0..radix, 0..EACH];
        sets.flat_map(move |k| each.clone().map(move |l| k + radix * (l + EACH * m)))
    });
    let response = of_threads.map(|bin| bins[bin]);
    let roots = (0..THREADS).map(|t| root(t, points));
    let inner = (0..EACH).map(|u| root(u, THREADS));
    tables::uploaded(roots.chain(inner).chain(response), dtype, stream)
}
