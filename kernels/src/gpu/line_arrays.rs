//! What kernels that take whole lines of an array have in common: Fourier transforms, and filters by these.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::{MOST_ARGUMENTS, Text};

use super::element::Element;
use super::formula::Formula;
use super::map;
use super::walk::{Walk, unless_baked};
use crate::fourier::Lines;

const OPERANDS: [&str; 2] = ["y", "x0"];

/// The arrays of such a kernel, their lines, and what becomes of results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LineArrays {
    /// That of complex numbers of the precision.
    pub(super) dtype: DType,
    formula: Formula,
    wide: bool,
    /// The number of the other axes.
    rank: usize,
    /// Those of `y` and `x` that are real.
    real: [bool; 2],
    /// How their elements are aligned, in bytes.
    align: [usize; 2],
    /// Whether elements 2 k and 2 k + 1 of their lines are next to each other, aligned as one.
    pairs: [bool; 2],
    /// Whether elements of their lines follow each other and are taken in that order, as many as there are points.
    plain: [bool; 2],
    /// Extents and strides, where they are too many to be arguments.
    baked: Vec<isize>,
}

/// Parameters behind the arrays.
pub(super) struct Parameters<'p> {
    /// Indices before the extents and strides.
    pub(super) indices: &'p [&'p str],
    /// Whether factors are read from a table.
    pub(super) table: bool,
    /// Real numbers behind the extents and strides.
    pub(super) numbers: &'p [&'p str],
}

impl LineArrays {
    /// Those of a kernel with so many arguments beside the extents and strides of lines; `wide` if places need 64 bits.
    pub(super) fn new(
        dtype: DType,
        (lines, wide): (&Lines, bool),
        (real, align): ([bool; 2], [usize; 2]),
        (formula, arguments): (Formula, usize),
    ) -> Self {
        let rank = lines.others.extents.len();
        let baked = arguments + 3 * rank > MOST_ARGUMENTS;
        let baked = if baked { numbers(lines).collect() } else { Vec::new() };
        Self {
            dtype,
            formula,
            wide,
            rank,
            real,
            align,
            pairs: [false; 2],
            plain: [false; 2],
            baked,
        }
    }

    /// The same where elements of real arrays are in pairs.
    pub(super) fn in_pairs(self, pairs: [bool; 2]) -> Self {
        let pairs = [0, 1].map(|operand| self.real[operand] && pairs[operand]);
        Self { pairs, ..self }
    }

    /// The same where elements are taken in their order.
    pub(super) fn in_order(self, plain: [bool; 2]) -> Self {
        Self { plain, ..self }
    }

    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    /// Whether extents and strides are arguments.
    pub(super) fn takes_numbers(&self) -> bool {
        self.baked.is_empty()
    }

    /// The element of their kernels.
    pub(super) fn element(&self) -> Element {
        Element(self.dtype)
    }

    /// The macros before the prelude that say what arrays hold, and the parameters.
    pub(super) fn define(&self, parameters: &Parameters<'_>, text: &mut Text) {
        let element = self.element();
        let operands = OPERANDS.map(str::to_owned);
        let lines = Walk { tag: 'k', rank: self.rank, operands: &operands, step: "1" };
        element.define(text);
        text.flag("WIDE", self.wide);
        text.define("V", 1);
        text.define("ALIGN", self.dtype.real().bytes());
        self.formula.define(text);
        lines.define("USER_LINES", "LINE", text);
        for (at, name) in ["Y", "X"].into_iter().enumerate() {
            text.flag(format_args!("{name}_REAL"), self.real[at]);
            text.define(format_args!("{name}_ALIGN"), self.align[at]);
            text.flag(format_args!("{name}_PAIRS"), self.pairs[at]);
            text.flag(format_args!("{name}_PLAIN"), self.plain[at]);
        }
        let mut names: Vec<String> = OPERANDS.map(|operand| format!("{operand}_s")).into();
        names.extend(lines.names());
        let names = unless_baked(names, &self.baked, text);
        let (mut others, mut prologue) = (String::new(), String::new());
        if parameters.table {
            others += ", const GLOBAL factor* RESTRICT table, i64 table_at";
            prologue += " table += table_at;";
        }
        let indices = parameters.indices.iter().copied().chain(names.iter().map(String::as_str));
        others.extend(indices.map(|name| format!(", idx {name}")));
        others.extend(parameters.numbers.iter().map(|name| format!(", real {name}")));
        others += &self.formula.declare(element);
        prologue += &self.formula.prologue(element);
        let arrays = map::Arrays { output: "y_cell", input: "x_cell", inputs: &operands[1..] };
        map::parameters(&arrays, &others, &prologue, text);
    }
}

/// The strides of lines, and the extents and strides of the other axes.
pub(super) fn numbers(lines: &Lines) -> impl Iterator<Item = isize> {
    lines.strides.into_iter().chain(Walk::numbers(&lines.others))
}
