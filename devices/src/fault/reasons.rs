//! Whether calls must be checked for faults or recorded.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How many reasons there are to look further than this number: faults, the watch for allocations outside
/// retry scopes, and, at first, an environment that nobody has read.
static REASONS: AtomicUsize = AtomicUsize::new(1);

/// Whether a call must be checked. One load where nothing is injected.
pub(super) fn armed() -> bool {
    REASONS.load(Relaxed) > 0
}

/// Adds a reason.
pub(super) fn look() {
    REASONS.fetch_add(1, Relaxed);
}

pub(super) fn look_no_more() {
    REASONS.fetch_sub(1, Relaxed);
}

/// Reports something that must be seen without a subscriber, too.
pub(super) fn tell(what: &str) {
    tracing::warn!("{what}");
    if !tracing::dispatcher::has_been_set() {
        eprintln!("arrayspan: {what}");
    }
}
