//! The faults that are injected now.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread::{self, ThreadId};

use parking_lot::RwLock;

use super::reasons::{look, look_no_more};
use super::{Fault, FaultKind, Threads, error, scope};
use crate::{Device, Result};

static FAULTS: RwLock<Vec<Arc<Armed>>> = RwLock::new(Vec::new());

/// A fault and what came of it.
#[derive(Debug)]
pub(super) struct Armed {
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

pub(super) fn arm(fault: Fault) -> Arc<Armed> {
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

/// Counts a call for each fault that it is about.
///
/// # Errors
/// The injected failure, if it is this call's turn.
#[cold]
pub(super) fn strike(kind: FaultKind, device: Device, bytes: usize) -> Result<()> {
    let faults = FAULTS.read().clone();
    // Each counts the call, also after one has let it fail.
    let struck = faults.iter().filter(|armed| armed.strikes(kind, device)).map(|armed| armed.fault);
    let Some(fault) = struck.reduce(|first, _| first) else { return Ok(()) };
    tracing::info!(%device, ?kind, class = ?fault.class, bytes, "injected a failure");
    Err(error::of(fault, device, bytes))
}
