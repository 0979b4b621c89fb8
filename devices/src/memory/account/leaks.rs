//! Leak detection: blocks that are still live though they should not be.

use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::catch_unwind;
use std::sync::Once;

use super::sites::{self, LiveBlock, live_blocks, record_sites};
use crate::Device;

/// A point in time to compare with later. Made by [`mark`].
#[derive(Clone, Debug)]
pub struct Mark(Vec<(Device, usize)>);

/// Remembers which blocks there have been so far, on every device.
#[must_use]
pub fn mark() -> Mark {
    let made = |device: Device| (device, device.0.counters.read().allocations);
    Mark(Device::all().into_iter().map(made).collect())
}

/// The live blocks that were allocated after `mark`. Needs [`record_sites`] to be on since then.
#[must_use]
pub fn leaks_since(mark: &Mark) -> Vec<LiveBlock> {
    let mut blocks = live_blocks();
    blocks.retain(|block| {
        let made = mark.0.iter().find(|(device, _)| *device == block.device);
        block.sequence > made.map_or(0, |(_, made)| *made)
    });
    blocks
}

/// Prints what was allocated while it lived and is live when it is dropped, with the lines that allocated it.
///
/// Turns [`record_sites`] on, and leaves it on.
#[derive(Debug)]
#[must_use = "the check is made when it is dropped"]
pub struct LeakCheck(Mark);

impl LeakCheck {
    /// Begins to record allocations.
    pub fn new() -> Self {
        record_sites(true);
        Self(mark())
    }

    /// What is live now of what was allocated since it was made.
    #[must_use]
    pub fn leaks(&self) -> Vec<LiveBlock> {
        leaks_since(&self.0)
    }
}

impl Default for LeakCheck {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for LeakCheck {
    fn drop(&mut self) {
        print(&self.leaks());
    }
}

fn print(leaks: &[LiveBlock]) {
    if leaks.is_empty() {
        return;
    }
    let bytes: usize = leaks.iter().map(|block| block.bytes).sum();
    let mut text = format!("arrayspan: {} live blocks with {bytes} bytes\n", leaks.len());
    for block in leaks {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "arrayspan: {block}");
    }
    // In one piece, and a closed stderr is no reason to panic while a process ends.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

impl std::fmt::Display for LiveBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { device, bytes, site, age, .. } = self;
        write!(f, "{device}: {bytes} bytes from {site}, {age:.1?} old")?;
        match &self.scope {
            Some(scope) => write!(f, ", in scope '{scope}'"),
            None => Ok(()),
        }
    }
}

/// With `ARRAYSPAN_LEAKS=1` lists blocks from the start and prints those still live when the process exits.
/// Read once, before the first device is opened.
pub(crate) fn from_environment() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("ARRAYSPAN_LEAKS").is_some_and(|value| value == "1") {
            record_sites(true);
            // SAFETY: `at_exit` is a function for the rest of the process, and cannot unwind.
            let refused = unsafe { atexit(at_exit) };
            if refused != 0 {
                tracing::warn!("ARRAYSPAN_LEAKS: the C library takes no more exit functions");
            }
        }
    });
}

unsafe extern "C" {
    /// Of the C library that every program here is linked with.
    fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
}

extern "C" fn at_exit() {
    // A panic must not unwind into the C library.
    let _ = catch_unwind(|| print(&sites::live_blocks()));
}
