//! The kernels of running sums: what is compiled into one.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationForm, MOST_ARGUMENTS, Runs, Text};

use super::super::element::{Element, PRELUDE};
use super::super::formula::Formula;
use super::super::walk::{Walk, unless_baked};
use super::super::{cells, combine, map};
use super::spaces::Spaces;
use super::tiling::Tiling;
use crate::Scan;
use crate::number::computed;

const TEXT: &str = include_str!("../../source/scan.cl.h");
const TILES: &str = include_str!("../../source/scan_tiles.cl.h");
const LOOK_BACK: &str = include_str!("../../source/scan_back.cl.h");
const ALONG: &str = include_str!("../../source/scan_along.cl.h");
const ACROSS: &str = include_str!("../../source/scan_across.cl.h");

/// A kernel for running sums.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "each is a macro of the source")]
pub(in crate::gpu) struct Variant {
    pub(in crate::gpu) dtype: DType,
    pub(in crate::gpu) formula: Formula,
    pub(in crate::gpu) runs: Runs,
    pub(in crate::gpu) wide: bool,
    /// Whether tiles are along lines.
    pub(in crate::gpu) along: bool,
    /// The number of the lines' axes.
    pub(in crate::gpu) rank: usize,
    pub(in crate::gpu) backward: bool,
    /// Whether lines begin or end within runs.
    pub(in crate::gpu) edges: bool,
    pub(in crate::gpu) tiling: Tiling,
    /// Extents and strides, where they are too many to be arguments.
    pub(in crate::gpu) baked: Vec<isize>,
}

impl Variant {
    /// With so many arguments for the formula's constants.
    pub(in crate::gpu) fn new(
        dtype: DType,
        formula: Formula,
        spaces: &Spaces,
        tiling: Tiling,
        scan: &Scan,
        constants: usize,
    ) -> Self {
        let arguments = 4 + 3 + spaces.numbers().count() + constants + 3 + 2;
        let baked = arguments > MOST_ARGUMENTS;
        Self {
            dtype,
            formula,
            runs: spaces.runs.clone(),
            wide: spaces.wide,
            along: spaces.along,
            rank: spaces.others.extents.len(),
            backward: scan.is_backward(),
            edges: spaces.edges,
            tiling,
            baked: if baked { spaces.numbers().collect() } else { Vec::new() },
        }
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let element = Element(computed(self.dtype));
        let (y, x) = (IterationForm::operand(0), IterationForm::operand(1));
        let both = [y, x.clone()];
        let lines = Walk { tag: 'k', rank: self.rank, operands: &both, step: "1" };
        element.define(text);
        text.flag("WIDE", self.wide);
        cells::define(self.dtype, &self.runs, &both, text);
        self.formula.define(text);
        lines.define("LINES", "LINE", text);
        let Tiling { threads, ways, each, resident, ahead, bunches } = self.tiling;
        let shared = self.tiling.is_shared();
        text.define("THREADS", threads);
        text.define("P", ways);
        text.define("E", each);
        text.define("RESIDENT", resident);
        text.define("COLUMNS", self.tiling.columns());
        text.flag("AHEAD", ahead);
        text.flag("BACKWARD", self.backward);
        text.flag("EDGES", self.edges);
        text.define("WAYS", bunches);
        text.flag(KernelSource::ACROSS_GROUPS, shared);
        let mut names = vec!["y_s".to_owned(), "x0_s".to_owned()];
        names.extend(lines.names());
        let names = unless_baked(names, &self.baked, text);
        let fixed = ["n", "x0_first", "y_first"].map(String::from);
        let mut others =
            fixed.iter().chain(&names).fold(String::new(), |text, name| text + ", idx " + name);
        others += &self.formula.declare(element);
        others += ", real diagonal, real corner, real coupling";
        if shared {
            others += ", GLOBAL unsigned char* states, i64 half_words";
        }
        let prologue = self.formula.prologue(element);
        map::parameters(&map::Arrays::of_cells(&[x]), &others, &prologue, text);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        text.add(cells::TEXT);
        text.add(TEXT);
        if self.tiling.is_shared() {
            text.add(combine::WORDS);
            text.add(LOOK_BACK);
        }
        let (entry, source) =
            if self.along { ("scan_along", ALONG) } else { ("scan_across", ACROSS) };
        text.add(source);
        text.add(TILES);
        Element(self.dtype).kernel(entry, text)
    }
}
