//! Fills freed blocks with a pattern, to find code that reads them.

use std::sync::OnceLock;

use super::arena::Block;
use super::lane::Lane;
use crate::driver::BlockAddress;

/// Set to 1, it has freed blocks filled.
const VARIABLE: &str = "ARRAYSPAN_MEMORY_POISON";

/// All bits set: NaN in every floating-point dtype, and no valid `Bool`.
const VALUE: u8 = 0xff;

/// Fills a freed block on the stream it was freed on, if the environment asks for it: code that still reads it, or
/// reads a new block before writing it, gets NaN.
pub(super) fn fill(block: &Block, lane: Lane<'_>) {
    static WANTED: OnceLock<bool> = OnceLock::new();
    if *WANTED.get_or_init(|| std::env::var(VARIABLE).is_ok_and(|value| value == "1")) {
        let place = BlockAddress { address: block.address, offset: 0 };
        // SAFETY: the block is the pool's again, whose address is valid until it is given up; all work that used it
        // comes before this on the stream, and all that will comes after.
        let filled = unsafe { lane.driver().fill(place, VALUE, block.bytes) };
        filled.unwrap_or_else(|error| lane.device.0.defer(error));
    }
}
