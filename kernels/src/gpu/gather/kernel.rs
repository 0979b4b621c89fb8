//! The kernels of sparse matrices: what is compiled into one.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Inner, IterationForm, MOST_ARGUMENTS, Runs, THREADS, Text};

use super::super::element::{Element, PRELUDE};
use super::super::formula::Formula;
use super::super::walk::Walk;
use super::super::{bands, cells, map};
use super::segments;
use super::spaces::Spaces;
use super::work::Work;
use crate::gather::{Facts, LONG, Marks, WORD, Weighting};
use crate::number::computed;

const ROW: &str = include_str!("../../source/gather_row.cl.h");
const TEXT: &str = include_str!("../../source/gather.cl.h");
const TEXT_LINE: &str = include_str!("../../source/gather_line.cl.h");
const TEXT_JOIN: &str = include_str!("../../source/gather_join.cl.h");
const TEXT_SHARED: &str = include_str!("../../source/gather_shared.cl.h");
const TEXT_SEGMENTS: &str = include_str!("../../source/gather_segments.cl.h");
const TEXT_MARKED: &str = include_str!("../../source/gather_marked.cl.h");
const TEXT_LONG: &str = include_str!("../../source/gather_long.cl.h");

/// A kernel for a sparse matrix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Variant {
    pub(in crate::gpu) dtype: DType,
    pub(in crate::gpu) formula: Formula,
    pub(in crate::gpu) runs: Runs,
    pub(in crate::gpu) wide: bool,
    /// The numbers of the other axes but the first, of the rows' axes and of the columns'.
    pub(in crate::gpu) ranks: [usize; 3],
    /// Whether places of the table have 64 bits.
    pub(in crate::gpu) table_wide: bool,
    /// Whether entries have weights, and whether these are complex.
    pub(in crate::gpu) weights: Option<bool>,
    pub(in crate::gpu) work: Work,
    /// Whether no place of a row is empty.
    pub(in crate::gpu) full: bool,
    /// Extents and strides, where they are too many to be arguments.
    pub(in crate::gpu) baked: Vec<isize>,
}

