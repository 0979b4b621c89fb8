//! Which code runs inside a retry scope.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// While it lives, what this thread does can be run again if memory runs out.
#[derive(Debug)]
#[must_use = "the scope ends when this is dropped"]
pub struct Protected {
    /// The scope belongs to the thread, so its guard stays on it.
    not_send: PhantomData<*const ()>,
}

/// Says that whoever called will run this again if memory runs out. Scopes nest.
pub fn protect() -> Protected {
    DEPTH.set(DEPTH.get() + 1);
    Protected { not_send: PhantomData }
}

/// Whether this thread is inside a retry scope.
#[must_use]
pub fn is_protected() -> bool {
    DEPTH.get() > 0
}

impl Drop for Protected {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}
