//! What arrayspan holds of page-locked host memory.

use std::time::Duration;

/// What arrayspan holds of page-locked host memory for one device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinnedStatistics {
    /// Blocks in use, those that queued work still uses included; the buffers of staged copies only while one uses them.
    pub blocks: usize,
    /// Bytes of those blocks, with what rounding adds.
    pub active_bytes: usize,
    /// Locked bytes that are kept for reuse.
    pub cached_bytes: usize,
    /// All locked bytes: active and cached.
    pub bytes: usize,
    /// The pieces they consist of, each locked in one call of the driver.
    pub slabs: usize,
    /// How often the driver was asked to lock memory.
    pub host_allocations: usize,
    /// How often such a piece was given back to it.
    pub host_frees: usize,
    /// The time it took to lock memory.
    pub locking: Duration,
}
