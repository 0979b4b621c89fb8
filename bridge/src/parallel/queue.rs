//! Parts of one call that wait to be worked on, in regions: each thread begins in one of its own.
//!
//! A thread that is done leaves parts of a region whose thread is at work to that one for a moment: what a part reads is in that
//! thread's cache from the call before, and what it writes will be looked for there by the next one.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use super::sync::PATIENCE;

/// How long threads leave parts to others at most: longer than it takes to move them to another cache, and short beside work that
/// is shared. Threads of rayon's that wait for work of their own have other work meanwhile.
pub(super) const MOST_LEFT: Duration = Duration::from_micros(25);

/// Parts that wait.
pub(super) struct Queue<'w, I, W> {
    regions: SmallVec<[Region<I>; 16]>,
    /// How many regions have parts left. What threads look at is a hint: whoever takes a part holds its region's lock.
    left: Counter,
    /// How many were asked to help by a scope and are not done.
    helpers: Counter,
    work: &'w W,
}

/// Parts that one thread takes first, on a cache line of its own.
#[repr(align(128))]
struct Region<I> {
    /// Whether its thread has begun. A hint, too.
    begun: AtomicBool,
    /// Whether there are none left.
    ended: AtomicBool,
    /// None are left once the iterator has ended, or panicked.
    parts: Mutex<Option<I>>,
}

#[repr(align(128))]
struct Counter(AtomicUsize);

impl<'w, P: Send, I: Iterator<Item = P> + Send, W: Fn(P) + Sync> Queue<'w, I, W> {
    pub(super) fn new(regions: impl Iterator<Item = I>, work: &'w W) -> Self {
        let region = |parts| Region {
            begun: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            parts: Mutex::new(Some(parts)),
        };
        let regions: SmallVec<[Region<I>; 16]> = regions.map(region).collect();
        let left = Counter(AtomicUsize::new(regions.len()));
        Self { regions, left, helpers: Counter(AtomicUsize::new(0)), work }
    }

    /// Has `helpers` threads take parts: two are woken, which wake the others.
    pub(super) fn wake<'s>(&'s self, scope: &rayon::Scope<'s>, helpers: usize) {
        let half = helpers / 2;
        for helpers in [helpers - half, half] {
            if helpers > 0 {
                self.helpers.0.fetch_add(1, Ordering::Relaxed);
                scope.spawn(move |scope| {
                    if !self.is_empty() {
                        self.wake(scope, helpers - 1);
                        self.take(helpers, Duration::ZERO);
                    }
                    self.helpers.0.fetch_sub(1, Ordering::Release);
                });
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.left.0.load(Ordering::Relaxed) == 0
    }

    /// Waits until nobody helps any more, but not for long: the scope ends only then, and sleeps until it does. A thread of
    /// rayon's has other work meanwhile.
    pub(super) fn wait(&self) {
        if rayon::current_thread_index().is_some() {
            return;
        }
        spin_while(|| self.helpers.0.load(Ordering::Acquire) > 0, Instant::now(), PATIENCE);
    }

    /// Takes parts until there are none, those of the region at that place first; leaves others to their threads for `most` at most.
    pub(super) fn take(&self, place: usize, most: Duration) {
        let others = || (1..=self.regions.len()).map(|at| place + at);
        if let Some(own) = self.regions.get(place) {
            let came = Instant::now();
            own.begun.store(true, Ordering::Relaxed);
            self.all_of(own);
            let worked = came.elapsed();
            self.all_of_those(others(), |region| !region.begun.load(Ordering::Relaxed));
            spin_while(|| !self.is_empty(), came, worked + most.min(worked / 4));
        }
        self.all_of_those(others(), |_| true);
    }

    /// Takes all parts of those regions that are to be taken, the number of each counted round.
    fn all_of_those(
        &self,
        numbers: impl Iterator<Item = usize>,
        take: impl Fn(&Region<I>) -> bool,
    ) {
        for number in numbers {
            if self.is_empty() {
                return;
            }
            let region = &self.regions[number % self.regions.len()];
            if take(region) {
                self.all_of(region);
            }
        }
    }

    fn all_of(&self, region: &Region<I>) {
        while let Some(part) = self.next(region) {
            (self.work)(part);
        }
    }

    /// The next part of a region. A region whose last part was taken is not locked any more: threads that look for work
    /// would wait for each other there.
    fn next(&self, region: &Region<I>) -> Option<P> {
        if region.ended.load(Ordering::Relaxed) {
            return None;
        }
        let mut held = region.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parts = held.take();
        let part = parts.as_mut().and_then(Iterator::next);
        let more = parts.filter(|parts| part.is_some() && parts.size_hint().1 != Some(0));
        let ended = more.is_none();
        *held = more;
        if ended && !region.ended.swap(true, Ordering::Relaxed) {
            self.left.0.fetch_sub(1, Ordering::Relaxed);
        }
        part
    }
}

/// Waits awake while there is something to wait for, until so long after `begin`.
fn spin_while(waits: impl Fn() -> bool, begin: Instant, most: Duration) {
    while waits() && begin.elapsed() < most {
        for _ in 0..16 {
            spin_loop();
        }
    }
}
