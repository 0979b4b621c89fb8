//! The kernel of long filters whose blocks are transformed in local memory.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::Text;

use super::super::element::PRELUDE;
use super::super::fft::{BUTTERFLY, CELLS, FACTOR, STAGE, stages};
use super::super::line_arrays::LineArrays;
use super::{PARAMETERS, Written, arrays, tables};
use crate::Filter;
use crate::fourier::{LOCAL, Lines, complex};

const TEXT: &str = include_str!("../../source/filter.cl.h");

/// Points that a thread has at a time.
const EACH: usize = 16;

/// Lines that a group takes at most, where they do not lie side by side.
const TOGETHER: usize = 4;

/// A long filter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Variant {
    pub(super) arrays: LineArrays,
    /// That of arrays.
    dtype: DType,
    /// Samples of a part, and its results.
    samples: usize,
    results: usize,
    taps: usize,
    /// Lines of a group, and elements from one to the next in local memory.
    lines: usize,
    pitch: usize,
    /// Whether neighbouring threads take several lines, where they store and where they load.
    across: [bool; 2],
}

impl Variant {
    /// That of a filter of such lines, of blocks at these addresses, on a device whose groups have so much local memory, with so
    /// many arguments for the formula's constants.
    pub(in crate::gpu) fn new(
        (filter, dtype, extent): (&Filter, DType, usize),
        (lines, addresses): (&Lines, [usize; 2]),
        room: usize,
        written: &Written,
    ) -> Self {
        let side_by_side = lines.across.contains(&true);
        let room = if side_by_side { room } else { LOCAL };
        let blocks = filter.blocks(extent, dtype, (1 << room.ilog2(), side_by_side));
        let (points, element) = (tables::points(blocks.samples, dtype), complex(dtype).bytes());
        let held = points * element;
        let most = if side_by_side { room / held } else { (room / held).min(TOGETHER) };
        let together = most.min(lines.count().next_power_of_two()).max(1);
        // An odd number, if there is room for it, so that lines side by side are in different banks.
        let odd = together > 1 && together * (points + 1) * element <= room;
        Self {
            arrays: arrays(dtype, (lines, addresses), written),
            dtype,
            samples: blocks.samples,
            results: blocks.results,
            taps: filter.taps().len(),
            lines: together,
            pitch: points + usize::from(odd),
            across: lines.across,
        }
    }

    /// Samples of a part.
    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    fn points(&self) -> usize {
        tables::points(self.samples, self.dtype)
    }

    fn threads(&self) -> usize {
        (self.points() * self.lines / EACH).next_power_of_two().clamp(32, 512)
    }

    /// Parts of each of so many lines of that extent, groups that take them, and the threads of each.
    pub(super) fn groups(&self, lines: usize, extent: usize) -> [usize; 3] {
        let parts = extent.div_ceil(self.results);
        [parts, lines.div_ceil(self.lines).saturating_mul(parts), self.threads()]
    }

    fn local_bytes(&self) -> usize {
        self.lines * self.pitch * complex(self.dtype).bytes()
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let (points, threads) = (self.points(), self.threads());
        self.arrays.define(&PARAMETERS, text);
        text.define("SAMPLES", self.samples);
        text.define("RESULTS", self.results);
        text.define("POINTS", points);
        text.define("PITCH", self.pitch);
        text.define("THREADS", threads);
        text.define("LINES", self.lines);
        text.define("TAPS", self.taps);
        text.flag("STORE_ACROSS", self.across[0] && self.lines > 1);
        text.flag("LOAD_ACROSS", self.across[1] && self.lines > 1);
        text.flag("LARGE", self.local_bytes() > LOCAL);
        tables::define(points, self.dtype, text);
        text.define("STAGES", stages(points, self.lines, threads));
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        for part in [BUTTERFLY, CELLS, FACTOR, STAGE, TEXT] {
            text.add(part);
        }
        let bytes = self.local_bytes();
        let asked = if bytes > LOCAL { bytes } else { 0 };
        self.arrays.element().kernel("filter", text).with_local_bytes(asked)
    }
}
