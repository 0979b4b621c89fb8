//! The gate where threads wait for memory, under all interleavings of a few threads.
//!
//! The gate's source is compiled here over loom's locks instead of the standard library's. A thread that waited for
//! ever, or a release that nobody noticed, would be a deadlock, which loom reports.

#[path = "../src/memory/gate.rs"]
mod gate;

mod sync {
    pub(crate) use std::sync::PoisonError;
    pub(crate) use std::time::Duration;

    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

    /// Models have no time: it stands still.
    #[derive(Debug)]
    pub(crate) struct Instant;

    impl Instant {
        pub(crate) fn now() -> Self {
            Self
        }

        #[allow(clippy::unused_self, reason = "as the standard library's")]
        pub(crate) fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }
}

use std::time::Duration;

use gate::{Gate, LetGo, Woken};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use loom::thread;

/// Longer than any model runs: what ends a wait here is never the time.
const LONG: Duration = Duration::from_secs(3600);
const AT_ONCE: Duration = Duration::ZERO;

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
            pass.begin();
            while !owner.take(1) {
                assert_eq!(pass.wait(LetGo::Nothing, AT_ONCE, LONG), Woken::Released);
                pass.begin();
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
            pass.begin();
            while pass.wait(LetGo::Nothing, AT_ONCE, LONG) != Woken::Chosen {
                pass.begin();
            }
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
        pass.begin();
        while !memory.take(1) {
            match pass.wait(LetGo::Nothing, AT_ONCE, LONG) {
                Woken::Chosen => return false,
                Woken::Released => pass.begin(),
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

/// Takes two blocks one by one, and gives back what it has taken where there are no two, as an operation that is run
/// again does. How often it ran; `None` if it was chosen to fail.
fn modest(memory: &Shared) -> Option<usize> {
    let pass = memory.gate.enter();
    for runs in 1.. {
        pass.begin();
        let taken = usize::from(memory.take(1));
        if taken == 1 && memory.take(1) {
            // Outside of the attempt, which has worked.
            memory.free.fetch_add(2, SeqCst);
            return Some(runs);
        }
        memory.free.fetch_add(taken, SeqCst);
        memory.gate.released_within();
        let let_go = if taken == 1 { LetGo::Taken } else { LetGo::Nothing };
        match pass.wait(let_go, AT_ONCE, LONG) {
            Woken::Released => {}
            Woken::Chosen => return None,
            Woken::TimedOut => unreachable!("the model has no time"),
        }
    }
    unreachable!("it runs until it works or is chosen")
}

#[test]
fn threads_that_were_in_each_others_way_run_again_one_at_a_time_and_no_more_often_than_they_must() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let memory = shared(2);
        let other = memory.clone();
        let thread = thread::spawn(move || modest(&other));
        let here = modest(&memory);
        let there = thread.join().unwrap();
        // The first, beside the other; one alone; one more after the other has left.
        assert!(here.is_some_and(|runs| runs <= 3), "{here:?}");
        assert!(there.is_some_and(|runs| runs <= 3), "{there:?}");
    });
}

#[test]
fn what_an_attempt_takes_and_lets_go_of_does_not_wake_those_that_failed_before_it() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let memory = shared(1);
        let runs = Arc::new(AtomicUsize::new(0));
        // It shares the memory and works until all others have run.
        let working = memory.gate.enter();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (memory, runs) = (memory.clone(), runs.clone());
                thread::spawn(move || {
                    let pass = memory.gate.enter();
                    loop {
                        pass.begin();
                        runs.fetch_add(1, SeqCst);
                        let taken = usize::from(memory.take(1));
                        memory.free.fetch_add(taken, SeqCst);
                        let let_go = if taken == 1 { LetGo::Taken } else { LetGo::Nothing };
                        if pass.wait(let_go, AT_ONCE, LONG) == Woken::Chosen {
                            return;
                        }
                    }
                })
            })
            .collect();
        drop(working);
        for thread in threads {
            thread.join().unwrap();
        }
        // Each at first, beside the other, after the one that worked has left, and after the other has; not for ever.
        let runs = runs.load(SeqCst);
        assert!((2..=8).contains(&runs), "{runs}");
    });
}

#[test]
fn an_attempt_that_lets_go_of_more_than_it_took_is_a_gain_for_those_that_failed_before() {
    loom::model(|| {
        let memory = shared(0);
        let other = memory.clone();
        // It has had the only block since before, and gives it back in an attempt that fails all the same.
        let pass = memory.gate.enter();
        let waiter = thread::spawn(move || {
            let pass = other.gate.enter();
            pass.begin();
            while !other.take(1) {
                assert_eq!(pass.wait(LetGo::Nothing, AT_ONCE, LONG), Woken::Released);
                pass.begin();
            }
        });
        pass.begin();
        memory.free.fetch_add(1, SeqCst);
        memory.gate.released_within();
        assert_ne!(pass.wait(LetGo::More, AT_ONCE, LONG), Woken::TimedOut);
        drop(pass);
        waiter.join().unwrap();
    });
}
