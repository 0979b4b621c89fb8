//! The kernel of long filters whose blocks are transformed in local memory.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::Text;

use super::super::fft::Steps;
use super::super::line_arrays::LineArrays;
use super::{PARAMETERS, Written, arrays, tables};
use crate::Filter;
use crate::filter::is_paired;
use crate::fourier::{LOCAL, Lines, complex};

const TEXT: &str = include_str!("../../source/filter.cl.h");

/// Threads of a group at most.
const MOST_THREADS: usize = 512;

/// Lines that a group takes at most where they do not lie side by side, and bytes of neighbours where they do.
const TOGETHER: usize = 4;
const BESIDE: usize = 512;

/// A long filter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Variant {
    pub(super) arrays: LineArrays,
    /// That of arrays.
    dtype: DType,
    /// Samples of a part, and its results.
    samples: usize,
    results: usize,
    overlap: usize,
    steps: Steps,
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
        let most = (room / held).min(if side_by_side { BESIDE / dtype.bytes() } else { TOGETHER });
        let together = most.min(lines.count().next_power_of_two()).max(1);
        let threads = if side_by_side { MOST_THREADS } else { MOST_THREADS / 2 };
        let steps = Steps::new(points, together, (room, element), threads);
        // Blocks may begin anywhere.
        let pairs = |operand: usize| {
            let aligned = addresses[operand].is_multiple_of(element);
            aligned && filter.points().is_some() && lines.are_in_pairs(operand)
        };
        Self {
            arrays: arrays(dtype, (lines, addresses), written).in_pairs([pairs(0), pairs(1)]),
            dtype,
            samples: blocks.samples,
            results: blocks.results,
            overlap: filter.overlap(),
            steps,
            across: lines.across,
        }
    }

    /// Samples of a part.
    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    /// Parts of each of so many lines of that extent, groups that take them, and the threads of each.
    pub(super) fn groups(&self, lines: usize, extent: usize) -> [usize; 3] {
        let parts = extent.div_ceil(self.results);
        [parts, lines.div_ceil(self.steps.lines).saturating_mul(parts), self.steps.threads]
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let lines = self.steps.lines;
        self.arrays.define(&PARAMETERS, text);
        text.define("RESULTS", self.results);
        self.steps.define(text);
        text.flag("PAIRS", is_paired(self.samples, self.dtype));
        text.define("OVERLAP", self.overlap);
        text.flag("STORE_ACROSS", self.across[0] && lines > 1);
        text.flag("LOAD_ACROSS", self.across[1] && lines > 1);
        tables::define(self.samples, self.dtype, text);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        self.steps.add(&mut text);
        text.add(TEXT);
        let asked = self.steps.asked_bytes();
        self.arrays.element().kernel("filter", text).with_local_bytes(asked)
    }
}
