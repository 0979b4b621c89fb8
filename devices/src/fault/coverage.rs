//! Allocations that nobody would run again.
//!
//! An allocation that is refused looks for memory by itself, once. What it cannot do is split the work it
//! belongs to, or move it: that needs a retry scope around it. `ARRAYSPAN_COVERAGE=1` tells of each place that
//! allocates outside of any, once.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use super::reasons::{look, look_no_more, tell};
use super::scope::is_protected;

/// Turns the watch on for the whole program: `1` or `0`.
const VARIABLE: &str = "ARRAYSPAN_COVERAGE";

/// A place in a program that has allocated outside of any retry scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where.
    pub location: &'static Location<'static>,
    /// How often.
    pub allocations: usize,
    /// How many bytes in all.
    pub bytes: usize,
}

static WATCHES: AtomicUsize = AtomicUsize::new(0);
static TELLS: AtomicBool = AtomicBool::new(false);
static SITES: Mutex<Vec<Site>> = Mutex::new(Vec::new());

/// Allocations outside of retry scopes are noted while it lives.
#[derive(Debug)]
#[must_use = "nothing is noted any more once this is dropped"]
pub struct Watch(());

/// Begins to note allocations outside of retry scopes. The first watch forgets what was noted before.
pub fn watch() -> Watch {
    if WATCHES.fetch_add(1, Relaxed) == 0 {
        SITES.lock().clear();
    }
    look();
    Watch(())
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHES.fetch_sub(1, Relaxed);
        look_no_more();
    }
}

/// The places that have allocated outside of any retry scope while somebody watched, the largest first.
#[must_use]
pub fn unprotected() -> Vec<Site> {
    let mut sites = SITES.lock().clone();
    sites.sort_by_key(|site| std::cmp::Reverse(site.bytes));
    sites
}

/// Takes note of an allocation.
#[cold]
pub(super) fn record(location: &'static Location<'static>, bytes: usize) {
    if WATCHES.load(Relaxed) == 0 || is_protected() {
        return;
    }
    let mut sites = SITES.lock();
    if let Some(site) = sites.iter_mut().find(|site| site.location == location) {
        site.allocations += 1;
        site.bytes += bytes;
        return;
    }
    sites.push(Site { location, allocations: 1, bytes });
    drop(sites);
    if TELLS.load(Relaxed) {
        tell(&format!("{location} allocates {bytes} bytes outside of any retry scope"));
    }
}

/// Starts a watch that never ends, if the program's user wants it.
pub(super) fn start_if_wanted() {
    match std::env::var(VARIABLE).as_deref() {
        Ok("1") => {
            TELLS.store(true, Relaxed);
            std::mem::forget(watch());
        }
        Err(_) | Ok("" | "0") => {}
        Ok(other) => tell(&format!("{VARIABLE} is 0 or 1, not '{other}'")),
    }
}
