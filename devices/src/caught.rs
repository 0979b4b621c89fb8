//! Panics of functions of other libraries, caught on our threads.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a foreign function on one of our threads, which must survive its panics.
pub(crate) fn run_caught(what: &str, function: Box<dyn FnOnce() + Send>) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
        tracing::error!("{what} panicked");
        // Dropping the payload of a panic may panic again, which would end the reaper's thread and lose its queue.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(again);
        }
    }
}
