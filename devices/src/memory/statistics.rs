//! What arrayspan holds on a device, counted as it is taken and given back.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

use super::account::Figures;

/// What arrayspan holds on a device, through a stream or in a scope. Sizes are in bytes as they were asked for.
///
/// The numbers of one reading were true one after the other, not at one moment, while other threads allocate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Bytes allocated and not yet freed; on the CPU also page-locked memory and what the program has handed over.
    pub live_bytes: usize,
    /// Blocks allocated and not yet freed.
    pub live_blocks: usize,
    /// The largest `live_bytes` so far, or since [`Device::reset_peak`](crate::Device::reset_peak).
    pub peak_bytes: usize,
    /// All bytes ever allocated.
    pub requested_total_bytes: usize,
    /// Allocations since the process started.
    pub allocations: usize,
    /// Blocks freed since the process started.
    pub frees: usize,
    /// Allocations refused for want of memory or by a limit.
    pub failures: usize,
    /// The largest single block so far, in bytes.
    pub largest_live: usize,
    /// Bytes that other libraries own and lend us now. Not part of `live_bytes`.
    pub foreign_bytes: usize,
    /// Blocks that other libraries own and lend us now.
    pub foreign_blocks: usize,
    /// What the device's pool holds; `None` where there is none, and for streams and scopes.
    pub reserve: Option<Figures>,
}

/// The numbers behind [`Statistics`]. Counting costs three to five relaxed atomic operations.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    live_bytes: AtomicUsize,
    peak_bytes: AtomicUsize,
    requested: AtomicUsize,
    allocations: AtomicUsize,
    frees: AtomicUsize,
    failures: AtomicUsize,
    largest: AtomicUsize,
    foreign_bytes: AtomicUsize,
    foreign_blocks: AtomicUsize,
}

impl Counters {
    /// Counts a block; the number it has among all allocations so far, from 1.
    pub(crate) fn add(&self, bytes: usize) -> usize {
        let live = self.live_bytes.fetch_add(bytes, Relaxed) + bytes;
        raise(&self.peak_bytes, live);
        raise(&self.largest, bytes);
        self.requested.fetch_add(bytes, Relaxed);
        self.allocations.fetch_add(1, Relaxed) + 1
    }

    pub(crate) fn remove(&self, bytes: usize) {
        self.live_bytes.fetch_sub(bytes, Relaxed);
        self.frees.fetch_add(1, Relaxed);
    }

    pub(crate) fn refuse(&self) {
        self.failures.fetch_add(1, Relaxed);
    }

    pub(crate) fn borrow(&self, bytes: usize) {
        self.foreign_bytes.fetch_add(bytes, Relaxed);
        self.foreign_blocks.fetch_add(1, Relaxed);
    }

    pub(crate) fn hand_back(&self, bytes: usize) {
        self.foreign_bytes.fetch_sub(bytes, Relaxed);
        self.foreign_blocks.fetch_sub(1, Relaxed);
    }

    /// Has the peak start again from what is live.
    pub(crate) fn reset_peak(&self) {
        self.peak_bytes.store(self.live_bytes.load(Relaxed), Relaxed);
        // A block allocated between the two has raised the old peak: it counts in the new one, too.
        raise(&self.peak_bytes, self.live_bytes.load(Relaxed));
    }

    pub(crate) fn live_bytes(&self) -> usize {
        self.live_bytes.load(Relaxed)
    }

    pub(crate) fn read(&self) -> Statistics {
        // Frees are read before allocations, so that the difference is never negative.
        let frees = self.frees.load(Relaxed);
        let allocations = self.allocations.load(Relaxed);
        Statistics {
            live_bytes: self.live_bytes.load(Relaxed),
            live_blocks: allocations.saturating_sub(frees),
            peak_bytes: self.peak_bytes.load(Relaxed),
            requested_total_bytes: self.requested.load(Relaxed),
            allocations,
            frees,
            failures: self.failures.load(Relaxed),
            largest_live: self.largest.load(Relaxed),
            foreign_bytes: self.foreign_bytes.load(Relaxed),
            foreign_blocks: self.foreign_blocks.load(Relaxed),
            reserve: None,
        }
    }
}

/// Raises a maximum. Most values are below it: those cost a load, not an atomic read-modify-write.
fn raise(maximum: &AtomicUsize, value: usize) {
    if value > maximum.load(Relaxed) {
        maximum.fetch_max(value, Relaxed);
    }
}
