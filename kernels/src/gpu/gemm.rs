//! `c ← alpha · a b + beta · c`: a kernel of our own for small products, else the vendor's library where there is one.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Grid, KernelSource, Specialisation};
use arrayspan_bridge::iteration::{Arguments, Runs, Start, THREADS, Text, address};

use super::element::Element;
use super::formula::Formula;
use super::gemm_operand::Operand;
use super::{Gpu, constants, cublas, map};
use crate::Result;
use crate::verb::GemmCall;

const TEXT: &str = include_str!("../source/gemm.cl.h");

/// A kernel that multiplies matrices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) dtype: DType,
    pub(super) formula: Formula,
    /// How single elements are loaded and stored.
    pub(super) runs: Runs,
    pub(super) wide: bool,
    pub(super) conjugate: bool,
    /// Whether `a` is contiguous along the inner extent, and whether `b` is contiguous across it.
    pub(super) along: [bool; 2],
    pub(super) patch: Patch,
}

/// The results that a thread makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Patch {
    /// One, so that small products have several groups.
    Single,
    /// Four by four, so that each value that is loaded serves several.
    Square,
}

/// Threads of a group along rows and columns.
const SIDE: usize = 16;

/// The longest sums of a small product of real numbers; of complex ones half of that. Of longer ones the vendor's kernels hide
/// more of what memory takes.
const MOST_INNER: usize = 128;

impl Patch {
    /// For a product of these extents on a device of `units` processors. It is small if each of its groups has a processor
    /// to itself: then what counts is how long a launch takes, which the vendor's library makes twice to four times as long.
    fn of([batch, m, n, k]: [usize; 4], dtype: DType, units: usize) -> Self {
        let tiles = |extent: usize| extent.div_ceil(SIDE);
        let groups = batch.saturating_mul(tiles(m)).saturating_mul(tiles(n));
        let most = if dtype.is_complex() { MOST_INNER / 2 } else { MOST_INNER };
        if groups <= units && k <= most { Self::Single } else { Self::Square }
    }

    /// The length of its side.
    fn side(self) -> usize {
        if self == Self::Single { 1 } else { 4 }
    }

    /// Rows and columns of a group's tile.
    fn tile(self) -> usize {
        SIDE * self.side()
    }

    /// Terms of all sums that a group holds at a time. A thread loads several values before it waits for them.
    fn depth(self) -> usize {
        if self == Self::Single { 32 } else { 16 }
    }
}

pub(super) fn run(gpu: &Gpu, call: &GemmCall<'_>) -> Result<()> {
    let dtype = call.c.dtype();
    gpu.expect_float64("gemm", dtype)?;
    gpu.expect_factors("gemm", &call.factors)?;
    if call.c.layout().is_empty() {
        return Ok(());
    }
    let extents = call.extents();
    let [batch, m, n, k] = extents;
    let patch = Patch::of(extents, dtype, gpu.units());
    let operands = [
        Operand::new(call.c.memory(), call.c.layout()),
        Operand::new(call.a.memory(), call.a.layout()),
        Operand::new(call.b.memory(), call.b.layout()),
    ];
    if patch == Patch::Square
        && let Some(done) = cublas::multiply(gpu, call, &operands)
    {
        return done;
    }
    let starts = operands.each_ref().map(|operand| Start {
        stride: 2,
        first: address(operand.memory) | (operand.offset * dtype.bytes()),
        steps: 0,
    });
    let [_, a, b] = &operands;
    let (formula, constants) = Formula::update(&call.factors, Element(dtype));
    let variant = Variant {
        dtype,
        formula,
        runs: Runs::new(&starts, dtype.bytes(), 1),
        wide: operands.iter().any(|operand| is_wide(operand, patch)),
        conjugate: call.conjugate_a && dtype.is_complex(),
        along: [a.strides[2] == 1, b.strides[2] == 1],
        patch,
    };
    let mut arguments = Arguments::new(variant.wide);
    for (number, operand) in operands.iter().enumerate() {
        match number {
            0 => arguments.write(operand.memory, operand.offset),
            _ => arguments.read(operand.memory, operand.offset),
        }
    }
    arguments.indices([batch, m, n, k].map(|extent| extent as isize));
    arguments.indices(operands.iter().flat_map(|operand| operand.strides));
    constants::push(&mut arguments, &constants, Element(dtype));
    let tiles = |extent: usize| extent.div_ceil(patch.tile()).min(65_535);
    let groups = [tiles(n), tiles(m), batch.min(65_535)];
    let grid = Grid { groups, threads: [THREADS, 1, 1] };
    // SAFETY: the arguments are those of `Variant::define`, in its order; layouts lie within their
    // memories, and the kernel stays within the extents.
    unsafe { gpu.launch(&variant, grid, &arguments) }
}

/// Whether places, or those just behind the last tile, need 64 bits.
fn is_wide(operand: &Operand<'_>, patch: Patch) -> bool {
    // An operand without elements may have any strides.
    let behind = patch.tile().max(patch.depth());
    let reach = |(extent, stride): (&usize, &isize)| {
        extent.saturating_add(behind).saturating_mul(stride.unsigned_abs())
    };
    let reaches = operand.extents.iter().zip(&operand.strides).map(reach);
    reaches.fold(0, usize::saturating_add) >= 1 << 30
        || operand.extents.iter().any(|extent| *extent >= 1 << 30)
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        Element(self.dtype).source("gemm", |text| self.define(text), TEXT)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        let element = Element(self.dtype);
        let names = ["y", "x0", "x1"].map(String::from);
        element.define(text);
        text.flag("WIDE", self.wide);
        self.runs.define(&names, text);
        self.formula.define(text);
        text.flag("CONJUGATE", self.conjugate);
        text.flag("X0_ALONG", self.along[0]);
        text.flag("X1_ALONG", self.along[1]);
        text.define("PATCH", self.patch.side());
        text.define("TILE", self.patch.tile());
        text.define("DEPTH", self.patch.depth());
        let extents = ["batch", "m", "n", "inner"].map(String::from);
        let strides =
            ["y_batch", "y_m", "y_n", "x0_batch", "x0_m", "x0_k", "x1_batch", "x1_k", "x1_n"];
        let numbers = extents.into_iter().chain(strides.map(String::from));
        let numbers: Vec<String> = numbers.map(|name| format!(", idx {name}")).collect();
        let others = numbers.concat() + &self.formula.declare(element);
        let arrays = map::Arrays::of_elements(&names[1..]);
        map::parameters(&arrays, &others, &self.formula.prologue(element), text);
    }
}
