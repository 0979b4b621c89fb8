//! The rounds in which threads help callers, under all interleavings of a few threads.
//!
//! Their source is compiled here over loom's atomic numbers instead of the standard library's. A helper that works while its
//! caller goes on would be two accesses to one cell at once, and a caller that sleeps for ever a deadlock: loom reports both.
#![allow(clippy::undocumented_unsafe_blocks, reason = "what is unsafe here loom looks at")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![allow(clippy::reversed_empty_ranges, reason = "callers sleep without looking first")]

#[path = "../src/parallel/rounds.rs"]
mod rounds;

mod sync {
    pub(crate) use std::sync::PoisonError;
    pub(crate) use std::time::Duration;

    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::Mutex;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
    pub(crate) use loom::thread::{Thread, current as this_thread, park};

    /// Callers sleep at once.
    pub(crate) const PATIENCE: Duration = Duration::ZERO;
    pub(crate) const SPINS: usize = 0;

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

    pub(crate) struct Slot<T>(loom::cell::UnsafeCell<T>);

    impl<T: Copy> Slot<T> {
        pub(crate) fn new(content: T) -> Self {
            Self(loom::cell::UnsafeCell::new(content))
        }

        pub(crate) unsafe fn get(&self) -> T {
            self.0.with(|content| unsafe { *content })
        }

        pub(crate) unsafe fn set(&self, content: T) {
            self.0.with_mut(|place| unsafe { *place = content });
        }
    }
}

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use rounds::{Bed, Board, EMPTY, Rounds, Seat};
use sync::{AtomicBool, AtomicU32, AtomicU64, Mutex, Slot};

/// What callers lend in their rounds, one each.
struct Lent<const ROUNDS: usize> {
    rounds: Rounds<usize, 2>,
    things: [UnsafeCell<usize>; ROUNDS],
}

// SAFETY: what is wrong about it is what loom is to find.
unsafe impl<const ROUNDS: usize> Sync for Lent<ROUNDS> {}
// SAFETY: as above.
unsafe impl<const ROUNDS: usize> Send for Lent<ROUNDS> {}

fn lent<const ROUNDS: usize>() -> Arc<Lent<ROUNDS>> {
    let rounds = Rounds {
        board: Board { round: AtomicU64::new(0), task: Slot::new(0) },
        seats: std::array::from_fn(|_| Seat(AtomicU32::new(EMPTY))),
        bed: Bed { asleep: AtomicBool::new(false), sleeper: Mutex::new(None) },
    };
    Arc::new(Lent { rounds, things: std::array::from_fn(|_| UnsafeCell::new(0)) })
}

/// Opens a round in which helpers read a thing, closes it, and writes the thing.
fn call<const ROUNDS: usize>(lent: &Lent<ROUNDS>, round: usize, helpers: usize) {
    unsafe { lent.rounds.open(round, helpers) };
    assert!(lent.rounds.is_open() || helpers == 0);
    lent.rounds.close();
    assert!(!lent.rounds.is_open());
    lent.things[round].with_mut(|thing| unsafe { *thing += 1 });
}

/// Takes a seat, looks for work so many times, and leaves; how often there was some.
fn help<const ROUNDS: usize>(lent: &Lent<ROUNDS>, looks: usize) -> usize {
    let Some(mut helper) = lent.rounds.sit() else { return 0 };
    let mut last = None;
    let mut worked = 0;
    for _ in 0..looks {
        if let Some(round) = helper.enter() {
            assert!(last < Some(round), "each round once, in their order");
            last = Some(round);
            let thing = lent.things[round].with(|thing| unsafe { *thing });
            assert_eq!(thing, 0, "the round is not over");
            helper.done();
            worked += 1;
        }
    }
    helper.leave();
    worked
}

/// How often a thread may be stopped where it could go on, in one interleaving.
const BOUND: usize = 2;

/// Has one thread call, in rounds with so many helpers each, and others look so many times each. What each of these did.
///
/// The caller joins nobody: loom takes a late `unpark` of a thread that joins for the end of what it joins.
fn model<const ROUNDS: usize>(wanted: usize, looks: &'static [usize], check: fn(&[usize])) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(BOUND);
    model.check(move || {
        let lent = lent::<ROUNDS>();
        let spawn = |looks: usize| {
            let lent = lent.clone();
            thread::spawn(move || help(&lent, looks))
        };
        let helpers: Vec<_> = looks.iter().map(|looks| spawn(*looks)).collect();
        let there = lent.clone();
        let caller =
            thread::spawn(move || (0..ROUNDS).for_each(|round| call(&there, round, wanted)));
        let worked: Vec<usize> = helpers.into_iter().map(|helper| helper.join().unwrap()).collect();
        caller.join().unwrap();
        check(&worked);
    });
}

#[test]
fn no_helper_works_when_its_caller_has_gone_on() {
    model::<2>(1, &[2], |worked| assert!(worked[0] <= 2));
}

#[test]
fn two_helpers_are_waited_for() {
    model::<1>(2, &[1, 1], |worked| assert!(worked.iter().all(|worked| *worked <= 1)));
}

/// One helper leaves a seat that another takes, while callers come and go.
#[test]
fn a_seat_may_change_hands_within_a_round() {
    model::<1>(1, &[1, 1], |worked| assert!(worked.iter().all(|worked| *worked <= 1)));
}

#[test]
fn helpers_that_are_not_wanted_do_not_come() {
    loom::model(|| {
        let lent = lent::<1>();
        let (first, there) = (lent.rounds.sit().unwrap(), lent.clone());
        let second = thread::spawn(move || help(&there, 1));
        call(&lent, 0, 1);
        assert_eq!(second.join().unwrap(), 0, "the second seat is not wanted");
        assert_eq!(first.place(), 1);
        first.leave();
    });
}

/// So that the models are not true of rounds in which nobody ever helps.
#[test]
fn a_helper_that_looks_while_the_round_is_open_works() {
    loom::model(|| {
        let lent = lent::<1>();
        let mut helper = lent.rounds.sit().unwrap();
        unsafe { lent.rounds.open(0, 1) };
        assert_eq!(helper.enter(), Some(0));
        helper.done();
        assert_eq!(helper.enter(), None, "not twice");
        lent.rounds.close();
        assert_eq!(helper.enter(), None);
        helper.leave();
    });
}
