//! What the slots of a run and its caller share.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use arrayspan_bridge::{Array, Result, SharedArray};
use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

use arrayspan_devices::Device;

use super::assignment::Placement;
use super::report::{BatchReport, Counts};
use super::schedule::{Pull, Schedule, Step};

/// What became of a batch.
pub(super) enum Outcome<E> {
    Done(Array),
    Failed(E),
    Panicked(Box<dyn Any + Send>),
}

/// What the slots of a run and its caller share. No user's code runs under its lock, and no array ends there.
pub(super) struct Coordinator<E> {
    state: Mutex<State<E>>,
    /// Told to slots and the caller.
    changed: Condvar,
    /// Told to the one who takes batches from the input.
    wanted: Condvar,
    /// One for each device: held for reading by batches under way, for writing by one that must be alone.
    gates: Vec<RwLock<()>>,
    /// For each position, which gate is its device's.
    gate_of: Vec<usize>,
    devices: Vec<Device>,
    begun: Instant,
}

struct State<E> {
    schedule: Schedule<SharedArray>,
    done: BTreeMap<usize, Outcome<E>>,
    counts: Vec<Counts>,
    /// The run's time, once it is over.
    wall: Option<Duration>,
    /// For each position, slots that wait for a batch.
    idle: Vec<usize>,
    /// Whether the input has been given up.
    fed: bool,
    /// Batches that have failed on account of a device on which they did not run, and the position of that.
    missed: BTreeSet<(usize, usize)>,
}

impl<E> Coordinator<E> {
    pub(super) fn new(devices: &[Device], ahead: usize) -> Self {
        let first = |device| devices.iter().position(|other| other == device).unwrap_or(0);
        let state = State {
            schedule: Schedule::new(devices.len(), ahead),
            done: BTreeMap::new(),
            counts: devices.iter().map(|device| Counts::new(*device)).collect(),
            wall: None,
            idle: vec![0; devices.len()],
            fed: false,
            missed: BTreeSet::new(),
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            wanted: Condvar::new(),
            gates: devices.iter().map(|_| RwLock::new(())).collect(),
            gate_of: devices.iter().map(first).collect(),
            devices: devices.to_vec(),
            begun: Instant::now(),
        }
    }

    /// The gate of the device at that position.
    pub(super) fn gate(&self, position: usize) -> &RwLock<()> {
        &self.gates[self.gate_of[position]]
    }

    /// The next batch for a slot of that device; waits for it. `None` if there will be none.
    pub(super) fn next(&self, position: usize) -> Option<(usize, SharedArray)> {
        let mut state = self.state.lock();
        let mut idle = false;
        let batch = loop {
            match state.schedule.step(position) {
                Step::Run(index, input) => break Some((index, input)),
                Step::End => break None,
                Step::Wait => {
                    if !idle {
                        idle = true;
                        state.idle[position] += 1;
                        self.wanted.notify_one();
                    }
                    self.changed.wait(&mut state);
                }
            }
        };
        state.idle[position] -= usize::from(idle);
        self.wanted.notify_one();
        batch
    }

    /// Takes batches from the input as they are wanted, until there are no more or none is wanted. Nobody waits for
    /// `next`, which may take as long as it likes, but those who need what it returns.
    pub(super) fn feed(&self, placement: &Placement, mut next: impl FnMut() -> Option<SharedArray>)
    where
        E: From<arrayspan_bridge::Error>,
    {
        let mut state = self.state.lock();
        loop {
            match state.schedule.pull(&state.idle) {
                Pull::End => return,
                Pull::Wait => self.wanted.wait(&mut state),
                Pull::Next => {
                    let index = state.schedule.next_index();
                    let pulled = MutexGuard::unlocked(&mut state, || {
                        catch_unwind(AssertUnwindSafe(|| {
                            next().map(|input| (input, placement.of(index)))
                        }))
                    });
                    let left = state.pulled(index, pulled);
                    self.changed.notify_all();
                    MutexGuard::unlocked(&mut state, || drop(left));
                }
            }
        }
    }

    /// Nobody takes batches from the input any more.
    pub(super) fn fed(&self) {
        self.state.lock().fed = true;
        self.changed.notify_all();
    }

    /// Whether nobody takes batches from the input any more, after waiting for that at most so long.
    pub(super) fn is_fed(&self, wait: Duration) -> bool {
        let end = Instant::now() + wait;
        let mut state = self.state.lock();
        while !state.fed && !self.changed.wait_until(&mut state, end).timed_out() {}
        state.fed
    }

