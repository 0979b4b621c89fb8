//! Gets memory back when it has run out, the cheapest way first.
//!
//! Who asks for memory may hold any lock of the program, and so a recovery waits for nothing that could want one: for
//! work of the device, for releases of our own, and only a little while ([`deleters::PATIENCE`](super::deleters::PATIENCE)) for functions by
//! which other libraries take their memory back. None of those runs on the thread that looks. In turn nothing in
//! arrayspan asks for memory under a lock of ours that a recovery or such a function could wait for.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::contest::Contest;
use super::duty::{self, Elsewhere};
use super::recovered::Recovered;
use super::shortage::OutOfMemory;
use super::steps::Way;
use crate::reclaim::Stage;
use crate::{Device, Error, Result};

/// How long a thread waits for another that is already recovering memory of the device.
const TURN: Duration = Duration::from_secs(2);

/// How long one call looks for memory before it gives up: no step begins later than that.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Runs one call of arrayspan's own, and again after each step that may have found memory if it runs out.
///
/// This is the protection that every allocation, launch and copy has without anyone asking: a call that was
/// refused has done nothing, so that running it again is always right. The steps are those of
/// [`with_retry`](super::retry::with_retry) without waiting for other threads.
pub(crate) fn or_recover<T>(
    device: Device,
    mut operation: impl FnMut() -> Result<T>,
) -> Result<T, Error> {
    let mut operation = || operation().map_err(|error| error.recognised(device));
    match operation() {
        Err(error @ Error::OutOfMemory { .. }) => search(device, error, &mut operation),
        other => other,
    }
}

/// What a search for memory is run by: calls the function that it is given, once.
pub type Around = fn(&mut dyn FnMut());

static AROUND: OnceLock<Around> = OnceLock::new();

/// Has every search for memory on behalf of a single call run by a function of the program's, which can let go meanwhile of a lock
/// that its threads hold (an interpreter's, say), and functions that free memory want. Whether it is the first that is named.
pub fn around(function: Around) -> bool {
    AROUND.set(function).is_ok()
}

#[cold]
fn search<T>(
    device: Device,
    refused: Error,
    operation: &mut dyn FnMut() -> Result<T>,
) -> Result<T, Error> {
    let Some(around) = AROUND.get() else { return again(device, refused, operation) };
    let mut found = Err(refused);
    let mut begun = false;
    around(&mut || {
        if let (false, Err(refused)) = (std::mem::replace(&mut begun, true), &found) {
            found = again(device, refused.clone(), operation);
        }
    });
    found
}

fn again<T>(
    device: Device,
    refused: Error,
    operation: &mut dyn FnMut() -> Result<T>,
) -> Result<T, Error> {
    // Inside a recovery the library or the spill that runs out is told, and the next step taken.
    let Some(_recovering) = Recovering::enter() else { return Err(refused) };
    let shortage = refused.shortage().unwrap_or_default();
    let (device, wanted) = (shortage.device.unwrap_or(device), shortage.bytes);
    let all = Some(device.info().memory_bytes).filter(|bytes| *bytes > 0);
    let most = all.into_iter().chain(device.limit()).min().unwrap_or(usize::MAX);
    if wanted.is_some_and(|wanted| wanted > most) {
        // Nothing that others could give up would be enough.
        return Err(refused);
    }
    let (turn, waited) = take_turn(device);
    let (tried, begin) = (Vec::new(), Instant::now());
    let mut search = Search { device, wanted, refused, tried, spilled: false, begin };
    // What another thread has freed may be enough for both.
    if waited && let Some(done) = search.run(operation) {
        return done;
    }
    let mut contest = Contest::begin(device);
    loop {
        if let Some(done) = search.all_ways(operation) {
            return done;
        }
        // What was found others may have taken, who can be asked for it again.
        if search.is_over() || !contest.goes_on(search.spilled) {
            break;
        }
        if let Some(done) = search.run(operation) {
            return done;
        }
    }
    // A refused pool may have grown on the way; what it holds, others need.
    let trimmed = device.trim(0).err();
    search.tried.extend(trimmed.map(|error| Recovered::failed(Stage::Pool, error)));
    drop(turn);
    Err(search.refused.after(search.tried))
}

