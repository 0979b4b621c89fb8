//! What arrayspan holds on a device.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What arrayspan holds on a device. Foreign memory is not counted: others own it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Bytes allocated and not yet freed.
    pub live_bytes: usize,
    /// Blocks allocated and not yet freed.
    pub live_blocks: usize,
    /// The largest `live_bytes` so far.
    pub peak_bytes: usize,
    /// Allocations since the process started.
    pub allocations: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    live_bytes: AtomicUsize,
    live_blocks: AtomicUsize,
    peak_bytes: AtomicUsize,
    allocations: AtomicUsize,
}

impl Counters {
    pub(crate) fn add(&self, bytes: usize) {
        let live = self.live_bytes.fetch_add(bytes, Relaxed) + bytes;
        self.peak_bytes.fetch_max(live, Relaxed);
        self.live_blocks.fetch_add(1, Relaxed);
        self.allocations.fetch_add(1, Relaxed);
    }

    pub(crate) fn remove(&self, bytes: usize) {
        self.live_bytes.fetch_sub(bytes, Relaxed);
        self.live_blocks.fetch_sub(1, Relaxed);
    }

    pub(crate) fn read(&self) -> Statistics {
        Statistics {
            live_bytes: self.live_bytes.load(Relaxed),
            live_blocks: self.live_blocks.load(Relaxed),
            peak_bytes: self.peak_bytes.load(Relaxed),
            allocations: self.allocations.load(Relaxed),
        }
    }
}
