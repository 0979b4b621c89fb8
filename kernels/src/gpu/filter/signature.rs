//! What the kernels of long filters have in common: arrays, lines, the formula, and the parameters of all that.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::{MOST_ARGUMENTS, Text};

use super::super::element::Element;
use super::super::fft::{aligned, numbers};
use super::super::formula::Formula;
use super::super::map;
use super::super::walk::{Walk, unless_baked};
use crate::fourier::{Lines, complex};

/// What such a kernel is compiled for, whatever its blocks are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Signature {
    /// That of arrays.
    pub(super) dtype: DType,
    formula: Formula,
    wide: bool,
    /// The number of the other axes.
    rank: usize,
    /// How the elements of `y` and `x` are aligned, in bytes.
    align: [usize; 2],
    /// Extents and strides, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
}

/// Those of a call: what is added to its results, and with how many arguments for constants.
pub(in crate::gpu) type Written = (Formula, usize);

impl Signature {
    /// That of such lines, of blocks of memory at these addresses.
    pub(super) fn new(
        dtype: DType,
        (lines, addresses): (&Lines, [usize; 2]),
        (formula, constants): Written,
    ) -> Self {
        let rank = lines.others.extents.len();
        let aligned =
            |operand: usize| aligned(addresses[operand], lines.starts[operand], dtype.bytes());
        let arguments = 4 + 2 + 4 + 2 + 3 * rank + constants;
        Self {
            dtype,
            formula,
            wide: lines.wide,
            rank,
            align: [aligned(0), aligned(1)],
            baked: if arguments > MOST_ARGUMENTS { numbers(lines).collect() } else { Vec::new() },
        }
    }

    /// Of one number in local memory.
    pub(super) fn element(&self) -> Element {
        Element(complex(self.dtype))
    }

    /// The macros before the prelude, but those of blocks.
    pub(super) fn define(&self, text: &mut Text) {
        let element = self.element();
        let operands = ["y".to_owned(), "x0".to_owned()];
        let lines = Walk { tag: 'k', rank: self.rank, operands: &operands, step: "1" };
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
