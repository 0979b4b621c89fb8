//! The kernel of long filters: what is compiled into it.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{MOST_ARGUMENTS, Text};

use super::super::element::{Element, PRELUDE};
use super::super::fft::{BUTTERFLY, CELLS, STAGE, aligned, numbers, stages};
use super::super::formula::Formula;
use super::super::map;
use super::super::walk::{Walk, unless_baked};
use super::tables;
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
    /// That of arrays.
    dtype: DType,
    formula: Formula,
    wide: bool,
    /// The number of the other axes.
    rank: usize,
    /// How the elements of `y` and `x` are aligned, in bytes.
    align: [usize; 2],
    /// Samples of a part, and its results.
    samples: usize,
    results: usize,
    taps: usize,
    /// Lines of a group, and elements from one to the next in local memory.
    lines: usize,
    pitch: usize,
    /// Whether neighbouring threads take several lines, where they store and where they load.
    across: [bool; 2],
    /// Extents and strides, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
}

impl Variant {
    /// That of a filter of such lines, of blocks at these addresses, on a device whose groups have so much local memory, with so
    /// many arguments for the formula's constants.
    pub(in crate::gpu) fn new(
        (filter, dtype, extent): (&Filter, DType, usize),
        (lines, addresses): (&Lines, [usize; 2]),
        room: usize,
        (formula, constants): (Formula, usize),
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
        let aligned =
            |operand: usize| aligned(addresses[operand], lines.starts[operand], dtype.bytes());
        let arguments = 4 + 2 + 4 + 2 + 3 * lines.others.extents.len() + constants;
        Self {
            dtype,
            formula,
            wide: lines.wide,
            rank: lines.others.extents.len(),
            align: [aligned(0), aligned(1)],
            samples: blocks.samples,
            results: blocks.results,
            taps: filter.taps().len(),
            lines: together,
            pitch: points + usize::from(odd),
            across: lines.across,
            baked: if arguments > MOST_ARGUMENTS { numbers(lines).collect() } else { Vec::new() },
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
        let element = Element(complex(self.dtype));
        let operands = ["y".to_owned(), "x0".to_owned()];
        let lines = Walk { tag: 'k', rank: self.rank, operands: &operands, step: "1" };
        let (points, threads) = (self.points(), self.threads());
        element.define(text);
        text.flag("WIDE", self.wide);
        text.define("V", 1);
        text.define("ALIGN", self.dtype.real().bytes());
        self.formula.define(text);
        lines.define("USER_LINES", "LINE", text);
        let real = !self.dtype.is_complex();
        for (name, align) in [("Y", self.align[0]), ("X", self.align[1])] {
            text.flag(format_args!("{name}_REAL"), real);
            text.define(format_args!("{name}_ALIGN"), align);
        }
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
        let mut names = vec!["y_s".to_owned(), "x0_s".to_owned()];
        names.extend(lines.names());
        let names = unless_baked(names, &self.baked, text);
        let mut others = ", const GLOBAL factor* RESTRICT table, i64 table_at".to_owned();
        let each = ["before", "extent", "count", "blocks"]
            .into_iter()
            .chain(names.iter().map(String::as_str));
        others.extend(each.map(|name| format!(", idx {name}")));
        others += &self.formula.declare(element);
        let prologue = " table += table_at;".to_owned() + &self.formula.prologue(element);
        let inputs = ["x0".to_owned()];
        let arrays = map::Arrays { output: "y_cell", input: "x_cell", inputs: &inputs };
        map::parameters(&arrays, &others, &prologue, text);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        for part in [BUTTERFLY, CELLS, STAGE, TEXT] {
            text.add(part);
        }
        let bytes = self.local_bytes();
        let asked = if bytes > LOCAL { bytes } else { 0 };
        Element(complex(self.dtype)).kernel("filter", text).with_local_bytes(asked)
    }
}
