//! What was spilled so far.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What was spilled since the process started, and what of it came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpillStatistics {
    /// Arrays moved to the host.
    pub spilled: usize,
    /// Their bytes.
    pub spilled_bytes: usize,
    /// Arrays brought back to their device.
    pub returned: usize,
    /// Their bytes.
    pub returned_bytes: usize,
}

static SPILLED: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
static RETURNED: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

pub(super) fn spilled(bytes: usize) {
    add(&SPILLED, bytes);
}

pub(super) fn returned(bytes: usize) {
    add(&RETURNED, bytes);
}

fn add([count, sum]: &[AtomicUsize; 2], bytes: usize) {
    count.fetch_add(1, Relaxed);
    sum.fetch_add(bytes, Relaxed);
}

/// What was spilled so far, on all devices.
#[must_use]
pub fn statistics() -> SpillStatistics {
    let [spilled, spilled_bytes] = SPILLED.each_ref().map(|number| number.load(Relaxed));
    let [returned, returned_bytes] = RETURNED.each_ref().map(|number| number.load(Relaxed));
    SpillStatistics { spilled, spilled_bytes, returned, returned_bytes }
}
