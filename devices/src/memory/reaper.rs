//! Runs releases of memory once the work that uses it is done.
//!
//! One thread waits for the work and runs releases that are arrayspan's own: they take no lock but ours, and are quick.
//! Functions of other libraries it passes on to [`deleters`](super::deleters). Who wants to know at once, because memory
//! is short or about to be counted, runs what is due itself.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};

use super::hand_back::Release;
use super::{deleters, duty};
use crate::{Device, Event};

/// Whose function a release is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// arrayspan's own: quick, and free of other libraries' locks.
    Ours,
    /// Of another library: it may take any lock, and any time.
    Theirs,
}

/// A release that waits for work.
struct Job {
    /// Where the memory lives.
    device: Device,
    events: Vec<Event>,
    whose: Whose,
    /// `None` once it has run, or was passed on. Locked while it runs, if it is ours.
    release: Mutex<Option<Release>>,
}

static REAPER: Reaper = Reaper {
    state: Mutex::new(State { waiting: VecDeque::new(), taken: 0, done: 0, serves: false }),
    changed: Condvar::new(),
};
/// How many wait: while it is 0, checking costs one atomic load.
static WAITING: AtomicUsize = AtomicUsize::new(0);

struct Reaper {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: VecDeque<Arc<Job>>,
    /// Jobs so far, and how many of them are over.
    taken: u64,
    done: u64,
    /// Whether the thread is there.
    serves: bool,
}

/// Runs `release` once the events have passed. Does not wait.
pub(super) fn enqueue(device: Device, events: Vec<Event>, whose: Whose, release: Release) {
    let job = Arc::new(Job { device, events, whose, release: Mutex::new(Some(release)) });
    let mut state = REAPER.state.lock();
    if !state.serves {
        let builder = thread::Builder::new().name("arrayspan-reaper".into());
        if let Err(error) = builder.spawn(serve) {
            drop(state);
            tracing::warn!(%error, "no thread to wait for releases: the host waits");
            return job.finish();
        }
        state.serves = true;
    }
    WAITING.fetch_add(1, Relaxed);
    state.taken += 1;
    state.waiting.push_back(job);
    REAPER.changed.notify_all();
}

fn serve() {
    duty::release_for_ever();
    let mut state = REAPER.state.lock();
    loop {
        let Some(job) = state.waiting.front().cloned() else {
            REAPER.changed.wait(&mut state);
            continue;
        };
        drop(state);
        job.finish();
        drop(job);
        state = REAPER.state.lock();
        // Its events end outside of the lock.
        let over = state.waiting.pop_front();
        state.done += 1;
        WAITING.fetch_sub(1, Relaxed);
        REAPER.changed.notify_all();
        drop(state);
        drop(over);
        state = REAPER.state.lock();
    }
}

impl Job {
    /// Waits for the work, keeps its failure for the device's next caller, and runs the release.
    fn finish(&self) {
        for event in &self.events {
            if let Err(error) = event.driver().synchronize() {
                event.device().0.defer(error);
            }
        }
        self.run();
    }

    /// Runs the release, or passes it on, unless that was done; waits for a thread that is running it.
    fn run(&self) {
        let mut release = self.release.lock();
        let Some(release) = release.take() else { return };
        match self.whose {
            Whose::Ours => duty::release(release),
            Whose::Theirs => deleters::enqueue(release),
        }
    }

    fn is_due(&self) -> bool {
        self.events.iter().all(|event| event.is_complete().unwrap_or(false))
    }
}

fn jobs() -> Vec<Arc<Job>> {
    // In a release of ours its own job is locked.
    if WAITING.load(Relaxed) == 0 || duty::is_releasing() {
        return Vec::new();
    }
    REAPER.state.lock().waiting.iter().cloned().collect()
}

/// Runs releases whose work is done. Does not wait for any other.
pub(crate) fn settle() {
    jobs().iter().filter(|job| job.is_due()).for_each(|job| job.run());
}

/// Waits for work of the device that keeps memory from being released, on streams that have ended, too, and runs what is
/// due then.
pub(crate) fn settle_after(device: Device) {
    for job in jobs() {
        for event in job.events.iter().filter(|event| event.device() == device) {
            // Its failure is kept by the thread that waits for it anyhow.
            let _ = event.driver().synchronize();
        }
        if job.is_due() {
            job.run();
        }
    }
}

/// Waits for the work that keeps memory of the device from being released, and releases it.
pub(super) fn settle_on(device: Device) {
    for job in jobs().iter().filter(|job| job.device == device) {
        for event in &job.events {
            // The failure of that work is kept by the thread that waits for it anyhow.
            let _ = event.driver().synchronize();
        }
        job.run();
    }
}

/// Waits until all that wait now have run, or were passed on to the deleters; `false` if that takes longer.
pub(super) fn wait(until: Option<Instant>) -> bool {
    let mut state = REAPER.state.lock();
    let last = state.taken;
    while state.done < last {
        match until {
            None => REAPER.changed.wait(&mut state),
            Some(until) if REAPER.changed.wait_until(&mut state, until).timed_out() => {
                return state.done >= last;
            }
            Some(_) => {}
        }
    }
    true
}
