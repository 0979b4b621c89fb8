//! A queue of threads that found no memory and wait for others to release some; none waits for ever.
//!
//! Waiting threads are resumed one at a time, the one with the oldest attempt first, and only if more memory may be free
//! than when that attempt failed: after a release by a thread that is not in the queue; after an attempt that released
//! more than it had allocated; after one that released its own allocations while this one failed at the same time; after
//! a thread has left. What an attempt allocates and releases while the others wait changes nothing for them, so they do
//! not wake each other.
//!
//! Written against [`crate::sync`], so that a test can run it under a checker of all thread interleavings.

use crate::sync::{
    AtomicU64, Condvar, Duration, Instant, Mutex, MutexGuard, Ordering, PoisonError,
};

/// One atomic number: the low bits count waiting threads, the others releases. One step both counts a release and reads
/// whether a thread waits for it, so that no wake-up is lost.
const RELEASE: u64 = 1 << 16;

/// How long the others wait after one was resumed and has not failed again: after that it has its memory.
const ALONE: Duration = Duration::from_millis(50);

/// The interval at which a thread checks whether its pause is over or its turn has come.
const SLICE: Duration = Duration::from_millis(2);

/// The least time to wait for a thread that can only use what a running attempt has released.
const POLL: Duration = Duration::from_millis(250);

/// Threads that share a device's memory: those that work, and those that wait.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: AtomicU64,
    /// Releases within attempts.
    within: AtomicU64,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// How many have entered since the beginning: a later one has a larger number.
    entered: u64,
    /// Counts the beginnings and ends of attempts.
    clock: u64,
    /// Those that have entered and not left.
    inside: Vec<Place>,
    /// Which thread was resumed last, and when, until it fails again or leaves.
    turn: Option<(u64, Instant)>,
}

/// A thread that has entered.
#[derive(Debug)]
struct Place {
    number: u64,
    /// When its latest attempt began.
    began: u64,
    /// When that failed, if it waits.
    failed: Option<u64>,
    /// Releases of others before its latest attempt: outside of attempts, and within.
    seen: [u64; 2],
    /// Whether something has changed for it since that began.
    news: bool,
    /// Since when it waits, and how long it has to at least.
    since: Instant,
    pause: Duration,
}

/// What a failed attempt has released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LetGo {
    /// Nothing.
    Nothing,
    /// What it had taken itself.
    Taken,
    /// More than that.
    More,
}

/// How waiting has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// Something may have been released since.
    Released,
    /// All wait, and this thread entered last: it must use less memory, or fail, so that the others can continue.
    Chosen,
    /// The time is over.
    TimedOut,
}

/// A thread's entry in the queue; it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    gate: &'a Gate,
    number: u64,
}

impl Gate {
    /// A thread begins work that needs memory.
    pub(crate) fn enter(&self) -> Pass<'_> {
        let mut queue = self.lock();
        queue.entered += 1;
        let number = queue.entered;
        let (failed, news, since, pause) = (None, false, Instant::now(), Duration::ZERO);
        let place = Place { number, began: 0, failed, seen: [0, 0], news, since, pause };
        queue.inside.push(place);
        Pass { gate: self, number }
    }

    /// Memory was released by a thread that makes no attempt here. One atomic step where nobody waits.
    pub(crate) fn released(&self) {
        if self.state.fetch_add(RELEASE, Ordering::AcqRel) & (RELEASE - 1) > 0 {
            // A thread that is about to wait holds the lock, or reads the new number.
            drop(self.lock());
            self.changed.notify_all();
        }
    }

    /// Memory was released by a thread within its attempt, at whose end it tells.
    pub(crate) fn released_within(&self) {
        self.within.fetch_add(1, Ordering::Relaxed);
    }

    fn releases(&self) -> [u64; 2] {
        let outside = self.state.load(Ordering::Acquire) / RELEASE;
        [outside, self.within.load(Ordering::Relaxed)]
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Whether something may have changed for it since it failed.
    fn hopes(&self, now: [u64; 2]) -> bool {
        let waits_long = || self.since.elapsed() >= POLL;
        self.news || now[0] != self.seen[0] || now[1] != self.seen[1] && waits_long()
    }

    fn has_paused(&self) -> bool {
        self.pause.is_zero() || self.since.elapsed() >= self.pause
    }
}

