//! Page-locked host memory that is kept for reuse.
//!
//! Locking pages costs about half a second for a GiB, and a process may hold only so many locked ranges. So small blocks
//! are parts of slabs, large ones slabs of their own, and both stay locked when they are given back, up to a bound.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::buddy::{Buddy, SMALLEST};
use super::ranges::{self, Whose};
use super::statistics::PinnedStatistics;
use crate::driver::Locked;
use crate::{Device, Error, Result};

/// What is locked at a time for small blocks.
const SLAB: usize = 8 << 20;
/// The largest block that is a part of a slab. Larger ones would waste too much by their powers of two.
const LARGEST_PART: usize = SLAB / 2;
/// Large blocks are a multiple of this.
const STEP: usize = 1 << 20;
/// The part of the host's memory that may stay locked though nobody uses it, as 1 / this.
const KEPT: usize = 16;

/// The page-locked memory of one device.
#[derive(Debug, Default)]
pub(crate) struct PinnedPool {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    slabs: Vec<Slab>,
    blocks: usize,
    active_bytes: usize,
    host_allocations: usize,
    host_frees: usize,
    locking: Duration,
}

#[derive(Debug)]
struct Slab {
    locked: Locked,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Parts(Buddy),
    Whole { taken: bool },
}

impl Slab {
    fn is_idle(&self) -> bool {
        match &self.content {
            Content::Parts(parts) => parts.is_idle(),
            Content::Whole { taken } => !taken,
        }
    }

    fn contains(&self, address: usize) -> bool {
        (self.locked.address..self.locked.address + self.locked.bytes).contains(&address)
    }
}

impl PinnedPool {
    /// Takes a block of at least `bytes > 0` bytes for transfers with `device`, whose pool this is: its address, and its
    /// bytes with what rounding adds. Its content is what its last user left.
    pub(super) fn take(&self, device: Device, bytes: usize) -> Result<(usize, usize)> {
        let size = size_of_block(bytes).ok_or_else(|| refused(bytes))?;
        let host = Device::cpu();
        // Beyond the host's limit nothing is given out, though it is there.
        if host.0.pool.charge(host, 0, bytes).is_ok()
            && let Some(block) = self.state.lock().reuse(size)
        {
            return Ok(block);
        }
        let whole = if size <= LARGEST_PART { SLAB } else { size };
        let locked = match self.lock(device, whole, bytes) {
            // A smaller slab may be available.
            Err(Error::OutOfMemory { .. }) if size < whole => self.lock(device, size, bytes),
            done => done,
        }?;
        let mut state = self.state.lock();
        let content = if size <= LARGEST_PART {
            Content::Parts(Buddy::new(locked.bytes))
        } else {
            Content::Whole { taken: false }
        };
        state.slabs.push(Slab { locked, content });
        // Another thread may have taken what was free before; this slab is ours, as the lock has not been given up.
        state.reuse(size).ok_or_else(|| refused(bytes))
    }

    /// Locks as much anew, if the limit of the host, whose memory it is, allows it.
    fn lock(&self, device: Device, whole: usize, asked: usize) -> Result<Locked> {
        let host = Device::cpu();
        let began = Instant::now();
        if host.0.pool.charge(host, whole, asked).is_err() {
            // What is kept here counts, too.
            self.trim(device, 0)?;
            host.0.pool.charge_or_trim(host, whole, asked)?;
        }
        // Outside the lock: page-locking is slow.
        let mut locked = device.0.driver.lock_pages(whole);
        if matches!(locked, Err(Error::OutOfMemory { .. })) && self.trim(device, 0)? > 0 {
            locked = device.0.driver.lock_pages(whole);
        }
        let locked = locked.map_err(|error| {
            host.0.pool.uncharge(whole);
            match error {
                Error::OutOfMemory { device, code, .. } => {
                    Error::out_of_memory(device, asked, code)
                }
                other => other,
            }
        })?;
        ranges::insert(locked.address, locked.bytes, device, Whose::Pool);
        let mut state = self.state.lock();
        state.locking += began.elapsed();
        state.host_allocations += 1;
        Ok(locked)
    }

    /// Gives back a block from [`take`](Self::take) that no work uses any more.
    pub(super) fn give(&self, device: Device, address: usize) {
        let mut state = self.state.lock();
        state.give(address);
        let surplus = state.idle_beyond(bound());
        drop(state);
        if let Err(error) = self.unlock(device, surplus) {
            device.0.defer(error);
        }
    }

