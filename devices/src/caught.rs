//! Functions of others on threads of ours.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs somebody else's function on a thread of ours, which must outlive its panics.
pub(crate) fn run_caught(what: &str, function: Box<dyn FnOnce() + Send>) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
        tracing::error!("{what} panicked");
        // Dropping what a panic carries may panic again, and end the reaper with all that waits for it.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(again);
        }
    }
}