/// A search for memory on behalf of one call.
struct Search {
    device: Device,
    wanted: Option<usize>,
    /// Why the call was refused last.
    refused: Error,
    /// The steps so far, each once.
    tried: Vec<Recovered>,
    /// Whether arrays were spilled in the latest round.
    spilled: bool,
    begin: Instant,
}

impl Search {
    /// Runs the call again; `None` if it was refused once more.
    fn run<T>(&mut self, operation: &mut dyn FnMut() -> Result<T>) -> Option<Result<T>> {
        match operation() {
            Err(error @ Error::OutOfMemory { .. }) => {
                self.refused = error;
                None
            }
            other => Some(other),
        }
    }

    fn is_over(&self) -> bool {
        self.begin.elapsed() > PATIENCE
    }

    /// Takes one step after the other, and runs the call after each that may have found memory.
    fn all_ways<T>(&mut self, operation: &mut dyn FnMut() -> Result<T>) -> Option<Result<T>> {
        self.spilled = false;
        for way in Way::to_find_memory(self.device) {
            // Blocks that were spilled need not lie side by side: as long as there are more, more may help.
            loop {
                if self.is_over() {
                    return None;
                }
                let recovered = way.take(self.device, self.wanted);
                let nothing = recovered.freed == Some(0) || recovered.failure.is_some();
                let stage = recovered.stage;
                self.spilled |= stage == Stage::Spill && !nothing;
                recovered.enter(&mut self.tried);
                if (!nothing || stage == Stage::Drain)
                    && let Some(done) = self.run(operation)
                {
                    return Some(done);
                }
                if nothing || stage != Stage::Spill {
                    break;
                }
            }
        }
        None
    }
}

/// Takes the steps in order until they have given back `wanted` bytes; without a number, all of them. `earlier` is how
/// often that was done for the same operation: what waiting and the pool then bring was not enough before.
/// Holds no lock that others wait for without end.
pub(super) fn recover(device: Device, wanted: Option<usize>, earlier: usize) -> Vec<Recovered> {
    let _turn = take_turn(device);
    let (mut done, mut freed) = (Vec::new(), 0);
    for way in Way::to_find_memory(device) {
        let recovered = way.take(device, wanted);
        if earlier == 0 || recovered.stage > Stage::Pool {
            freed += recovered.freed.unwrap_or(0);
        }
        done.push(recovered);
        if wanted.is_some_and(|wanted| freed >= wanted) {
            break;
        }
    }
    done
}

/// Everything that is kept to be used again, given back. Nothing inside another recovery, which does the same.
pub(crate) fn clear(device: Device) -> Vec<Recovered> {
    let Some(_recovering) = Recovering::enter() else { return Vec::new() };
    let _turn = take_turn(device);
    let kept = Way::all().into_iter().filter(|way| way.stage() < Stage::Spill);
    kept.map(|way| way.take(device, None)).collect()
}

/// Two concurrent recoveries would free the same things. One waits for the other, for a bounded time: the other may be
/// waiting for this one. Returns also whether it has waited.
pub(super) fn take_turn(device: Device) -> (Option<parking_lot::MutexGuard<'static, ()>>, bool) {
    let turn = &device.0.recovery;
    if let Some(turn) = turn.try_lock() {
        return (Some(turn), false);
    }
    // The other one waits for this thread to have released what it has to.
    if duty::is_reaper() {
        return (None, false);
    }
    (turn.try_lock_for(TURN), true)
}

thread_local! {
    static RECOVERING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps a recovery that runs out of memory itself from starting another, and functions of other libraries from running
/// on this thread.
pub(super) struct Recovering {
    _elsewhere: Elsewhere,
}

impl Recovering {
    pub(super) fn enter() -> Option<Self> {
        // Made only where no recovery of this thread was under way, because its drop ends that.
        (!RECOVERING.replace(true)).then(|| Self { _elsewhere: duty::elsewhere() })
    }
}

impl Drop for Recovering {
    fn drop(&mut self) {
        RECOVERING.set(false);
    }
}
