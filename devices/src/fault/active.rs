//! The faults that are injected now.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};

use parking_lot::RwLock;

use super::{Fault, FaultKind, Threads, coverage, error, scope, text};
use crate::{Device, Result};

/// How many reasons there are to look further than this number: faults, the watch for allocations outside
/// retry scopes, and, at first, an environment that nobody has read.
static REASONS: AtomicUsize = AtomicUsize::new(1);

static FAULTS: RwLock<Vec<Arc<Armed>>> = RwLock::new(Vec::new());

/// A fault and what came of it.
#[derive(Debug)]
struct Armed {
    number: u64,
    fault: Fault,
    thread: ThreadId,
    /// Calls so far, unless threads are counted each for itself.
    calls: AtomicUsize,
    hits: AtomicUsize,
}

thread_local! {
    /// Calls so far of this thread, by the number of the fault that counts them.
    static CALLS: RefCell<HashMap<u64, usize>> = RefCell::default();
}

/// A fault that stays injected as long as this lives.
#[derive(Debug)]
#[must_use = "nothing is injected any more once this is dropped"]
pub struct Injection(Arc<Armed>);

/// Lets calls fail as `fault` says while the result lives.
pub fn inject(fault: Fault) -> Injection {
    Injection(arm(fault))
}

fn arm(fault: Fault) -> Arc<Armed> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let armed = Arc::new(Armed {
        number: NUMBER.fetch_add(1, Relaxed),
        fault,
        thread: thread::current().id(),
        calls: AtomicUsize::new(0),
        hits: AtomicUsize::new(0),
    });
    FAULTS.write().push(armed.clone());
    look();
    armed
}

impl Injection {
    /// How many calls have failed by it.
    #[must_use]
    pub fn hits(&self) -> usize {
        self.0.hits.load(Relaxed)
    }
}

impl Drop for Injection {
    fn drop(&mut self) {
        FAULTS.write().retain(|armed| armed.number != self.0.number);
        look_no_more();
        // Thread-local counts of other threads stay behind; numbers are never used again.
        let _ = CALLS.try_with(|calls| calls.borrow_mut().remove(&self.0.number));
    }
}

impl Armed {
    /// Counts a call that it is about; whether that fails.
    fn strikes(&self, kind: FaultKind, device: Device) -> bool {
        let fault = &self.fault;
        let about = fault.kind == kind
            && fault.device.is_none_or(|wanted| wanted == device)
            && (fault.threads != Threads::This || self.thread == thread::current().id())
            && (!fault.only_protected || scope::is_protected());
        if !about {
            return false;
        }
        let call = match fault.threads {
            Threads::Each => {
                let next = |calls: &RefCell<HashMap<u64, usize>>| {
                    let mut calls = calls.borrow_mut();
                    let calls = calls.entry(self.number).or_default();
                    *calls += 1;
                    *calls - 1
                };
                // A thread that is ending counts no more, and nothing of it fails.
                let Ok(call) = CALLS.try_with(next) else { return false };
                call
            }
            Threads::This | Threads::Any => self.calls.fetch_add(1, Relaxed),
        };
        let hit = fault.hits(call);
        if hit {
            self.hits.fetch_add(1, Relaxed);
        }
        hit
    }
}

/// Whether a call may not go its way without asking further. One load where nothing is injected.
pub(crate) fn armed() -> bool {
    REASONS.load(Relaxed) > 0
}

/// To be asked at the top of each call that may fail, with the bytes that it is about.
///
/// # Errors
/// The injected failure, if it is this call's turn.
#[inline]
pub(crate) fn check(kind: FaultKind, device: Device, bytes: usize) -> Result<()> {
    if armed() { strike(kind, device, bytes) } else { Ok(()) }
}

#[cold]
fn strike(kind: FaultKind, device: Device, bytes: usize) -> Result<()> {
    read_environment();
    let faults = FAULTS.read().clone();
    // Each counts the call, also after one has let it fail.
    let struck = faults.iter().filter(|armed| armed.strikes(kind, device)).map(|armed| armed.fault);
    let Some(fault) = struck.reduce(|first, _| first) else { return Ok(()) };
    tracing::info!(%device, ?kind, class = ?fault.class, bytes, "injected a failure");
    Err(error::of(fault, device, bytes))
}

/// There is one more reason to look.
pub(super) fn look() {
    REASONS.fetch_add(1, Relaxed);
}

pub(super) fn look_no_more() {
    REASONS.fetch_sub(1, Relaxed);
}

/// The faults that `ARRAYSPAN_FAULTS` asks for.
///
/// # Errors
/// [`Error::Setting`](crate::Error::Setting) when it cannot be read; nothing is injected then.
pub fn environment() -> Result<Vec<Fault>> {
    read_environment().clone()
}

/// Reads the variables once, arms what they ask for, tells what they get wrong.
pub(super) fn read_environment() -> &'static Result<Vec<Fault>> {
    static READ: OnceLock<Result<Vec<Fault>>> = OnceLock::new();
    READ.get_or_init(|| {
        let faults = text::read(&std::env::var(text::VARIABLE).unwrap_or_default());
        match &faults {
            Ok(faults) => faults.iter().for_each(|fault| drop(arm(*fault))),
            Err(error) => tell(&error.to_string()),
        }
        coverage::start_if_wanted();
        look_no_more();
        faults
    })
}

/// Says something that must be seen without a subscriber, too.
pub(super) fn tell(what: &str) {
    tracing::warn!("{what}");
    if !tracing::dispatcher::has_been_set() {
        eprintln!("arrayspan: {what}");
    }
}
