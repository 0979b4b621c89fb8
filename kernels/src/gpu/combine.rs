//! One result from the parts that several groups leave.
//!
//! Where groups of a kernel can see each other's writes, the one that begins last waits for the parts and joins them, in the same
//! launch: it waits for no group that has not begun, however few there are at a time. Elsewhere a second kernel joins them, in the same order, so that the result is the same to the bit.

use std::sync::Arc;

use arrayspan_bridge::devices::{Argument, Grid, KernelSource, Memory, Specialisation};
use arrayspan_bridge::iteration::{Arguments, THREADS, Text};
use arrayspan_bridge::{Array, DType, Transfer};

use super::element::{Element, PRELUDE};
use super::{Gpu, cells, noted};
use crate::Result;
use crate::verb::Reduction;

/// Words that groups of one kernel leave for each other.
pub(super) const WORDS: &str = include_str!("../source/word.cl.h");
const TEXT: &str = include_str!("../source/reduction.cl.h");
const JOIN: &str = include_str!("../source/join.cl.h");

/// The most parts of a result.
pub(super) const MOST_PARTS: usize = 8192;
/// The bytes of the largest part: a complex number of two 64-bit ones. Between two kernels those that one group joins are empty, all
/// their bits set.
const PART_BYTES: usize = 16;
/// Behind the parts: the number of groups that have begun, for each block of results, zero between two kernels.
const COUNT_AT: usize = MOST_PARTS * PART_BYTES;

/// How the groups of a kernel share a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sharing {
    /// No two groups work on one result.
    Alone,
    /// Each leaves its part; the last to begin joins them.
    LastJoins,
    /// Each leaves its part, for another kernel.
    Leave,
}

impl Sharing {
    /// The parameter for parts, which stands behind all others.
    pub(super) fn declare(self) -> &'static str {
        match self {
            Self::Alone => "",
            Self::LastJoins => ", GLOBAL word* parts",
            Self::Leave => ", GLOBAL total* parts",
        }
    }
}

/// A kernel that joins the parts that groups have left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    /// What elements are computed in.
    pub(super) computed: DType,
    /// The dtype of the result.
    pub(super) result: DType,
    pub(super) reduction: Reduction,
}

/// Room for parts and their count. All kernels of an executor share it: its stream runs one after the other.
///
/// Recovery may have the executor forget it: whoever holds it then still may queue a kernel that uses it.
pub(super) fn scratch(gpu: &Gpu) -> Result<Arc<Array>> {
    let scratch = shared_scratch(gpu)?;
    noted::array(&scratch);
    Ok(scratch)
}

fn shared_scratch(gpu: &Gpu) -> Result<Arc<Array>> {
    if let Some(block) = &*gpu.scratch.lock() {
        return Ok(block.clone());
    }
    // Under no lock: looking for memory may wait for others. Of two threads' blocks the first stays; what fills
    // it is queued before any kernel that uses it.
    let bytes = COUNT_AT + MOST_PARTS * size_of::<u32>();
    let mut empty = vec![u8::MAX; bytes];
    empty[COUNT_AT..].fill(0);
    let empty = Array::from_vec(empty, [bytes])?;
    let stream = &gpu.stream;
    let (block, _) = empty.into_device_with(stream.device(), Transfer::CopyIfNeeded, stream)?;
    let block = Arc::new(block);
    Ok(gpu.scratch.lock().get_or_insert_with(|| block.clone()).clone())
}

/// Room for parts between two kernels, which no other thread's kernels use between them.
pub(super) fn room(gpu: &Gpu) -> Result<Array> {
    let kept = gpu.rooms.lock().pop();
    kept.map_or_else(|| Ok(Array::empty([COUNT_AT], DType::UInt8, &gpu.stream)?), Ok)
}

/// Gives room back, whose two kernels are queued: kernels of others come after them on the executor's stream.
pub(super) fn give_back(gpu: &Gpu, room: Array) {
    gpu.rooms.lock().push(room);
}

/// Joins the parts that `groups` groups of the kernel queued before have left in `room`, from the one of number `first` on, into
/// `out`.
pub(super) fn join(
    gpu: &Gpu,
    variant: &Variant,
    (out, place): (&Memory, usize),
    room: &Array,
    (first, groups): (usize, usize),
) -> Result<()> {
    let mut arguments = Arguments::new(false);
    arguments.write(out, place);
    arguments.push(Argument::Read(room.memory()));
    arguments.push(Argument::I32(first as i32));
    arguments.push(Argument::I32(groups as i32));
    let grid = Grid { groups: [1; 3], threads: [THREADS, 1, 1] };
    // SAFETY: the arguments are those of `join.cl.h`, in its order. `place` is that of an output's only element; the
    // room has `MOST_PARTS` parts, is its owner's alone until it is given back, and is read after the kernel that has
    // written `groups` parts, in the order of the stream.
    unsafe { gpu.launch(variant, grid, &arguments) }
}

/// The macros that `reduction.cl.h` takes, for groups of so many threads, so many of them for each result.
pub(super) fn define(
    reduction: Reduction,
    [threads, ways]: [usize; 2],
    sharing: Sharing,
    text: &mut Text,
) {
    let reduction = match reduction {
        Reduction::Sum => 0,
        Reduction::Maximum => 1,
        Reduction::Minimum => 2,
    };
    text.define("REDUCTION", reduction);
    text.define("THREADS", threads);
    text.define("P", ways);
    text.define("COUNT_AT", COUNT_AT);
    text.flag("PARTIAL", sharing != Sharing::Alone);
    text.flag(KernelSource::ACROSS_GROUPS, sharing == Sharing::LastJoins);
}

impl Specialisation for Variant {
    fn source(&self) -> KernelSource {
        let mut text = Text::default();
        self.define(&mut text);
        text.add(PRELUDE);
        let half = Element(self.result).is_half();
        if half {
            text.add(cells::ITEMS);
        }
        add(self.result, &mut text);
        text.add(if half { JOIN.replace("GLOBAL result*", "GLOBAL cell*") } else { JOIN.into() });
        let named = if half { self.result } else { self.computed };
        Element(named).kernel("join", text)
    }
}

impl Variant {
    /// The macros before the prelude.
    fn define(&self, text: &mut Text) {
        Element(self.computed).define(text);
        text.flag("NARROW", false);
        text.flag("REAL_RESULT", !self.result.is_complex());
        text.flag("WIDE", false);
        text.define("V", 1);
        text.define("ALIGN", self.computed.real().bytes());
        if Element(self.result).is_half() {
            cells::hold(self.result, self.result.bytes(), text);
        }
        define(self.reduction, [THREADS; 2], Sharing::Leave, text);
    }
}

/// The text of reductions.
pub(super) fn add_sums(text: &mut Text) {
    text.add(WORDS);
    text.add(TEXT);
}

/// The text of reductions to results of that dtype.
pub(super) fn add(result: DType, text: &mut Text) {
    add_sums(text);
    if Element(result).is_half() {
        text.define("t_result(a)", "cell_rounded(t_result(a))");
    }
}

#[cfg(test)]
mod tests;
