//! The kernel of long filters whose samples threads hold: of 32-bit numbers, and of no more taps than half of what a group holds.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation, Stream};
use arrayspan_bridge::iteration::Text;

use super::super::element::PRELUDE;
use super::super::fft::{BUTTERFLY, CELLS, FACTOR, root};
use super::super::line_arrays::LineArrays;
use super::super::tables::Uploaded;
use super::{PARAMETERS, Written, arrays, tables};
use crate::filter::cost;
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

/// What it costs to move as many bytes again of what others need: on one H200, parts of one line beside others took four times as long
/// as those along memory.
const APART: f64 = 0.43;

/// A filter of samples that threads hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Held {
    pub(super) arrays: LineArrays,
    pub(super) parts: Parts,
}

/// How lines are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parts {
    radix: usize,
    taps: usize,
    /// Parts that are one signal.
    together: usize,
}

impl Held {
    /// That of a filter of such lines, of blocks at these addresses, with so many arguments for the formula's constants; `None` for
    /// wider numbers, or more taps.
    pub(in crate::gpu) fn new(
        (filter, dtype, extent): (&Filter, DType, usize),
        lines: (&Lines, [usize; 2]),
        written: &Written,
    ) -> Option<Self> {
        if dtype.real() != DType::Float32 || filter.points().is_some() {
            return None;
        }
        let (taps, across) = (filter.taps().len(), lines.0.across.contains(&true));
        let together = if dtype.is_complex() { 1 } else { 2 };
        let all = RADICES.map(|radix| Parts { radix, taps, together });
        let cost = |parts: &Parts| {
            let beside = across.then(|| parts.lines() * dtype.bytes());
            cost(parts.count(extent), parts.points(), beside, APART)
        };
        let fitting = all.into_iter().filter(|parts| 2 * (taps - 1) <= parts.points());
        let parts = fitting.min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        Some(Self { arrays: arrays(dtype, lines, written), parts })
    }
}

impl Parts {
    /// Samples of each.
    pub(super) fn points(self) -> usize {
        THREADS * self.radix
    }

    /// Lines of a group.
    fn lines(self) -> usize {
        EACH / self.radix
    }

    fn results(self) -> usize {
        self.points() + 1 - self.taps
    }

    /// Signals of a line of that extent.
    fn count(self, extent: usize) -> usize {
        extent.div_ceil(self.together * self.results())
    }

    /// Signals of each of so many lines of that extent, and groups that take them.
    pub(super) fn groups(self, lines: usize, extent: usize) -> [usize; 2] {
        let count = self.count(extent);
        [count, lines.div_ceil(self.lines()).saturating_mul(count)]
    }
}

impl Specialisation for Held {
    fn source(&self) -> KernelSource {
        let (mut text, parts) = (Text::default(), self.parts);
        self.arrays.define(&PARAMETERS, &mut text);
        text.define("RADIX", parts.radix);
        text.define("LINES", parts.lines());
        text.define("RESULTS", parts.results());
        text.define("TAPS", parts.taps);
        text.define("PARTS", parts.together);
        text.define("RESIDENT", RESIDENT);
        text.define("RESPONSE_AT", THREADS + EACH);
        text.add(PRELUDE);
        for part in [BUTTERFLY, CELLS, FACTOR, TEXT] {
            text.add(part);
        }
        self.arrays.element().kernel("filter_held", text)
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
        let pairs = (0..radix).flat_map(|k| (0..EACH).map(move |l| (k, l)));
        pairs.map(move |(k, l)| k + radix * (l + EACH * m))
    });
    let response = of_threads.map(|bin| bins[bin]);
    let roots = (0..THREADS).map(|t| root(t, points));
    let inner = (0..EACH).map(|u| root(u, THREADS));
    tables::uploaded(roots.chain(inner).chain(response), dtype, stream)
}
