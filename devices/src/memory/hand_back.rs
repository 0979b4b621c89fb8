//! What gives memory back to its owner.

use crate::caught::run_caught;

/// What gives foreign memory back to its owner. Runs once, on any thread.
pub type Release = Box<dyn FnOnce() + Send>;

/// A foreign release function may panic; that must not end the thread that happened to drop a block.
pub(super) fn run(release: Release) {
    run_caught("a foreign memory release function", release);
}
