//! What arrays of a kernel hold: the elements that are computed with, or 16 bits of each.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::{Runs, Text};

use super::map;
use crate::number::computed;

/// Behind the prelude, which it changes the loads and stores of.
pub(super) const TEXT: &str = include_str!("../source/cells.cl.h");

/// Defines the macros of runs of arrays of that dtype, and of what these hold.
pub(super) fn define(dtype: DType, runs: &Runs, operands: &[String], text: &mut Text) {
    let align = runs.align();
    text.define("CELL_ALIGN", align);
    // Runs of elements lie in registers.
    let least = computed(dtype).real().bytes();
    runs.clone().aligned_to(align.max(least)).define(operands, text);
    let stored = match dtype {
        DType::Float16 => 1,
        DType::BFloat16 => 2,
        _ => 0,
    };
    text.define("STORED", stored);
}

/// The arrays of a kernel.
pub(super) fn arrays(inputs: &[String]) -> map::Arrays<'_> {
    map::Arrays { output: "cell", input: "cell", inputs }
}
