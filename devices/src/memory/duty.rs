//! What a thread is doing at the moment, which decides what else may run on it.

use std::cell::Cell;

use super::hand_back::{Release, run};

thread_local! {
    /// Whether this thread runs a function of another library, or is the one that does nothing else.
    static DELETES: Cell<bool> = const { Cell::new(false) };
    /// How many reasons there are not to run them on this thread.
    static ELSEWHERE: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread runs a release of ours, or is the one that does nothing else.
    static RELEASES: Cell<bool> = const { Cell::new(false) };
}

/// While it lives, no function of another library runs on this thread: it looks for memory, and its caller may hold a lock
/// that such a function wants.
#[derive(Debug)]
pub(crate) struct Elsewhere(());

pub(crate) fn elsewhere() -> Elsewhere {
    ELSEWHERE.set(ELSEWHERE.get() + 1);
    Elsewhere(())
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        ELSEWHERE.set(ELSEWHERE.get() - 1);
    }
}

/// Whether functions of other libraries must run on another thread than this.
pub(super) fn is_elsewhere() -> bool {
    // A thread that is ending searches for no memory.
    ELSEWHERE.try_with(Cell::get).unwrap_or(0) > 0 || is_releasing()
}

/// Whether this thread runs a release of ours: nothing of others may run meanwhile.
pub(super) fn is_releasing() -> bool {
    // A thread that is ending runs none.
    RELEASES.try_with(Cell::get).unwrap_or(false)
}

/// Whether this thread runs a function of another library, or is the one for them, or runs a release of ours: it must not
/// wait for the others, which may want what this one holds.
pub(super) fn is_reaper() -> bool {
    is_releasing() || DELETES.get()
}

/// Runs a function of another library on this thread.
pub(super) fn delete(function: Release) {
    let before = DELETES.replace(true);
    run(function);
    DELETES.set(before);
}

/// Runs a release of ours on this thread.
pub(super) fn release(function: Release) {
    let before = RELEASES.replace(true);
    run(function);
    RELEASES.set(before);
}

/// This thread does nothing from now on but run functions of other libraries.
pub(super) fn delete_for_ever() {
    DELETES.set(true);
}

/// This thread does nothing from now on but run releases of ours.
pub(super) fn release_for_ever() {
    RELEASES.set(true);
}
