//! Threads of rayon's that stay awake for a while after they have helped: the next call finds them waiting, where one
//! that sleeps takes tens of microseconds to come, and the one that wakes it several.
//!
//! A helper is a job of rayon's. While it has nothing to do it looks for other jobs of rayon's now and then, and yields
//! to other threads. A thread that waits for work of its own may have taken it up meanwhile, and cannot go on before it ends:
//! so it ends after a term, and another job takes its place.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::cell::Cell;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::rounds::{Bed, Board, EMPTY, Rounds, Seat};
use super::sync::{AtomicBool, AtomicU32, AtomicU64, Slot};

/// How long a helper stays awake without work: longer than what callers do between two calls of an iteration.
const LINGER: Duration = Duration::from_millis(1);

/// How long a helper stays, busy or not, before another job takes its place.
const TERM: Duration = Duration::from_millis(5);

/// How long a helper that has nothing to do looks for work before it looks for other jobs: longer than what callers do
/// between two calls as a rule, since it does not come when it is called meanwhile.
const BREAK: Duration = Duration::from_micros(20);

/// How long it works before it does so.
const SHIFT: Duration = Duration::from_micros(500);

/// Looks for work between two looks at the clock.
const LOOKS: usize = 64;

/// Helpers that may stay awake.
const SEATS: usize = 128;

/// The helpers of callers that are not threads of rayon's. It works for one of them at a time.
pub(super) static CREW: Crew = Crew::new();

thread_local! {
    /// Whether this thread is a helper already.
    static HELPS: Cell<bool> = const { Cell::new(false) };
}

pub(super) struct Crew {
    rounds: Rounds<Work, SEATS>,
    /// Held by the caller whose work is done.
    caller: Mutex<()>,
    /// How many helpers are awake, or about to be.
    awake: AtomicUsize,
    /// What a helper panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A function that takes the place of who calls it, without its type and lifetime.
#[derive(Clone, Copy)]
struct Work {
    function: *const (),
    call: unsafe fn(*const (), usize),
}

// SAFETY: what it points to is `Sync`.
unsafe impl Send for Work {}

impl Crew {
    const fn new() -> Self {
        let nothing = Work { function: std::ptr::null(), call: |_, _| {} };
        let rounds = Rounds {
            board: Board { round: AtomicU64::new(0), task: Slot::new(nothing) },
            seats: [const { Seat(AtomicU32::new(EMPTY)) }; SEATS],
            bed: Bed { asleep: AtomicBool::new(false), sleeper: Mutex::new(None) },
        };
        let caller = Mutex::new(());
        Self { rounds, caller, awake: AtomicUsize::new(0), panic: Mutex::new(None) }
    }

    /// Calls `work` on this thread, with place 0, and on up to `helpers` others, each with a place of its own that it keeps
    /// from call to call. Returns when all are done; at once, and `false`, if others have the crew.
    pub(super) fn run<W: Fn(usize) + Sync>(&'static self, helpers: usize, work: &W) -> bool {
        let held = match self.caller.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let helpers = helpers.min(SEATS);
        let function = std::ptr::from_ref(work).cast();
        // SAFETY: this thread holds `caller`, and closes the round below, whatever happens, before `work` is given back.
        unsafe { self.rounds.open(Work { function, call: call::<W> }, helpers) };
        let own = catch_unwind(AssertUnwindSafe(|| {
            self.wake(helpers);
            work(0);
        }));
        self.rounds.close();
        let others = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(held);
        if let Some(panic) = own.err().or(others) {
            resume_unwind(panic);
        }
        true
    }

    /// Sees to it that so many helpers are awake.
    fn wake(&'static self, helpers: usize) {
        let missing = helpers.saturating_sub(self.awake.load(Ordering::Relaxed));
        if missing > 0 {
            self.awake.fetch_add(missing, Ordering::Relaxed);
            self.call(missing);
        }
    }

    /// Has so many threads help: two are woken, which wake the others.
    fn call(&'static self, helpers: usize) {
        let half = helpers / 2;
        for helpers in [helpers - half, half] {
            if helpers > 0 {
                rayon::spawn(move || {
                    if self.rounds.is_open() {
                        self.call(helpers - 1);
                    } else {
                        self.awake.fetch_sub(helpers - 1, Ordering::Relaxed);
                    }
                    self.serve();
                });
            }
        }
    }

    /// Helps on this thread for a term, and hands over to another job.
    fn serve(&'static self) {
        // Not once more on a thread that waits within its work.
        if !HELPS.replace(true) {
            let done = self.help();
            HELPS.set(false);
            if !done {
                #[cfg(test)]
                tests::HANDED_OVER.fetch_add(1, Ordering::Relaxed);
                return rayon::spawn(move || self.serve());
            }
        }
        self.awake.fetch_sub(1, Ordering::Relaxed);
    }

    /// Works for one caller after the other until there has been none for a while, which is `true`, or its term is over.
    fn help(&self) -> bool {
        let Some(mut helper) = self.rounds.sit() else { return true };
        let came = Instant::now();
        let (mut worked, mut looked) = (came, came);
        loop {
            let mut works = false;
            for _ in 0..LOOKS {
                if let Some(work) = helper.enter() {
                    self.work(work, helper.place());
                    helper.done();
                    works = true;
                }
                spin_loop();
            }
            let now = Instant::now();
            if works {
                worked = now;
            }
            let (idle, since) = (now.duration_since(worked), now.duration_since(looked));
            let done = idle > LINGER;
            if done || now.duration_since(came) > TERM {
                helper.leave();
                return done;
            }
            let rests = if works { since > SHIFT } else { since.min(idle) > BREAK };
            if rests {
                rayon::yield_now();
                std::thread::yield_now();
                looked = Instant::now();
            }
        }
    }

    /// Does the caller's work.
    fn work(&self, Work { function, call }: Work, place: usize) {
        // SAFETY: the round is open or waits for this thread, so the caller has not returned from the call that borrows the
        // function.
        let result = catch_unwind(AssertUnwindSafe(|| unsafe { call(function, place) }));
        if let Err(panic) = result {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
    }
}

/// # Safety
/// `function` is a borrowed `W`.
unsafe fn call<W: Fn(usize)>(function: *const (), place: usize) {
    // SAFETY: the caller's.
    unsafe { (*function.cast::<W>())(place) };
}
