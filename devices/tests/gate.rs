//! The gate where threads wait for memory, under all interleavings of a few threads.
//!
//! The gate's source is compiled here over loom's locks instead of the standard library's. A thread that waited for
//! ever, or a release that nobody noticed, would be a deadlock, which loom reports.

#[path = "../src/memory/gate.rs"]
mod gate;

mod sync {
    pub(crate) use std::sync::PoisonError;
    pub(crate) use std::time::{Duration, Instant};

    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

use std::time::Duration;

use gate::{Gate, Woken};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use loom::thread;

/// Longer than any model runs: what ends a wait here is never the time.
const LONG: Duration = Duration::from_secs(3600);

/// Memory of a few blocks, shared through a gate.
#[derive(Default)]
struct Shared {
    gate: Gate,
    free: AtomicUsize,
}

impl Shared {
    fn take(&self, blocks: usize) -> bool {
        self.free.fetch_update(SeqCst, SeqCst, |free| free.checked_sub(blocks)).is_ok()
    }

    fn give(&self, blocks: usize) {
        self.free.fetch_add(blocks, SeqCst);
        self.gate.released();
    }
}

fn shared(free: usize) -> Arc<Shared> {
    let shared = Shared::default();
    shared.free.store(free, SeqCst);
    Arc::new(shared)
}

#[test]
fn a_release_wakes_whoever_waits_however_late_or_early_it_comes() {
    loom::model(|| {
        let memory = shared(0);
        let owner = memory.clone();
        // It holds the only block, shares the memory, and does not wait.
        let working = memory.gate.enter();
        let waiter = thread::spawn(move || {
            let pass = owner.gate.enter();
            let mut seen = owner.gate.releases();
            while !owner.take(1) {
                assert_eq!(pass.wait(seen, LONG), Woken::Released);
                seen = owner.gate.releases();
            }
        });
        memory.give(1);
        waiter.join().unwrap();
        drop(working);
    });
}

#[test]
fn one_that_leaves_without_releasing_does_not_keep_others_waiting() {
    loom::model(|| {
        let memory = shared(0);
        let shared = memory.clone();
        let leaving = memory.gate.enter();
        let waiter = thread::spawn(move || {
            let pass = shared.gate.enter();
            // Woken by the other's leave, then alone and chosen; or chosen at once.
            while pass.wait(shared.gate.releases(), LONG) != Woken::Chosen {}
        });
        drop(leaving);
        waiter.join().unwrap();
    });
}

/// Takes a first block, then wants a second while it holds the first, as the others do. Gives up the first one if it
/// is chosen. Whether it had to.
fn greedy(memory: &Shared) -> bool {
    let pass = memory.gate.enter();
    let acquire = || {
        let mut seen = memory.gate.releases();
        while !memory.take(1) {
            match pass.wait(seen, LONG) {
                Woken::Chosen => return false,
                Woken::Released => seen = memory.gate.releases(),
                Woken::TimedOut => unreachable!("the model has no time"),
            }
        }
        true
    };
    if !acquire() {
        return true;
    }
    let second = acquire();
    memory.give(if second { 2 } else { 1 });
    !second
}

#[test]
fn threads_that_all_wait_for_each_other_go_on_because_one_gives_up() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let memory = shared(2);
        let other = memory.clone();
        let thread = thread::spawn(move || greedy(&other));
        let here = greedy(&memory);
        let there = thread.join().unwrap();
        assert!(!(here && there), "two blocks are enough for one of them");
        assert_eq!(memory.free.load(SeqCst), 2);
    });
}