    /// Gives idle slabs back to the host until no more than `keep` bytes of them are left; how many bytes that were.
    pub(in crate::memory) fn trim(&self, device: Device, keep: usize) -> Result<usize> {
        let surplus = self.state.lock().idle_beyond(keep);
        self.unlock(device, surplus)
    }

    /// All of them, also if the driver reports a failure for some.
    fn unlock(&self, device: Device, slabs: Vec<Slab>) -> Result<usize> {
        let (mut freed, mut result) = (0, Ok(()));
        for slab in slabs {
            ranges::remove(slab.locked.address);
            freed += slab.locked.bytes;
            // SAFETY: the slab came from the same driver and is idle: its blocks were given back after all work.
            let unlocked = unsafe { device.0.driver.unlock_pages(slab.locked) };
            Device::cpu().0.pool.uncharge(slab.locked.bytes);
            result = result.and(unlocked);
            self.state.lock().host_frees += 1;
        }
        result.map(|()| freed)
    }

    pub(in crate::memory) fn statistics(&self) -> PinnedStatistics {
        let state = self.state.lock();
        let bytes = state.slabs.iter().map(|slab| slab.locked.bytes).sum();
        PinnedStatistics {
            blocks: state.blocks,
            active_bytes: state.active_bytes,
            cached_bytes: bytes - state.active_bytes,
            bytes,
            slabs: state.slabs.len(),
            host_allocations: state.host_allocations,
            host_frees: state.host_frees,
            locking: state.locking,
        }
    }
}

impl State {
    /// A block of exactly that size for small ones, of up to a quarter more for large ones.
    fn reuse(&mut self, size: usize) -> Option<(usize, usize)> {
        let (address, bytes) = if size <= LARGEST_PART {
            let part = |slab: &mut Slab| match &mut slab.content {
                Content::Parts(parts) => Some(slab.locked.address + parts.take(size)?),
                Content::Whole { .. } => None,
            };
            (self.slabs.iter_mut().find_map(part)?, size)
        } else {
            let fits = |slab: &&mut Slab| {
                matches!(slab.content, Content::Whole { taken: false })
                    && (size..=size + size / 4).contains(&slab.locked.bytes)
            };
            let best = self.slabs.iter_mut().filter(fits).min_by_key(|slab| slab.locked.bytes)?;
            best.content = Content::Whole { taken: true };
            (best.locked.address, best.locked.bytes)
        };
        self.blocks += 1;
        self.active_bytes += bytes;
        Some((address, bytes))
    }

    fn give(&mut self, address: usize) {
        let Some(slab) = self.slabs.iter_mut().find(|slab| slab.contains(address)) else {
            debug_assert!(false, "{address:#x} is no pinned block");
            return;
        };
        let bytes = match &mut slab.content {
            Content::Parts(parts) => parts.give(address - slab.locked.address).unwrap_or(0),
            Content::Whole { taken } => {
                *taken = false;
                slab.locked.bytes
            }
        };
        self.blocks -= 1;
        self.active_bytes -= bytes;
    }

    /// Takes out idle slabs, the largest first, until no more than `keep` bytes of them are left.
    fn idle_beyond(&mut self, keep: usize) -> Vec<Slab> {
        let idle = |slab: &Slab| slab.is_idle().then_some(slab.locked.bytes);
        let mut left: usize = self.slabs.iter().filter_map(idle).sum();
        let mut surplus = Vec::new();
        while left > keep {
            let sizes =
                self.slabs.iter().enumerate().filter_map(|(at, slab)| Some((idle(slab)?, at)));
            let Some((bytes, at)) = sizes.max() else { break };
            surplus.push(self.slabs.swap_remove(at));
            left -= bytes;
        }
        surplus
    }
}

/// What a block of `bytes` bytes takes; `None` for sizes beyond counting.
fn size_of_block(bytes: usize) -> Option<usize> {
    if bytes <= LARGEST_PART {
        bytes.max(SMALLEST).checked_next_power_of_two()
    } else {
        bytes.checked_next_multiple_of(STEP)
    }
}

fn refused(bytes: usize) -> Error {
    Error::out_of_memory(Device::cpu(), bytes, 0)
}

/// How many idle bytes may stay locked.
fn bound() -> usize {
    static BOUND: OnceLock<usize> = OnceLock::new();
    *BOUND.get_or_init(|| Device::cpu().info().memory_bytes / KEPT)
}
