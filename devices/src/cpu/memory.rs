//! Host memory from the program's allocator. Its bytes are zero at first, since any of them may be read as numbers.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::with_exposed_provenance_mut;

use crate::driver::Sizes;
use crate::{Device, Error, Result};

/// Enough for every vector register and a cache line.
const ALIGNMENT: usize = 64;
/// That of pooled blocks, as on other devices.
const WIDE: usize = 256;
/// The alignment that the allocator always gives. Larger ones it gives by a slower way, which takes nothing from the cache of
/// a thread and cuts off what is too much; and it zeroes the block itself, which touches every page. So blocks are
/// allocated at this one and aligned here.
const NATURAL: usize = 16;

/// Small blocks are quicker from the program's allocator, which has a cache per thread. Large ones are worth keeping:
/// the system zeroes each page when it is first touched, which takes longer than filling it.
pub(super) const SIZES: Sizes = Sizes { granule: WIDE, direct_below: 1 << 16, shared_up_to: 0 };

/// Takes `bytes > 0` bytes.
pub(super) fn allocate(bytes: usize) -> Result<usize> {
    let refused = || Error::out_of_memory(Device::cpu(), bytes, 0);
    let layout = layout(bytes).ok_or_else(refused)?;
    let small = is_small(bytes);
    // The pages of large blocks are zeroed by the system.
    // SAFETY: the layout is of more than zero bytes.
    let base = unsafe { if small { alloc(layout) } else { alloc_zeroed(layout) } };
    if base.is_null() {
        return Err(refused());
    }
    let base = base.expose_provenance();
    // The word before the block holds the address of the allocation.
    let block = (base + size_of::<usize>()).next_multiple_of(alignment(bytes));
    // SAFETY: the layout has room for the word, what aligns the block, and the block; the word ends where the block
    // begins and so is aligned. Nobody else knows any of it.
    unsafe {
        word_before(block).write(base);
        if small {
            with_exposed_provenance_mut::<u8>(block).write_bytes(0, bytes);
        }
    }
    Ok(block)
}

/// Gives a block back.
///
/// # Safety
/// `address` came from [`allocate`] with `bytes`, and nobody uses it any more.
pub(super) unsafe fn free(address: usize, bytes: usize) {
    let Some(layout) = layout(bytes) else { unreachable!("a block of this size was made") };
    // SAFETY: by the caller's contract a block of that layout, with the word in front of it.
    unsafe {
        let base = word_before(address).read();
        dealloc(with_exposed_provenance_mut(base), layout);
    }
}

/// Whether the pool does not keep it.
fn is_small(bytes: usize) -> bool {
    bytes < SIZES.direct_below
}

fn alignment(bytes: usize) -> usize {
    if is_small(bytes) { ALIGNMENT } else { WIDE }
}

/// The address of the word that holds where a block's allocation begins.
fn word_before(block: usize) -> *mut usize {
    with_exposed_provenance_mut(block - size_of::<usize>())
}

/// The layout of a block's allocation, with room to align it.
fn layout(bytes: usize) -> Option<Layout> {
    let whole = bytes.checked_add(alignment(bytes) + size_of::<usize>())?;
    Layout::from_size_align(whole, NATURAL).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_zero_from_end_to_end() -> Result<()> {
        for bytes in [1, 4096, SIZES.direct_below - 1, SIZES.direct_below, 3 * SIZES.direct_below] {
            let address = allocate(bytes)?;
            assert_eq!(address % alignment(bytes), 0);
            let block = with_exposed_provenance_mut::<u8>(address);
            // SAFETY: the block was just made with this size, and nobody else knows it.
            unsafe {
                assert!(std::slice::from_raw_parts(block, bytes).iter().all(|byte| *byte == 0));
                block.write_bytes(7, bytes);
                free(address, bytes);
            }
        }
        Ok(())
    }

    #[test]
    fn more_than_there_can_be_is_refused() {
        for bytes in [usize::MAX, usize::MAX - WIDE, isize::MAX as usize, 1 << 60] {
            let refused = allocate(bytes);
            assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
        }
    }
}
