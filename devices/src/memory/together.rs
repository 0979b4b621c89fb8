//! Work that uses several blocks at once.

use std::ptr;

use parking_lot::MutexGuard;

use super::access::Access;
use super::block::Memory;
use super::uses::Uses;
use crate::driver::MAX_ARGUMENTS;
use crate::{Result, Stream};

/// Orders work that `queue` puts on `stream` after earlier work that conflicts with it, block by block, and has the blocks
/// remember `stream`. They stay locked from the first to the end of `queue`: whoever waits for a block meanwhile, or
/// queues work on another part of it, comes wholly before or wholly after. Otherwise that one would take the place of
/// `stream` in the block, which would then be read too early, or freed under this work.
///
/// A block may be named more than once. Those beyond [`MAX_ARGUMENTS`] must not be there.
pub(crate) fn queue_on<'a, T>(
    stream: &Stream,
    used: impl Iterator<Item = (&'a Memory, Access)>,
    queue: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let mut blocks: [Option<(&Memory, Access)>; MAX_ARGUMENTS] = [None; MAX_ARGUMENTS];
    let mut count = 0;
    for (slot, block) in blocks.iter_mut().zip(used) {
        *slot = Some(block);
        count += 1;
    }
    // In the order of their addresses, as for copies: two threads cannot block each other. Of one block that is both read
    // and written the write comes first, and includes the read.
    let blocks = &mut blocks[..count];
    blocks.sort_unstable_by_key(|block| {
        block.map(|(memory, access)| (ptr::from_ref(memory).addr(), access == Access::Read))
    });
    let mut locked: [Option<MutexGuard<'a, Uses>>; MAX_ARGUMENTS] = [const { None }; MAX_ARGUMENTS];
    let mut last: Option<&Memory> = None;
    for (slot, (memory, access)) in locked.iter_mut().zip(blocks.iter().flatten()) {
        if last.is_some_and(|last| ptr::eq(last, *memory)) {
            continue;
        }
        last = Some(memory);
        slot.insert(memory.uses.lock()).acquire(stream, *access)?;
    }
    queue()
}
