//! How a caller hands work to threads that wait awake, and how it knows that all who took it up are done.
//!
//! One number, which all of them look at, says which round it is and how many may take part, so that a caller calls all at
//! once, however many there are. Each helper says on a cache line of its own whether it works: the caller reads these when
//! it has closed the round, and waits for those only that have begun.
//!
//! A helper writes that it works before it looks whether the round is open still; the caller closes the round before it looks
//! who works. So one of both sees what the other wrote.
//!
//! Written against [`super::sync`], so that a test can run it under a checker of all thread interleavings.

use super::sync::{
    AtomicBool, AtomicU32, AtomicU64, Instant, Mutex, Ordering, PATIENCE, PoisonError, SPINS, Slot,
    Thread, fence, park, spin_loop, this_thread,
};

/// The rounds of callers, one after the other, and the seats of helpers, at most [`MOST`].
pub(crate) struct Rounds<T, const SEATS: usize> {
    pub(crate) board: Board<T>,
    pub(crate) seats: [Seat; SEATS],
    pub(crate) bed: Bed,
}

/// The number of the round, shifted, and how many may take part in it; none when it is closed. With the task on the same
/// cache line, which whoever reads one needs next.
#[repr(align(128))]
pub(crate) struct Board<T> {
    pub(crate) round: AtomicU64,
    /// Written by the caller while nobody takes part, read by those who do.
    pub(crate) task: Slot<T>,
}

/// One of the states below, on a cache line of its own.
#[repr(align(128))]
pub(crate) struct Seat(pub(crate) AtomicU32);

/// Whether the caller sleeps until nobody works for it, and who it is.
#[repr(align(128))]
pub(crate) struct Bed {
    pub(crate) asleep: AtomicBool,
    pub(crate) sleeper: Mutex<Option<Thread>>,
}

/// Nobody sits here.
pub(crate) const EMPTY: u32 = 0;
/// Who sits here waits, or does something else, and must not be waited for.
const WAITS: u32 = 1;
/// It works, or is about to see that the round is closed.
const WORKS: u32 = 2;

/// How many seats there may be.
pub(crate) const MOST: usize = WANTED as usize;
const WANTED: u64 = 0xff;
const NEXT: u64 = WANTED + 1;

// SAFETY: only the task is not `Sync`. It is written by a caller, of which there is one at a time, while no helper reads it (see
// `Rounds::open`), and copied by helpers, so it has to be `Send` and `Copy`.
unsafe impl<T: Send + Copy, const SEATS: usize> Sync for Rounds<T, SEATS> {}

impl<T: Copy, const SEATS: usize> Rounds<T, SEATS> {
    /// Begins a round in which the first so many seats may take part.
    ///
    /// # Safety
    /// One caller at a time opens a round, and closes it, by [`close`](Self::close), before anyone opens another one and
    /// before the task is no task any more.
    pub(crate) unsafe fn open(&self, task: T, helpers: usize) {
        // SAFETY: rounds before this one were closed, which waited for all that had begun, and nobody has begun since.
        unsafe { self.board.task.set(task) };
        let round = self.board.round.load(Ordering::Relaxed) & !WANTED;
        let round = round.wrapping_add(NEXT) | (helpers.min(SEATS).min(MOST) as u64);
        self.board.round.store(round, Ordering::Release);
    }

    /// Whether helpers may take part now. It may have changed when this returns.
    pub(crate) fn is_open(&self) -> bool {
        self.board.round.load(Ordering::Relaxed) & WANTED > 0
    }

    /// Ends the round: waits until nobody works any more, awake at first. Who has not begun will not.
    pub(crate) fn close(&self) {
        let round = self.board.round.load(Ordering::Relaxed);
        self.board.round.store(round & !WANTED, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let called = (round & WANTED) as usize;
        self.seats[..called].iter().for_each(|seat| self.wait(seat));
    }

    /// Waits until the round is closed for that seat, too.
    fn wait(&self, Seat(seat): &Seat) {
        let works = || seat.load(Ordering::Acquire) == WORKS;
        let mut begin = None;
        while works() {
            for _ in 0..SPINS {
                spin_loop();
                if !works() {
                    return;
                }
            }
            if begin.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
                continue;
            }
            let this = Some(this_thread());
            *self.bed.sleeper.lock().unwrap_or_else(PoisonError::into_inner) = this;
            self.bed.asleep.store(true, Ordering::Relaxed);
            // Either this reads that the work is done, or who writes that reads that this sleeps.
            fence(Ordering::SeqCst);
            while works() {
                park();
            }
            self.bed.asleep.store(false, Ordering::Relaxed);
        }
    }

    /// A seat, if one is free: the first.
    pub(crate) fn sit(&self) -> Option<Helper<'_, T, SEATS>> {
        let takes = |Seat(seat): &Seat| {
            let (new, old) = (Ordering::Acquire, Ordering::Relaxed);
            seat.compare_exchange(EMPTY, WAITS, new, old).is_ok()
        };
        let seat = self.seats.iter().position(takes)?;
        Some(Helper { rounds: self, seat, seen: 0 })
    }
}

/// One that waits for rounds, and keeps its seat until it leaves.
pub(crate) struct Helper<'r, T, const SEATS: usize> {
    rounds: &'r Rounds<T, SEATS>,
    seat: usize,
    /// What the board said at the last look.
    seen: u64,
}

impl<T: Copy, const SEATS: usize> Helper<'_, T, SEATS> {
    /// Its place among those who work: the caller has the place 0.
    pub(crate) fn place(&self) -> usize {
        self.seat + 1
    }

    /// The task of a round that is open, if this may take part and has not done so: it is one until this calls
    /// [`done`](Self::done).
    pub(crate) fn enter(&mut self) -> Option<T> {
        let Board { round, task } = &self.rounds.board;
        let wanted = |round: u64| (round & WANTED) as usize > self.seat;
        // A look first: what is written leaves the caches of all others.
        let now = round.load(Ordering::Relaxed);
        if now == self.seen {
            return None;
        }
        self.seen = now;
        if !wanted(now) {
            return None;
        }
        self.rounds.seats[self.seat].0.store(WORKS, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        // Perhaps a later one.
        let now = round.load(Ordering::Acquire);
        self.seen = now;
        if !wanted(now) {
            self.done();
            return None;
        }
        // SAFETY: the round was open when the seat said that this works. The caller that closes it waits until the seat says
        // otherwise, and only then is another task written.
        Some(unsafe { task.get() })
    }

    /// Says that this does not work any more.
    pub(crate) fn done(&mut self) {
        let Rounds { seats, bed, .. } = self.rounds;
        seats[self.seat].0.store(WAITS, Ordering::Release);
        fence(Ordering::SeqCst);
        if bed.asleep.load(Ordering::Relaxed) {
            // A later caller, if the one that slept has seen for itself that all are done.
            let sleeper = bed.sleeper.lock().unwrap_or_else(PoisonError::into_inner);
            sleeper.iter().for_each(Thread::unpark);
        }
    }

    /// Gives the seat up.
    pub(crate) fn leave(self) {
        self.rounds.seats[self.seat].0.store(EMPTY, Ordering::Release);
    }
}
