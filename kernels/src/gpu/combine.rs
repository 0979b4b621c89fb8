//! One result from the parts that several groups leave.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{Grid, Memory};
use arrayspan_bridge::index::{Arguments, THREADS, Text};

use super::element::Element;
use super::{Gpu, variant};
use crate::Result;
use crate::verb::Reduction;

pub(super) const TEXT: &str = include_str!("../source/combine.cl.h");
pub(super) const REDUCTION: &str = include_str!("../source/reduction.cl.h");

/// A kernel that joins the parts of one result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) dtype: DType,
    pub(super) reduction: Reduction,
}

/// The most parts of a result.
const MOST_PARTS: usize = 4096;
/// The bytes of the largest part: a complex number of two 64-bit ones.
const PART_BYTES: usize = 16;

/// Reduces to one result at `to` by way of `parts` parts, which `launch` leaves in the block it is given.
pub(super) fn in_parts(
    gpu: &Gpu,
    dtype: DType,
    reduction: Reduction,
    parts: usize,
    to: (&Memory, usize),
    launch: impl FnOnce(&Memory, usize) -> Result<()>,
) -> Result<()> {
    let parts = parts.clamp(1, MOST_PARTS);
    // Held over both launches: another thread's parts come after these are joined.
    let mut scratch = gpu.scratch.lock();
    let block = match scratch.take() {
        Some(block) => block,
        None => Memory::allocate(MOST_PARTS * PART_BYTES, &gpu.stream)?,
    };
    let block = &*scratch.insert(block);
    launch(block, parts)?;
    let mut arguments = Arguments::new(false);
    arguments.write(to.0, to.1);
    arguments.read(block, 0);
    arguments.index(parts as isize);
    let grid = Grid { groups: [1; 3], threads: [THREADS, 1, 1] };
    let variant = variant::Variant::Combine(Variant { dtype, reduction });
    // SAFETY: the kernel takes these arguments, reads the parts just written, and writes one element.
    unsafe { gpu.launch(variant, grid, &arguments) }
}

/// The macros that `reduction.cl.h` takes, with `threads` threads for each result.
pub(super) fn define(reduction: Reduction, threads: usize, text: &mut Text) {
    let reduction = match reduction {
        Reduction::Sum => 0,
        Reduction::Maximum => 1,
        Reduction::Minimum => 2,
    };
    text.define("REDUCTION", reduction);
    text.define("THREADS", THREADS);
    text.define("P", threads);
}

impl Variant {
    pub(super) fn name(&self) -> String {
        format!("combine_{}", Element(self.dtype).name())
    }

    /// The macros before the prelude.
    pub(super) fn define(&self, text: &mut Text) {
        Element(self.dtype).define(text);
        text.flag("WIDE", false);
        text.define("V", 1);
        text.define("ALIGN", self.dtype.real().bytes());
        define(self.reduction, THREADS, text);
    }
}
