//! Threads of rayon's that stay awake for a while after they have helped: the next call finds them waiting, where one
//! that sleeps takes tens of microseconds to come, and the one that wakes it several.
//!
//! A helper is a job of rayon's. While it has nothing to do it looks for other jobs of rayon's now and then, and yields
//! to other threads. A thread that waits for work of its own may have taken it up meanwhile, and cannot go on before it ends:
//! so it ends after a term, and another job takes its place.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// How long a helper stays awake without work: longer than what callers do between two calls of an iteration.
const LINGER: Duration = Duration::from_millis(1);

/// How long a helper stays, busy or not, before another job takes its place.
const TERM: Duration = Duration::from_millis(5);

/// How long a caller looks for the last helpers to finish before it sleeps: about what a thread takes to wake up.
pub(super) const PATIENCE: Duration = Duration::from_micros(50);

/// Looks at a seat between two looks at the clock.
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
    /// Held by the caller whose work is done.
    caller: Mutex<()>,
    /// Written by the caller while nobody works for it, read by those who do.
    work: UnsafeCell<Work>,
    /// Where helpers wait awake, each on a cache line of its own: neither do they disturb each other, nor has the caller to
    /// wait for one after the other.
    seats: [Seat; SEATS],
    /// For helpers that wake up while the work is done.
    door: Door,
    /// How many helpers are awake, or about to be.
    awake: AtomicUsize,
    /// Whether the caller sleeps until nobody works for it, and who it is.
    asleep: AtomicBool,
    sleeper: Mutex<Option<Thread>>,
    /// What a helper panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// One of the states below.
#[repr(align(128))]
struct Seat(AtomicU32);

/// Nobody sits here.
const EMPTY: u32 = 0;
/// A helper waits for work.
const WAITS: u32 = 1;
/// It does something else meanwhile, and must not be waited for.
const AWAY: u32 = 2;
/// The caller has work for it.
const CALLED: u32 = 3;
/// It works.
const WORKS: u32 = 4;

/// How many are inside, and for how many more there is room.
#[repr(align(128))]
struct Door(AtomicU64);

const INSIDE: u64 = 1;
const ROOM: u64 = 1 << 32;
const ALL_INSIDE: u64 = ROOM - 1;

/// A function that takes the place of who calls it, without its type and lifetime.
#[derive(Clone, Copy)]
struct Work {
    function: *const (),
    call: unsafe fn(*const (), usize),
}

// SAFETY: of all fields only `work` is not `Sync`; it is read and written as its documentation says, and what it points to
// is `Sync`.
unsafe impl Sync for Crew {}

impl Crew {
    const fn new() -> Self {
        let nothing = Work { function: std::ptr::null(), call: |_, _| {} };
        Self {
            caller: Mutex::new(()),
            work: UnsafeCell::new(nothing),
            seats: [const { Seat(AtomicU32::new(EMPTY)) }; SEATS],
            door: Door(AtomicU64::new(0)),
            awake: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            sleeper: Mutex::new(None),
            panic: Mutex::new(None),
        }
    }

