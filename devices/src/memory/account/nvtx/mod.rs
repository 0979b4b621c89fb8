//! Ranges that NVIDIA's profilers show on their time line.
//!
//! Off until `ARRAYSPAN_NVTX=1` or [`enable`], and without effect where no profiler listens: NVTX 3 has no library
//! of its own; a profiler names its own in the variable `NVTX_INJECTION64_PATH`, and is asked directly.

mod injection;

use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// Not looked up yet.
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Turns ranges on; whether a profiler listens. Where none does, ranges stay off.
pub fn enable() -> bool {
    let listens = injection::tool().is_some();
    STATE.store(if listens { ON } else { OFF }, Relaxed);
    listens
}

/// Turns ranges off. Those that are open end as they should.
pub fn disable() {
    STATE.store(OFF, Relaxed);
}

/// Begins a range of this name on this thread, until the guard is dropped. One atomic load where ranges are off.
pub fn range(name: &str) -> Range {
    let on = match STATE.load(Relaxed) {
        OFF => false,
        ON => true,
        _ => ask(),
    };
    Range { open: on && push(name), not_send: PhantomData }
}

/// A range that is open. Stays on its thread; ranges of a thread lie in each other.
#[must_use = "the range ends when the guard is dropped"]
pub struct Range {
    open: bool,
    not_send: PhantomData<*const ()>,
}

impl Drop for Range {
    fn drop(&mut self) {
        if self.open
            && let Some(tool) = injection::tool()
        {
            tool.pop();
        }
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Range({})", if self.open { "open" } else { "off" })
    }
}

#[cold]
fn ask() -> bool {
    if std::env::var_os("ARRAYSPAN_NVTX").is_some_and(|value| value == "1") {
        enable()
    } else {
        STATE.store(OFF, Relaxed);
        false
    }
}

#[cold]
fn push(name: &str) -> bool {
    // A name in C ends at its first NUL.
    let name = CString::new(name.split('\0').next().unwrap_or_default()).unwrap_or_default();
    injection::tool().is_some_and(|tool| tool.push(&name))
}
