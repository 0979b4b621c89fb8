//! Where threads that found no memory wait for others to release some, and none waits for ever.
//!
//! Written against [`crate::sync`], so that a test can run it under a checker of all thread interleavings.

use crate::sync::{
    AtomicU64, Condvar, Duration, Instant, Mutex, MutexGuard, Ordering, PoisonError,
};

/// The number of threads at the gate takes the low bits of one number, that of releases so far the rest: one atomic
/// step both counts a release and sees whether anybody waits for it, so that none is missed.
const RELEASE: u64 = 1 << 16;

/// Threads that share a device's memory: those that work, and those that wait.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: AtomicU64,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// How many have entered since the beginning: a later one has a larger number.
    entered: u64,
    /// Those that have entered and not left.
    inside: usize,
    /// The numbers of those that wait.
    waiting: Vec<u64>,
    /// Counts those that have left: each may have released something.
    left: u64,
}

/// How waiting has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// Something was released since.
    Released,
    /// All wait, and this is the latest: it has to do with less, or fail, so that the others can go on.
    Chosen,
    /// The time is over.
    TimedOut,
}

/// A thread's place among those that share the memory.
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
        queue.inside += 1;
        Pass { gate: self, number: queue.entered }
    }

    /// What to hand to [`Pass::wait`]: to be read before the attempt that may fail, or a release between the two
    /// would be missed.
    pub(crate) fn releases(&self) -> u64 {
        self.state.load(Ordering::Acquire) / RELEASE
    }

    /// Memory was released. One atomic step where nobody waits.
    pub(crate) fn released(&self) {
        if self.state.fetch_add(RELEASE, Ordering::AcqRel) & (RELEASE - 1) > 0 {
            // Whoever is about to wait holds the lock, or sees the new number.
            drop(self.lock());
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass<'_> {
    /// Waits until something is released after `seen`, until all that have entered wait and this one is the latest
    /// of them, or until `limit` is over.
    pub(crate) fn wait(&self, seen: u64, limit: Duration) -> Woken {
        let begin = Instant::now();
        let gate = self.gate;
        let mut queue = gate.lock();
        let left = queue.left;
        queue.waiting.push(self.number);
        let mut state = gate.state.fetch_add(1, Ordering::AcqRel);
        let woken = loop {
            if state / RELEASE != seen || queue.left != left {
                break Woken::Released;
            }
            if queue.waiting.len() == queue.inside {
                if queue.waiting.iter().max() == Some(&self.number) {
                    break Woken::Chosen;
                }
                // The latest may sleep and not know that all wait now.
                gate.changed.notify_all();
            }
            let Some(rest) = limit.checked_sub(begin.elapsed()).filter(|rest| !rest.is_zero())
            else {
                break Woken::TimedOut;
            };
            let waited = gate.changed.wait_timeout(queue, rest);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            state = gate.state.load(Ordering::Acquire);
        };
        queue.waiting.retain(|number| *number != self.number);
        gate.state.fetch_sub(1, Ordering::AcqRel);
        woken
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut queue = self.gate.lock();
        queue.inside -= 1;
        queue.left += 1;
        drop(queue);
        self.gate.changed.notify_all();
    }
}
