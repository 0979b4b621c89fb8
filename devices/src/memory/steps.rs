//! The steps of a recovery. Each tells what it has given back itself, whatever others take or give meanwhile.

use std::time::Instant;

use super::recovered::{Recovered, growth};
use super::{deleters, duty, reaper};
use crate::reclaim::{self, Reclaim, Stage};
use crate::{Device, Result};

/// One step of a recovery.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Drain,
    Pool,
    Pinned,
    Library(&'static dyn Reclaim),
}

impl Way {
    /// All there are now, in order.
    pub(super) fn all() -> Vec<Self> {
        let ours = [Self::Drain, Self::Pool, Self::Pinned];
        let libraries = reclaim::libraries().into_iter().map(Self::Library);
        let mut ways: Vec<Self> = ours.into_iter().chain(libraries).collect();
        ways.sort_by_key(Self::stage);
        ways
    }

    /// Those that can give the device memory: page-locked memory is the host's.
    pub(super) fn to_find_memory(device: Device) -> impl Iterator<Item = Self> {
        Self::all().into_iter().filter(move |way| device.is_cpu() || !matches!(way, Self::Pinned))
    }

    pub(super) fn stage(&self) -> Stage {
        match self {
            Self::Drain => Stage::Drain,
            Self::Pool | Self::Pinned => Stage::Pool,
            Self::Library(library) => library.stage(),
        }
    }

    pub(super) fn take(self, device: Device, wanted: Option<usize>) -> Recovered {
        let begin = Instant::now();
        let (name, result) = match self {
            Self::Drain => ("queued work", settle(device).map(Some)),
            Self::Pool => ("our pool", device.trim(0).map(Some)),
            Self::Pinned => ("page-locked memory", empty_pinned(device).map(Some)),
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

/// Waits until what has been dropped is free: for work, then for the releases that wait for it, then for what those have
/// queued. How many bytes of the pool nobody had to wait for any more. A failure of that work that nobody has been told
/// of yet stays for the next to ask.
pub(super) fn settle(device: Device) -> Result<usize> {
    synchronize(device)?;
    reaper::settle_on(device);
    if !duty::is_reaper() && !deleters::wait_a_little() {
        tracing::warn!(%device, "a function that gives memory back to its library does not end");
    }
    synchronize(device)?;
    Ok(device.0.pool.settle(device))
}

fn synchronize(device: Device) -> Result<()> {
    let ends = device.0.streams().into_iter().map(|stream| stream.driver().synchronize());
    ends.fold(Ok(()), Result::and)
}

fn released(library: &dyn Reclaim, device: Device, wanted: Option<usize>) -> Result<Option<usize>> {
    let free = device.free_bytes();
    let freed = library.release_some(device, wanted)?;
    if freed != Some(0) {
        settle(device)?;
    }
    if library.stage() == Stage::Spill && freed != Some(0) {
        // Blocks of many sizes came back to the pool: joined by the driver they make a large one.
        device.trim(0)?;
    }
    // Where the library cannot tell, the driver may; that it sees no more free than before proves nothing.
    let seen = || growth(free, device.free_bytes()).filter(|bytes| *bytes > 0);
    Ok(freed.or_else(seen))
}

/// Gives page-locked memory that nobody uses back to the host: what is locked for `device`, or, for the CPU, whose
/// memory it is, for any. How many bytes that was.
fn empty_pinned(device: Device) -> Result<usize> {
    if !device.is_cpu() {
        return device.trim_pinned(0);
    }
    Device::all().into_iter().map(|device| device.trim_pinned(0)).sum()
}
