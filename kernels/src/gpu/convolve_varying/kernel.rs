//! The kernels of convolutions with filters that change: what is compiled into one.

use arrayspan_bridge::devices::{KernelSource, Specialisation};
use arrayspan_bridge::iteration::{IterationSpace, MOST_ARGUMENTS, Text};
use arrayspan_bridge::{DType, Layout};

use super::super::bands;
use super::super::element::{Element, PRELUDE};
use super::super::formula::Formula;
use super::super::map;
use super::super::walk::{Walk, unless_baked};
use super::order::{Blocks, Order, quad};
use crate::VaryingConvolution;

const TEXT: &str = include_str!("../../source/convolve_varying.cl.h");

/// Threads of a group along lanes, and along rows.
pub(super) const LANES: usize = 32;
pub(super) const DEEP: usize = 4;

/// 32-bit registers for the sums of a thread.
const SUMS: usize = 8;

/// Groups that a processor is to hold at once.
const RESIDENT: usize = 6;

/// Products in a row that compilers of GPUs take, and those of processors.
const PRODUCTS: [usize; 2] = [1500, 100];

/// From here on places need 64 bits.
const WIDE: usize = 1 << 30;

/// Names of numbers of the three axes of threads, and of what groups take.
const NUMBERS: [&str; 18] = [
    "n_a", "o_a", "y_a", "x_a", "n_m", "o_m", "y_m", "x_m", "n_l", "o_l", "y_l", "x_l", "tiles",
    "strips", "taps_a", "places_m", "places_l", "taps_at",
];

/// A kernel that convolves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "each is a macro of its own")]
pub(in crate::gpu) struct Variant {
    dtype: DType,
    complex: bool,
    transposed: bool,
    formula: Formula,
    height: Blocks,
    width: Blocks,
    padded: usize,
    /// Whether a weight may be zero.
    zeros: bool,
    /// How far loops over the taps of a block along lanes are unrolled.
    unrolled: usize,
    /// The number of the other axes.
    rank: usize,
    pub(super) wide: bool,
    /// Extents and strides, where they are too many to be arguments.
    pub(super) baked: Vec<isize>,
}

impl Variant {
    /// For `y` and `x`, with so many other axes, these numbers and so many constants, on a processor or another device.
    pub(super) fn new(
        (convolution, order, dtype): (&VaryingConvolution, &Order, DType),
        layouts: [&Layout; 2],
        (formula, constants): (Formula, usize),
        (rank, numbers): (usize, &[isize]),
        accelerator: bool,
    ) -> Self {
        let [_, beside, lanes] = order.along(convolution);
        let (height, width) = (order.height, order.width);
        let filled = height.are_filled(beside.taps) || width.are_filled(lanes.taps);
        let complex = !convolution.is_real();
        let parts = if dtype.is_complex() { 2 } else { 1 } * if complex { 2 } else { 1 };
        let products = width.each * height.each * rows(dtype) * parts;
        let straight = products <= PRODUCTS[usize::from(!accelerator)];
        let wide =
            |layout: &&Layout| IterationSpace::new(&[layout]).is_wide() || layout.len() >= WIDE;
        let table = order.shares(1) + order.len(convolution);
        Self {
            dtype,
            complex,
            transposed: convolution.is_transposed(),
            formula,
            height,
            width,
            padded: order.padded,
            zeros: filled || convolution.has_zeros(dtype),
            unrolled: if straight { width.each } else { 1 },
            rank,
            wide: layouts.iter().any(wide) || table >= WIDE,
            baked: if numbers.len() + constants + 8 > MOST_ARGUMENTS {
                numbers.to_vec()
            } else {
                Vec::new()
            },
        }
    }

    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let element = Element(self.dtype);
        element.define(text);
        text.flag("WIDE", self.wide);
        text.define("V", 1);
        text.define("ALIGN", self.dtype.real().bytes());
        self.formula.define(text);
        let operands = ["y".to_owned(), "x0".to_owned()];
        let others = Walk { tag: 'k', rank: self.rank, operands: &operands, step: "1" };
        others.define("OTHER", "OTHER", text);
        text.flag("TRANSPOSED", self.transposed);
        text.define("LANES", LANES);
        text.define("DEEP", DEEP);
        text.define("ROWS", rows(self.dtype));
        text.define("RESIDENT", RESIDENT);
        text.define("HEIGHT", self.height.each);
        text.define("M_BLOCKS", self.height.count);
        text.define("WIDTH", self.width.each);
        text.define("L_BLOCKS", self.width.count);
        text.define("UNROLL_WIDTH", format_args!("_Pragma(\"unroll {}\")", self.unrolled));
        let quad = quad(self.dtype, self.complex);
        text.define("QUAD", quad);
        text.define("QUADS", self.padded / quad);
        let names = [NUMBERS.map(String::from).to_vec(), others.names()].concat();
        let names = unless_baked(names, &self.baked, text);
        let mut others = ", const GLOBAL int* RESTRICT places, i64 places_at, const GLOBAL weight* RESTRICT table, i64 table_at".to_owned();
        others.extend(names.iter().map(|name| format!(", idx {name}")));
        others += &self.formula.declare(element);
        let prologue =
            " places += places_at; table += table_at;".to_owned() + &self.formula.prologue(element);
        let inputs = ["x0".to_owned()];
        map::parameters(&map::Arrays::of_elements(&inputs), &others, &prologue, text);
    }
}

/// Rows of a thread.
pub(super) fn rows(dtype: DType) -> usize {
    SUMS * 4 / dtype.bytes()
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        bands::products(self.complex, self.zeros, &mut text);
        text.add(TEXT);
        Element(self.dtype).kernel("convolve_varying", text)
    }
}
