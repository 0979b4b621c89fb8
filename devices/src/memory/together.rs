//! Work that uses several blocks at once.

use std::ptr;

use parking_lot::MutexGuard;

use super::access::Access;
use super::block::Memory;
use super::uses::Uses;
use crate::driver::PerArgument;
use crate::{Result, Stream};

/// Orders work that `queue` puts on `stream` after earlier work that conflicts with it, block by block, and has the blocks
/// remember `stream`. They stay locked from the first to the end of `queue`: whoever waits for a block meanwhile, or
/// queues work on another part of it, comes wholly before or wholly after. Otherwise that one would take the place of
/// `stream` in the block, which would then be read too early, or freed under this work.
///
/// A block may be named more than once.
pub(crate) fn queue_on<'a, T>(
    stream: &Stream,
    used: impl Iterator<Item = (&'a Memory, Access)>,
    queue: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let mut blocks: PerArgument<(&Memory, Access)> = used.collect();
    // In the order of their addresses, as for copies: two threads cannot block each other. Of one block that is both read
    // and written the write comes first, and includes the read.
    blocks.sort_unstable_by_key(|(memory, access)| {
        (ptr::from_ref::<Memory>(memory).addr(), *access == Access::Read)
    });
    let mut locked: PerArgument<MutexGuard<'a, Uses>> = PerArgument::new();
    let mut last: Option<&Memory> = None;
    for &(memory, access) in &blocks {
        if last.is_some_and(|last| ptr::eq(last, memory)) {
            continue;
        }
        last = Some(memory);
        let mut uses = memory.uses.lock();
        uses.acquire(stream, access)?;
        locked.push(uses);
    }
    queue()
}