impl Variant {
    pub(super) fn new(
        dtype: DType,
        formula: &Formula,
        spaces: &Spaces,
        facts: &Facts,
        work: Work,
        constants: usize,
    ) -> Self {
        let outer = (spaces.others.extents.len() - 1).max(1);
        let arguments = spaces.numbers().count() + 4 + constants + 9;
        let baked = arguments > MOST_ARGUMENTS;
        Self {
            dtype,
            formula: formula.clone(),
            runs: spaces.runs.clone(),
            wide: spaces.wide,
            ranks: [outer, spaces.rows[0].len(), spaces.columns[0].len()],
            table_wide: facts.is_wide(),
            weights: match facts.weights {
                Weighting::Ones => None,
                Weighting::Real => Some(false),
                Weighting::Complex => Some(true),
            },
            work,
            full: facts.is_full(),
            baked: if baked { spaces.numbers().collect() } else { Vec::new() },
        }
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let element = Element(computed(self.dtype));
        let (y, x) = (vec![IterationForm::operand(0)], vec![IterationForm::operand(1)]);
        let both = [y.clone(), x.clone()].concat();
        let [outer, rows, columns] = self.ranks;
        let outer = Walk { tag: 'k', rank: outer, operands: &both, step: "1" };
        let rows = Walk { tag: 'r', rank: rows, operands: &y, step: "1" };
        let columns = Walk { tag: 'c', rank: columns, operands: &x, step: "1" };
        element.define(text);
        text.flag("WIDE", self.wide);
        let mut names = self.define_runs(&both, text);
        self.formula.define(text);
        outer.define("OUTER", "OUTER", text);
        rows.define("ROWS", "ROW", text);
        columns.define("COLUMNS", "COLUMN", text);
        text.flag("TABLE_WIDE", self.table_wide);
        text.flag("WEIGHTED", self.weights.is_some());
        let mut arrays = vec![("place", "indices")];
        let (mut count, mut long) = ("", None);
        match self.work {
            Work::Rows { places, at_once, runs, along, apart, skips } => {
                text.define("PLACES", places);
                text.flag("FULL", self.full);
                text.define("AT_ONCE", at_once);
                match apart {
                    0 => text.define("APART", "LSZ(RUN_DIM)"),
                    _ => text.define("APART", apart),
                }
                text.define("RUNS", runs);
                text.flag("ALONG", along);
                text.define("LONG", if skips { LONG } else { 0 });
                arrays.extend((places == 0).then_some(("place", "starts")));
            }
            Work::Shared { ways, skips } => {
                text.define("P", ways);
                text.define("THREADS", THREADS);
                text.define("LONG", if skips { LONG } else { 0 });
                arrays.push(("place", "starts"));
            }
            Work::Line { threads, columns, lines, places, taken, at_once, wide } => {
                text.define("LINE", columns);
                text.define("LINES", lines);
                text.define("TAKEN", taken);
                text.flag("FULL", self.full);
                text.define("W", wide[0]);
                text.define("WIDE_ALIGN", wide[1]);
                text.define("PLACES", places);
                text.define("AT_ONCE", at_once);
                text.define("THREADS", threads);
            }
            Work::Segments { tiling, wide } => {
                segments::define(tiling, wide, self.dtype, self.weights == Some(true), text);
                arrays = segments::ARRAYS.to_vec();
            }
            Work::Marked { marks, at_once } => {
                text.flag("PICKS", marks == Marks::Columns);
                text.define("WORD", WORD);
                text.define("AT_ONCE", at_once);
                arrays = vec![("marked", "marks")];
            }
            Work::Long { ways } => {
                text.define("P", ways);
                text.define("THREADS", THREADS);
                text.define("LONG_ROWS", "((idx)long_count)");
                arrays.push(("place", "starts"));
                (count, long) = (", i64 long_count", Some("long_rows"));
            }
        }
        names.extend([outer.names(), rows.names(), columns.names()].concat());
        for (name, value) in names.iter().zip(&self.baked) {
            text.define(name, format_args!("((idx){value})"));
        }
        if !self.baked.is_empty() {
            names.clear();
        }
        let mut others = names.iter().fold(String::new(), |text, name| text + ", idx " + name);
        others += &self.formula.declare(element);
        let declare = |(kind, name): &(&str, &str)| {
            format!(", const GLOBAL {kind}* RESTRICT {name}, i64 {name}_at")
        };
        others.extend(arrays.iter().map(declare));
        others.extend(long.iter().map(|name| declare(&("place", name))));
        others += count;
        arrays.extend(long.map(|name| ("place", name)));
        if self.weights.is_some() {
            others += &declare(&("weight", "factors"));
            arrays.push(("weight", "factors"));
        }
        let start = |(_, name): &(&str, &str)| format!(" {name} += {name}_at;");
        let prologue =
            self.formula.prologue(element) + &arrays.iter().map(start).collect::<String>();
        map::parameters(&map::Arrays::of_cells(&x), &others, &prologue, text);
    }

    /// The macros of runs, and of what arrays hold; the names of the first of the other axes' extent and strides.
    fn define_runs(&self, operands: &[String], text: &mut Text) -> Vec<String> {
        cells::define(self.dtype, &self.runs, operands, text);
        let mut names = vec!["n0".to_owned()];
        for (name, inner) in operands.iter().zip(self.runs.inner()) {
            let stride = format!("{name}_s0");
            match inner {
                Inner::Unit => text.define(stride, 1),
                Inner::Repeated => text.define(stride, 0),
                Inner::Apart => names.push(stride),
            }
        }
        names
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        text.add(cells::TEXT);
        bands::weights(self.weights == Some(true), &mut text);
        text.add(ROW);
        if matches!(self.work, Work::Shared { .. } | Work::Long { .. }) {
            text.add(TEXT_JOIN);
        }
        let (entry, source) = match self.work {
            Work::Rows { .. } => ("gather", TEXT),
            Work::Shared { .. } => ("gather_shared", TEXT_SHARED),
            Work::Line { .. } => ("gather_line", TEXT_LINE),
            Work::Marked { .. } => ("gather_marked", TEXT_MARKED),
            Work::Long { .. } => ("gather_long", TEXT_LONG),
            Work::Segments { .. } => ("gather_segments", TEXT_SEGMENTS),
        };
        text.add(source);
        let local_bytes = match self.work {
            Work::Segments { tiling, .. } => segments::local_bytes(tiling, self.dtype.bytes()),
            _ => 0,
        };
        Element(self.dtype).kernel(entry, text).with_local_bytes(local_bytes)
    }
}