    /// Tells what became of a batch.
    pub(super) fn end(&self, index: usize, outcome: Outcome<E>, count: impl FnOnce(&mut [Counts])) {
        let mut state = self.state.lock();
        count(&mut state.counts);
        let (left, wanted) = match outcome {
            Outcome::Done(_) => (Vec::new(), state.schedule.finished(index).then_some(index)),
            Outcome::Failed(_) | Outcome::Panicked(_) => state.schedule.failed(index),
        };
        let unwanted = match wanted {
            Some(at) => state.done.insert(at, outcome),
            None => Some(outcome),
        };
        self.changed.notify_all();
        self.wanted.notify_one();
        drop(state);
        drop((left, unwanted));
    }

    /// The positions of the device of that name.
    pub(super) fn positions_of(&self, name: &str) -> Vec<usize> {
        let named = |position: &usize| self.devices[*position].to_string() == name;
        (0..self.devices.len()).filter(named).collect()
    }

    /// The devices at `lost` are, and with them a batch that ran at `position`: on one of them, or with something that
    /// was there. Gives the batch back if there is no other device, or if it has failed on account of these before, as
    /// it would again and again.
    pub(super) fn lose(
        &self,
        lost: &[usize],
        position: usize,
        index: usize,
        input: SharedArray,
    ) -> Result<(), SharedArray> {
        let mut state = self.state.lock();
        for lost in lost {
            state.counts[*lost].lost = true;
        }
        let elsewhere = lost.first().filter(|_| !lost.contains(&position));
        let again = elsewhere.is_some_and(|lost| !state.missed.insert((index, *lost)));
        let moved = if again { Err(input) } else { state.schedule.lost(lost, index, input) };
        self.changed.notify_all();
        self.wanted.notify_one();
        moved
    }

    pub(super) fn count(&self, count: impl FnOnce(&mut [Counts])) {
        count(&mut self.state.lock().counts);
    }

    /// The next result in the order of the input; waits for it. `None` after the last.
    pub(super) fn result(&self) -> Option<Outcome<E>> {
        let mut state = self.state.lock();
        loop {
            let due = state.schedule.due();
            if let Some(outcome) = state.done.remove(&due) {
                state.schedule.returned();
                self.wanted.notify_one();
                return Some(outcome);
            }
            if state.schedule.is_over() {
                state.wall.get_or_insert_with(|| self.begun.elapsed());
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Waits until [`result`](Self::result) would not, for so long at most; whether it would not.
    pub(super) fn is_due_within(&self, time: Duration) -> bool {
        let end = Instant::now().checked_add(time);
        let mut state = self.state.lock();
        loop {
            if state.done.contains_key(&state.schedule.due()) || state.schedule.is_over() {
                return true;
            }
            let Some(end) = end else {
                self.changed.wait(&mut state);
                continue;
            };
            if self.changed.wait_until(&mut state, end).timed_out() {
                return state.done.contains_key(&state.schedule.due()) || state.schedule.is_over();
            }
        }
    }

    /// Nothing starts any more, and what is done and was not returned is dropped.
    pub(super) fn cancel(&self) {
        let mut state = self.state.lock();
        let left = (state.schedule.cancel(), std::mem::take(&mut state.done));
        state.wall.get_or_insert_with(|| self.begun.elapsed());
        self.changed.notify_all();
        self.wanted.notify_one();
        drop(state);
        drop(left);
    }

    pub(super) fn report(&self) -> BatchReport {
        let state = self.state.lock();
        let wall = state.wall.unwrap_or_else(|| self.begun.elapsed());
        BatchReport {
            wall,
            devices: state.counts.iter().map(|counts| counts.report(wall)).collect(),
        }
    }
}

/// What was taken from the input, and where it is to go.
type Pulled = std::thread::Result<Option<(SharedArray, Result<Option<usize>>)>>;

impl<E: From<arrayspan_bridge::Error>> State<E> {
    /// Enters what was pulled. Gives back what is not to run; after the end of the run, all of it.
    fn pulled(&mut self, index: usize, pulled: Pulled) -> (Vec<SharedArray>, Option<Outcome<E>>) {
        let (failure, input) = match pulled {
            Ok(Some((input, Ok(position)))) => {
                return (self.schedule.pulled(input, position).into_iter().collect(), None);
            }
            Ok(None) => {
                self.schedule.exhausted();
                return (Vec::new(), None);
            }
            Ok(Some((input, Err(error)))) => (Outcome::Failed(error.into()), Some(input)),
            Err(panic) => (Outcome::Panicked(panic), None),
        };
        let (mut left, wanted) = self.schedule.unpulled();
        left.extend(input);
        if !wanted {
            return (left, Some(failure));
        }
        self.done.insert(index, failure);
        (left, None)
    }
}

#[cfg(test)]
mod tests;
