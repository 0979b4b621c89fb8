//! The kernels of dense convolutions: what is compiled into one. That is the shape of the taps, not what they are.

use std::fmt::Write as _;

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{MOST_ARGUMENTS, Text};

use super::super::bands;
use super::super::element::{Element, PRELUDE};
use super::super::formula::Formula;
use super::super::map;
use super::super::walk::{Walk, unless_baked};
use super::numbers::Numbers;
use super::shape::Shape;
use super::tables::Order;
use super::{Layouts, Task};
use crate::convolution::vanishes;

const TEXT: &str = include_str!("../../source/convolve.cl.h");

/// Bytes of weights that a group holds in local memory, at most.
const HELD: usize = 16 << 10;

/// Names of numbers of the three axes of threads, and of what groups take.
const NUMBERS: [&str; 16] = [
    "n_a", "o_a", "y_a", "x_a", "n_m", "o_m", "y_m", "x_m", "n_l", "o_l", "y_l", "x_l", "planes",
    "parts", "tiles", "strips",
];

/// A kernel that convolves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) struct Variant {
    numbers: Numbers,
    formula: Formula,
    shape: Shape,
    /// The taps along each axis beyond those of threads, and which of the other axes it is.
    extra: Vec<(usize, usize)>,
    /// The number of the other axes.
    rank: usize,
    wide: bool,
    /// Whether neighbours along the lanes are neighbours in `x`.
    near: bool,
    /// Whether a weight may be zero.
    zeros: bool,
    /// Extents and strides, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
}

impl Variant {
    /// That of a call of such layouts and weights, with so many arguments for the formula's constants.
    pub(in crate::gpu) fn new(
        task: &Task<'_>,
        layouts: &Layouts,
        order: &Order,
        (formula, constants): (Formula, usize),
    ) -> Self {
        let Task { convolution, dtype, .. } = *task;
        let shape = order.shape;
        let extra: Vec<(usize, usize)> = order
            .roles
            .extras(convolution)
            .into_iter()
            .zip(layouts.extra.iter().copied())
            .collect();
        let [march, beside, along] = &layouts.axes;
        // Zeros that fill blocks up, or that are taps.
        let filled = shape.depth.all() > march.taps || shape.height.all() > beside.taps;
        let zeros = filled || convolution.taps().iter().any(|tap| vanishes(*tap, dtype));
        let numbers = layouts.numbers();
        let arguments = 6 + numbers.len() + extra.len() + constants;
        Self {
            numbers: Numbers::of(task),
            formula,
            shape,
            rank: layouts.others.extents.len(),
            wide: layouts.is_wide(&shape),
            near: along.strides[1] == 1,
            zeros,
            baked: if arguments > MOST_ARGUMENTS { numbers } else { Vec::new() },
            extra,
        }
    }

    pub(super) fn is_wide(&self) -> bool {
        self.wide
    }

    fn extras(&self) -> usize {
        self.extra.iter().map(|(taps, _)| taps).product()
    }

    /// The loops over taps along axes beyond those of threads, where they begin and end, the number of a tap and its place.
    fn define_extra(&self, text: &mut Text) {
        let [mut begin, mut at, mut place] = ["{".to_owned(), "0".to_owned(), "0".to_owned()];
        for (e, (taps, axis)) in self.extra.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(
                begin,
                " for (int q{e} = 0; q{e} < {taps}; q{e}++) {{ const idx z{e} = k{axis} + o_{e} - q{e}; if (z{e} < 0 || z{e} >= nk{axis}) continue;"
            );
            at = format!("({at} * {taps} + q{e})");
            let _ = write!(place, " + (o_{e} - q{e}) * x0_k{axis}");
        }
        text.define("EXTRA_BEGIN", begin);
        text.define("EXTRA_END", "}".repeat(self.extra.len() + 1));
        text.define("EXTRAS", self.extras());
        text.define("EXTRA_AT", at);
        text.define("EXTRA_PLACE", format_args!("({place})"));
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let (numbers, shape) = (self.numbers, &self.shape);
        let element = Element(numbers.dtype);
        element.define(text);
        text.flag("WIDE", self.wide);
        text.define("V", 1);
        text.define("ALIGN", numbers.dtype.real().bytes());
        self.formula.define(text);
        let operands = ["y".to_owned(), "x0".to_owned()];
        let others = Walk { tag: 'k', rank: self.rank, operands: &operands, step: "1" };
        others.define("OTHER", "OTHER", text);
        self.define_extra(text);
        text.define("LANES", shape.lanes);
        text.define("DEEP", shape.deep);
        text.define("RESIDENT", shape.resident(numbers));
        text.define("ROWS", shape.rows);
        text.flag("ALONG_LANES", shape.along_lanes);
        text.define("DEPTH", shape.depth.each);
        text.define("A_BLOCKS", shape.depth.count);
        text.define("HEIGHT", shape.height.each);
        text.define("M_BLOCKS", shape.height.count);
        text.define("WIDTH", shape.width);
        text.define(
            "UNROLL_WIDTH",
            format_args!("_Pragma(\"unroll {}\")", shape.unrolled(numbers)),
        );
        let (quad, quads) = (numbers.quad(), shape.quads(numbers));
        text.define("QUAD", quad);
        text.define("QUADS", quads);
        let all = shape.columns(self.extras());
        text.flag("STRAIGHT", shape.straight);
        text.define("WEIGHTS", if shape.straight { all * shape.padded(numbers) } else { 0 });
        let held = !shape.straight && all * quads * 16 <= HELD;
        text.define("HELD", if held { all * quads } else { 0 });
        text.flag("X_NEAR", self.near);
        let names = [NUMBERS.map(String::from).to_vec(), others.names()].concat();
        let mut names = unless_baked(names, &self.baked, text);
        names.extend((0..self.extra.len()).map(|e| format!("o_{e}")));
        let (weights, start) = if shape.straight {
            (", const weights given", "")
        } else {
            (", const GLOBAL weight* RESTRICT table, i64 table_at", " table += table_at;")
        };
        let mut others = weights.to_owned();
        others.extend(names.iter().map(|name| format!(", idx {name}")));
        others += &self.formula.declare(element);
        let prologue = start.to_owned() + &self.formula.prologue(element);
        let inputs = ["x0".to_owned()];
        map::parameters(&map::Arrays::of_elements(&inputs), &others, &prologue, text);
    }
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        bands::products(self.numbers.complex_weights, self.zeros, &mut text);
        text.add(TEXT);
        Element(self.numbers.dtype).kernel("convolve", text)
    }
}
