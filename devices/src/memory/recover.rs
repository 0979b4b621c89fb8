//! Gets memory back when it has run out, the cheapest way first.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::recovered::{Recovered, growth};
use super::shortage::OutOfMemory;
use super::{drain, release};
use crate::reclaim::{self, Reclaim, Stage};
use crate::{Device, Error, Result, caches};

/// How long a thread leaves the looking to another that already looks for memory of the device.
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
        Err(error @ Error::OutOfMemory { .. }) => again(device, error, &mut operation),
        other => other,
    }
}

#[cold]
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
    let mut refused = refused;
    let mut run = |refused: &mut Error| match operation() {
        Err(error @ Error::OutOfMemory { .. }) => {
            *refused = error;
            None
        }
        other => Some(other),
    };
    // What another thread has found may be enough for both.
    if waited && let Some(done) = run(&mut refused) {
        return done;
    }
    let mut tried = Vec::new();
    let begin = Instant::now();
    for way in Way::to_find_memory(device) {
        if begin.elapsed() > PATIENCE {
            break;
        }
        // Blocks that were spilled need not lie side by side: as long as there are more, more may help.
        loop {
            let recovered = way.take(device, wanted);
            let nothing = recovered.freed == Some(0) || recovered.failure.is_some();
            let stage = recovered.stage;
            tried.push(recovered);
            if (!nothing || stage == Stage::Drain)
                && let Some(done) = run(&mut refused)
            {
                return done;
            }
            if nothing || stage != Stage::Spill || begin.elapsed() > PATIENCE {
                break;
            }
        }
    }
    // A refused pool may have grown on the way; what it holds, others need.
    tried.extend(
        caches::empty_pool(device).err().map(|error| Recovered::failed(Stage::Pool, error)),
    );
    drop(turn);
    Err(refused.after(tried))
}

/// Takes the steps in order until they have given back `wanted` bytes; without a number, all of them.
/// Holds no lock that others wait for without end.
pub(super) fn recover(device: Device, wanted: Option<usize>) -> Vec<Recovered> {
    let _turn = take_turn(device);
    let (mut done, mut freed) = (Vec::new(), 0);
    for way in Way::to_find_memory(device) {
        let recovered = way.take(device, wanted);
        freed += recovered.freed.unwrap_or(0);
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

/// Two that look at once would throw out the same things. One waits for the other, and not for ever: the other may
/// wait for this one. Whether it has waited comes with it.
fn take_turn(device: Device) -> (Option<parking_lot::MutexGuard<'static, ()>>, bool) {
    let turn = &device.0.recovery;
    if let Some(turn) = turn.try_lock() {
        return (Some(turn), false);
    }
    // The other one waits for this thread to have released what it has to.
    if release::is_reaper() {
        return (None, false);
    }
    (turn.try_lock_for(TURN), true)
}

/// One step of a recovery.
#[derive(Clone, Copy, Debug)]
enum Way {
    Drain,
    Pool,
    Pinned,
    Plans,
    Library(&'static dyn Reclaim),
}

impl Way {
    /// All there are now, in order.
    fn all() -> Vec<Self> {
        let ours = [Self::Drain, Self::Pool, Self::Pinned, Self::Plans];
        let libraries = reclaim::libraries().into_iter().map(Self::Library);
        let mut ways: Vec<Self> = ours.into_iter().chain(libraries).collect();
        ways.sort_by_key(Self::stage);
        ways
    }

    /// Those that can give the device memory: page-locked memory is the host's.
    fn to_find_memory(device: Device) -> impl Iterator<Item = Self> {
        Self::all().into_iter().filter(move |way| device.is_cpu() || !matches!(way, Self::Pinned))
    }

    fn stage(&self) -> Stage {
        match self {
            Self::Drain => Stage::Drain,
            Self::Pool | Self::Pinned => Stage::Pool,
            Self::Plans => Stage::Plans,
            Self::Library(library) => library.stage(),
        }
    }

    fn take(self, device: Device, wanted: Option<usize>) -> Recovered {
        let begin = Instant::now();
        let (name, result) = match self {
            Self::Drain => ("queued work", drained(device)),
            Self::Pool => ("our pool", caches::empty_pool(device).map(Some)),
            Self::Pinned => ("page-locked memory", caches::empty_pinned(device).map(Some)),
            Self::Plans => ("kernels", Ok(caches::forget_plans(device))),
            Self::Library(library) => (library.name(), released(library, device, wanted)),
        };
        let (freed, failure) = match result {
            Ok(freed) => (freed, None),
            Err(error) => (None, Some(error)),
        };
        let stage = self.stage();
        let recovered = Recovered { stage, name, freed, took: begin.elapsed(), failure };
        tracing::info!(%device, %recovered, "looked for memory");
        recovered
    }
}

fn drained(device: Device) -> Result<Option<usize>> {
    let driver = &device.0.driver;
    let free = || Some(driver.free_bytes()? + driver.spare_bytes() + device.0.pool.cached());
    let before = free();
    settle(device)?;
    Ok(growth(before, free()))
}

/// Waits until what has been dropped is free. A failure that nobody has been told of yet stays for the next to ask.
fn settle(device: Device) -> Result<()> {
    // Work first, since releases wait for it; then what the releases have queued.
    synchronize(device)?;
    drain();
    synchronize(device)
}

fn synchronize(device: Device) -> Result<()> {
    let ends = device.0.streams().into_iter().map(|stream| stream.driver().synchronize());
    ends.fold(Ok(()), Result::and)
}

fn released(library: &dyn Reclaim, device: Device, wanted: Option<usize>) -> Result<Option<usize>> {
    let held = || library.holdings(device).map(|holdings| holdings.reserved_bytes);
    let (before, free) = (held(), device.free_bytes());
    library.release_some(device, wanted)?;
    let freed = growth(held(), before);
    if freed != Some(0) {
        settle(device)?;
    }
    if library.stage() == Stage::Spill && freed != Some(0) {
        // Blocks of many sizes came back to the pool: joined by the driver they make a large one.
        caches::empty_pool(device)?;
    }
    Ok(freed.or_else(|| growth(free, device.free_bytes())))
}

thread_local! {
    static RECOVERING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps a recovery that runs out of memory itself from starting another.
pub(super) struct Recovering;

impl Recovering {
    pub(super) fn enter() -> Option<Self> {
        // Made only where it is one: its drop ends the recovery.
        (!RECOVERING.replace(true)).then(|| Self)
    }
}

impl Drop for Recovering {
    fn drop(&mut self) {
        RECOVERING.set(false);
    }
}