impl Queue {
    fn place(&mut self, number: u64) -> Option<&mut Place> {
        self.inside.iter_mut().find(|place| place.number == number)
    }

    /// An attempt has failed: what that means for the others, those that make one included.
    fn failed(&mut self, number: u64, let_go: LetGo, pause: Duration) {
        self.clock += 1;
        let clock = self.clock;
        let Some(own) = self.place(number) else { return };
        own.failed = Some(clock);
        (own.since, own.pause) = (Instant::now(), pause);
        let began = own.began;
        for other in self.inside.iter_mut().filter(|other| other.number != number) {
            other.news |= match let_go {
                LetGo::Nothing => false,
                // It may have failed because exactly that memory was in use.
                LetGo::Taken => other.failed.is_none_or(|failed| failed > began),
                LetGo::More => true,
            };
        }
        self.pass_on(number);
    }

    /// Others may be resumed, if it was this thread's turn.
    fn pass_on(&mut self, number: u64) {
        self.turn = self.turn.take().filter(|(turn, _)| *turn != number);
    }

    /// Which thread to resume: of those for which something may have changed, the one whose attempt is the oldest.
    fn next(&self, now: [u64; 2]) -> Option<u64> {
        let ready =
            |place: &&Place| place.failed.is_some() && place.hopes(now) && place.has_paused();
        let next = self.inside.iter().filter(ready).min_by_key(|place| place.failed);
        next.map(|place| place.number)
    }

    /// The thread that entered last, if all wait and nothing has changed for any of them.
    fn chosen(&self, now: [u64; 2]) -> Option<u64> {
        let stuck = self.inside.iter().all(|place| place.failed.is_some() && !place.hopes(now));
        stuck.then(|| self.inside.iter().map(|place| place.number).max()).flatten()
    }
}

impl Pass<'_> {
    /// An attempt begins. What is released from now on it may not have found.
    pub(crate) fn begin(&self) {
        let mut queue = self.gate.lock();
        queue.clock += 1;
        let (began, seen) = (queue.clock, self.gate.releases());
        if let Some(own) = queue.place(self.number) {
            (own.began, own.failed, own.seen, own.news) = (began, None, seen, false);
        }
    }

    /// The attempt has failed. Waits, for `pause` at least, until something may have changed for it and its turn has
    /// come; until all that have entered wait in vain and this one is the latest of them; or until `limit` is over.
    pub(crate) fn wait(&self, let_go: LetGo, pause: Duration, limit: Duration) -> Woken {
        let begin = Instant::now();
        let gate = self.gate;
        let mut queue = gate.lock();
        // Counted as waiting, so that a release wakes it, until something has changed for it.
        gate.state.fetch_add(1, Ordering::AcqRel);
        let mut counted = true;
        queue.failed(self.number, let_go, pause);
        // It may be the turn of another waiting thread now.
        gate.changed.notify_all();
        let woken = loop {
            let now = gate.releases();
            let working = queue.turn.as_ref().is_some_and(|(_, since)| since.elapsed() < ALONE);
            if !working && queue.next(now) == Some(self.number) {
                queue.turn = Some((self.number, Instant::now()));
                break Woken::Released;
            }
            if queue.chosen(now) == Some(self.number) {
                break Woken::Chosen;
            }
            let Some(rest) = limit.checked_sub(begin.elapsed()).filter(|rest| !rest.is_zero())
            else {
                break Woken::TimedOut;
            };
            let hopes = queue.place(self.number).is_some_and(|own| own.hopes(now));
            if hopes && counted {
                counted = false;
                gate.state.fetch_sub(1, Ordering::AcqRel);
            }
            let slice = if hopes { SLICE } else { POLL };
            let waited = gate.changed.wait_timeout(queue, rest.min(slice));
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        if let Some(own) = queue.place(self.number) {
            own.failed = None;
        }
        if counted {
            gate.state.fetch_sub(1, Ordering::AcqRel);
        }
        woken
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut queue = self.gate.lock();
        queue.inside.retain(|place| place.number != self.number);
        // Each may have released something.
        queue.inside.iter_mut().for_each(|place| place.news = true);
        queue.pass_on(self.number);
        drop(queue);
        self.gate.changed.notify_all();
    }
}
