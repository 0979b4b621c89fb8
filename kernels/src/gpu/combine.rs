//! One result from the parts that several groups leave: the group that finishes last joins them.

use arrayspan_bridge::index::{THREADS, Text};
use arrayspan_bridge::{Array, Transfer};

use super::Gpu;
use crate::Result;
use crate::verb::Reduction;

pub(super) const TEXT: &str = include_str!("../source/reduction.cl.h");

/// The most parts of a result.
pub(super) const MOST_PARTS: usize = 4096;
/// The bytes of the largest part: a complex number of two 64-bit ones.
const PART_BYTES: usize = 16;
/// Behind the parts: the number of groups that have left theirs, zero between two kernels.
const COUNT_AT: usize = MOST_PARTS * PART_BYTES;

/// Room for parts and their count. All kernels of an executor share it: its stream runs one after the other.
pub(super) fn scratch(gpu: &Gpu) -> Result<&Array> {
    if let Some(block) = gpu.scratch.get() {
        return Ok(block);
    }
    // Under no lock: looking for memory may wait for others. Of two threads' blocks the first stays; what clears
    // it is queued before any kernel that counts in it.
    let zeros =
        Array::from_vec(vec![0_u8; COUNT_AT + size_of::<u64>()], [COUNT_AT + size_of::<u64>()])?;
    let stream = &gpu.stream;
    let (block, _) = zeros.to_with(stream.device(), Transfer::CopyIfNeeded, stream)?;
    let mut made = Some(block);
    let kept =
        gpu.scratch.get_or_init(|| made.take().unwrap_or_else(|| unreachable!("asked once")));
    Ok(kept)
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
    text.define("COUNT_AT", COUNT_AT);
}
