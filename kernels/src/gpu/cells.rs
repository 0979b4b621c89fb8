//! What arrays of a kernel hold: the elements that are computed with, or 16 bits of each.

use arrayspan_bridge::DType;
use arrayspan_bridge::iteration::{Runs, Text};

use crate::number::computed;

/// Behind the prelude, which it changes the loads and stores of.
pub(super) const TEXT: &str = include_str!("../source/cells.cl.h");

/// The same for reductions, which load runs of what arrays hold, and convert one element after the other.
pub(super) const ITEMS: &str = include_str!("../source/cells_reduced.cl.h");

/// Defines the macros of runs of arrays of that dtype, and of what these hold.
pub(super) fn define(dtype: DType, runs: &Runs, operands: &[String], text: &mut Text) {
    let align = runs.align();
    text.define("CELL_ALIGN", align);
    in_registers(dtype, runs.clone()).define(operands, text);
    text.define("STORED", stored(dtype));
}

/// Defines the macros of what arrays of that dtype hold, in runs of that alignment.
pub(super) fn hold(dtype: DType, align: usize, text: &mut Text) {
    text.define("CELL_ALIGN", align);
    text.define("STORED", stored(dtype));
}

/// The same runs of elements, which lie in registers.
pub(super) fn in_registers(dtype: DType, runs: Runs) -> Runs {
    let least = computed(dtype).real().bytes();
    let align = runs.align().max(least);
    runs.aligned_to(align)
}

fn stored(dtype: DType) -> u8 {
    match dtype {
        DType::Float16 => 1,
        DType::BFloat16 => 2,
        _ => 0,
    }
}

/// The element at a place of an array of that dtype.
pub(super) fn value(dtype: DType, place: &str) -> String {
    if stored(dtype) == 0 { place.into() } else { format!("cell_value({place})") }
}
