//! The functions by which other libraries take their memory back, on a thread of their own.
//!
//! Such a function may take any lock and any time. Therefore no release of arrayspan waits for one, and a thread that
//! looks for memory, perhaps under a lock that the function needs, waits for it for [`PATIENCE`] at most.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::duty;
use super::hand_back::{self, Release};

/// How long a recovery waits for the functions of other libraries. One that has run for so long counts as stuck: no
/// recovery waits for it any more.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

static DELETERS: Deleters = Deleters {
    state: Mutex::new(State {
        waiting: VecDeque::new(),
        taken: 0,
        done: 0,
        began: None,
        serves: false,
    }),
    changed: Condvar::new(),
};

struct Deleters {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: VecDeque<Release>,
    /// Functions so far, and how many of them have ended.
    taken: u64,
    done: u64,
    /// When the one that runs now began.
    began: Option<Instant>,
    /// Whether the thread is there.
    serves: bool,
}

/// Runs a function whose work is done: here, or, where this thread must not, on the thread for it.
pub(crate) fn run(function: Release) {
    if duty::is_elsewhere() { enqueue(function) } else { duty::delete(function) }
}

/// Has the thread run a function.
pub(super) fn enqueue(function: Release) {
    let mut state = DELETERS.state.lock();
    state.taken += 1;
    state.waiting.push_back(function);
    if !state.serves {
        let builder = thread::Builder::new().name("arrayspan-deleters".into());
        match builder.spawn(serve) {
            Ok(_) => state.serves = true,
            // The next call tries again, and a wait without bound runs them itself.
            Err(error) => tracing::warn!(%error, "no thread for the release functions of others"),
        }
    }
    DELETERS.changed.notify_all();
}

fn serve() {
    duty::delete_for_ever();
    let mut state = DELETERS.state.lock();
    loop {
        let Some(function) = state.waiting.pop_front() else {
            DELETERS.changed.wait(&mut state);
            continue;
        };
        state.began = Some(Instant::now());
        drop(state);
        hand_back::run(function);
        state = DELETERS.state.lock();
        state.began = None;
        state.done += 1;
        DELETERS.changed.notify_all();
    }
}

/// Waits until the functions that are due now have run; `false` if that takes longer.
pub(super) fn wait(until: Option<Instant>) -> bool {
    wait_for(until, None)
}

/// As [`wait`], for [`PATIENCE`], and for no function longer than that since it began.
pub(super) fn wait_a_little() -> bool {
    wait_for(Some(Instant::now() + PATIENCE), Some(PATIENCE))
}

fn wait_for(until: Option<Instant>, each: Option<Duration>) -> bool {
    let mut state = DELETERS.state.lock();
    let last = state.taken;
    while state.done < last {
        if !state.serves {
            let Some(function) = state.waiting.pop_front().filter(|_| until.is_none()) else {
                return false;
            };
            drop(state);
            duty::delete(function);
            state = DELETERS.state.lock();
            state.done += 1;
            continue;
        }
        let stuck = state.began.zip(each).map(|(began, each)| began + each);
        let Some(until) = until.into_iter().chain(stuck).min() else {
            DELETERS.changed.wait(&mut state);
            continue;
        };
        if Instant::now() >= until {
            return false;
        }
        DELETERS.changed.wait_until(&mut state, until);
    }
    true
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use super::super::release::drain;
    use super::*;

    #[test]
    fn a_function_that_runs_where_its_block_was_dropped_waits_for_no_other() {
        let lock = Arc::new(Mutex::new(()));
        let (ended, end) = channel();
        thread::spawn(move || {
            run(Box::new(move || {
                let _held = lock.lock();
                let wanted = lock.clone();
                enqueue(Box::new(move || drop(wanted.lock())));
                drain();
                let _ = ended.send(());
            }));
        });
        assert!(
            end.recv_timeout(Duration::from_secs(20)).is_ok(),
            "it waits for one that waits for it"
        );
    }
}
