//! The interpreter's lock while memory is looked for.

use std::cell::Cell;

use pyo3::prelude::*;

thread_local! {
    /// Whether this thread computes with the interpreter's lock.
    static HELD: Cell<bool> = const { Cell::new(false) };
}

/// Sets that, until it is dropped.
pub(crate) struct Held(bool);

impl Held {
    pub(crate) fn set(held: bool) -> Self {
        Self(HELD.replace(held))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.set(self.0);
    }
}

/// Runs a search for memory without the interpreter's lock, which functions want that free memory of other libraries.
pub(crate) fn unlocked(search: &mut dyn FnMut()) {
    /// What stays on its thread.
    struct Here<'a>(&'a mut dyn FnMut());
    // SAFETY: `detach` calls its function on the thread that it is called on. What is not to go with it are references to objects of
    // Python, of which a search for memory of devices has none.
    unsafe impl Send for Here<'_> {}
    impl Here<'_> {
        fn run(&mut self) {
            (self.0)();
        }
    }
    let mut search = Here(search);
    if HELD.get() {
        let _held = Held::set(false);
        let ran = Python::try_attach(|py| py.detach(|| search.run()));
        if ran.is_some() {
            return;
        }
    }
    // Not twice: a search that has run is over.
    search.run();
}