    /// Calls `work` on this thread, with place 0, and on up to `helpers` others, each with a place of its own that it keeps
    /// from call to call. Returns when all are done; at once, and `false`, if others have the crew.
    pub(super) fn run<W: Fn(usize) + Sync>(&'static self, helpers: usize, work: &W) -> bool {
        let held = match self.caller.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let function = std::ptr::from_ref(work).cast();
        // SAFETY: this thread holds `caller`, and all callers before it left when nobody worked for them and nobody could
        // begin to.
        unsafe { *self.work.get() = Work { function, call: call::<W> } };
        // The first free seat is taken, so nobody sits behind as many as there are threads.
        let seated = rayon::current_num_threads().min(SEATS);
        let (mut called, mut missing) = (0, helpers);
        while called < seated && missing > 0 {
            let seat = &self.seats[called].0;
            missing -= usize::from(change(seat, WAITS, CALLED));
            called += 1;
        }
        if missing > 0 {
            self.door.0.store(missing as u64 * ROOM, Ordering::Release);
        }
        let own = catch_unwind(AssertUnwindSafe(|| {
            if missing > 0 {
                self.wake(helpers);
            }
            work(0);
        }));
        if missing > 0 {
            self.door.0.fetch_and(ALL_INSIDE, Ordering::AcqRel);
        }
        self.wait(&self.seats[..called]);
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
                    if self.door.0.load(Ordering::Relaxed) >= ROOM {
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
        let came = Instant::now();
        let mut free = 0..SEATS;
        let seat = free.find(|at| change(&self.seats[*at].0, EMPTY, AWAY));
        let place = seat.map_or(0, |seat| seat + 1);
        self.join(place);
        let Some(Seat(seat)) = seat.map(|seat| &self.seats[seat]) else { return true };
        let mut since = Instant::now();
        seat.store(WAITS, Ordering::Release);
        loop {
            for _ in 0..LOOKS {
                if seat.load(Ordering::Relaxed) == CALLED && change(seat, CALLED, WORKS) {
                    self.work(place);
                    seat.store(WAITS, Ordering::SeqCst);
                    self.wake_caller();
                    since = Instant::now();
                }
                for _ in 0..4 {
                    spin_loop();
                }
            }
            let done = since.elapsed() > LINGER;
            let leaves = done || came.elapsed() > TERM;
            if !change(seat, WAITS, if leaves { EMPTY } else { AWAY }) {
                continue;
            }
            if leaves {
                return done;
            }
            rayon::yield_now();
            std::thread::yield_now();
            self.join(place);
            seat.store(WAITS, Ordering::Release);
        }
    }

    /// Works inside, if there is room.
    fn join(&self, place: usize) {
        let enters = |door: u64| (door >= ROOM).then(|| door - ROOM + INSIDE);
        if self.door.0.fetch_update(Ordering::Acquire, Ordering::Relaxed, enters).is_ok() {
            self.work(place);
            self.door.0.fetch_sub(INSIDE, Ordering::SeqCst);
            self.wake_caller();
        }
    }

    /// Does the caller's work.
    fn work(&self, place: usize) {
        // SAFETY: this thread is inside, or its seat says that it works, so the caller does not write `work`, and has not
        // returned from the call that borrows the function.
        let result = catch_unwind(AssertUnwindSafe(|| unsafe {
            let Work { function, call } = *self.work.get();
            call(function, place);
        }));
        if let Err(panic) = result {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
    }

    /// After it was written that the work is done. Either the caller reads that, or this reads that it sleeps.
    fn wake_caller(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            // A later caller, if the one that slept has seen for itself that all are done.
            let sleeper = self.sleeper.lock().unwrap_or_else(PoisonError::into_inner);
            sleeper.iter().for_each(Thread::unpark);
        }
    }

    /// Waits until nobody works any more, awake at first. Who has not begun need not.
    fn wait(&self, called: &[Seat]) {
        let busy = |Seat(seat): &Seat| {
            let state = seat.load(Ordering::SeqCst);
            state == WORKS || state == CALLED && !change(seat, CALLED, WAITS)
        };
        let works =
            || self.door.0.load(Ordering::SeqCst) & ALL_INSIDE > 0 || called.iter().any(busy);
        let mut begin = None;
        while works() {
            if begin.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
                for _ in 0..16 {
                    spin_loop();
                }
                continue;
            }
            let this = Some(std::thread::current());
            *self.sleeper.lock().unwrap_or_else(PoisonError::into_inner) = this;
            self.asleep.store(true, Ordering::SeqCst);
            while works() {
                std::thread::park();
            }
            self.asleep.store(false, Ordering::Relaxed);
        }
    }
}

/// Changes the state of a seat from one to another, if it is that one.
fn change(seat: &AtomicU32, from: u32, to: u32) -> bool {
    // A look first: a cache line that is written leaves the caches of all others.
    seat.load(Ordering::Relaxed) == from
        && seat.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
}

/// # Safety
/// `function` is a borrowed `W`.
unsafe fn call<W: Fn(usize)>(function: *const (), place: usize) {
    // SAFETY: the caller's.
    unsafe { (*function.cast::<W>())(place) };
}
