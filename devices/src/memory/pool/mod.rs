//! The memory pool of a device: blocks that were freed are given out again without asking the driver.
//!
//! A block goes back to the [`arena`] of the queue on which its release is in order, where the same stream
//! finds it again at once. What overflows an arena goes to the [`central`] part, where adjacent parts are merged
//! ([`heap`]) and other streams find it once the first stream's work is done. What is not found is
//! looked for in [`search`], last of all at the driver.

#[cfg(test)]
mod alignment;
mod arena;
mod bounds;
mod central;
mod charge;
mod heap;
mod lane;
mod limit;
mod poison;
mod search;
mod sizes;
mod trim;
mod wrong;

use std::fmt;
use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

pub(crate) use arena::{Arena, Block};
use bounds::Bounds;
use central::Central;
use lane::Queues;
pub(crate) use lane::{Lane, Queue};
pub use limit::Limit;
use sizes::Kind;

use super::account::{self, Action, Figures};
use crate::driver::{DeviceDriver, Sizes, StreamDriver};
use crate::{Device, DeviceKind, Result};

/// The memory pool of one device.
pub(crate) struct Pool {
    sizes: Sizes,
    central: Mutex<Central>,
    /// The arena of all queues of the CPU.
    host: Arena,
    /// Queues with something in their arenas, or that something in the central part waits for.
    queues: Mutex<Vec<Weak<dyn Queue>>>,
    pub(super) bounds: Bounds,
    /// What counts against the limit: what is reserved, and what is held beside the pool.
    held: AtomicUsize,
    reserved: AtomicUsize,
    peak_reserved: AtomicUsize,
    cached: AtomicUsize,
    segments: AtomicUsize,
}

impl Pool {
    /// The pool of the device called `name`; devices of `kinds` may be named in the environment.
    pub(crate) fn new(name: &str, driver: &dyn DeviceDriver, kinds: &[DeviceKind]) -> Self {
        Self {
            sizes: driver.sizes(),
            central: Mutex::new(Central::new()),
            host: Arena::new(),
            queues: Mutex::default(),
            bounds: Bounds::new(name, driver.info(), kinds),
            held: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            peak_reserved: AtomicUsize::new(0),
            cached: AtomicUsize::new(0),
            segments: AtomicUsize::new(0),
        }
    }

    /// A block of `bytes > 0` bytes that work on that queue may use at once.
    pub(crate) fn allocate(&self, bytes: usize, lane: Lane<'_>) -> Result<Block> {
        let request = self.sizes.request(bytes);
        if request.kind != Kind::Direct
            && !self.is_over()
            && let Some(block) = self.arena(lane).pop(&request)
        {
            self.cached.fetch_sub(block.bytes, Relaxed);
            return Ok(block);
        }
        self.search(&request, lane)
    }

    /// Takes a block back. Everything that uses it comes before the present end of the queue.
    pub(crate) fn release(&self, block: Block, lane: Lane<'_>) {
        poison::fill(&block, lane);
        let device = lane.device;
        let most = self.bounds.cache();
        if block.kind == Kind::Direct || block.kind == Kind::Whole && block.bytes > most {
            self.give_up(device, &[(block.segment, block.bytes)], lane.driver());
            if block.kind != Kind::Direct {
                account::reserved(device, Action::Trim, block.bytes);
            }
            return;
        }
        let cached = self.cached.fetch_add(block.bytes, Relaxed) + block.bytes;
        let arena = self.arena(lane);
        let (older, first) = arena.push(block);
        if first {
            self.introduce(lane);
        }
        if !older.is_empty() {
            self.take_in(device, arena.id(), &older);
        }
        if cached > most {
            self.shrink(lane, cached - most);
        }
    }

    /// Takes over what a stream has freed that is about to end.
    pub(crate) fn end(&self, device: Device, arena: &Arena, driver: &dyn StreamDriver) {
        if !arena.is_known() {
            return;
        }
        self.take_in(device, arena.id(), &arena.drain());
        let ended = self.central.lock().end(device, arena.id(), driver);
        ended.unwrap_or_else(|error| device.0.defer(error));
    }

    /// Bytes taken from the driver and not given back.
    pub(crate) fn reserved(&self) -> usize {
        self.reserved.load(Relaxed)
    }

    /// Bytes of these that nobody uses.
    pub(crate) fn cached(&self) -> usize {
        self.cached.load(Relaxed)
    }

    /// Whether more is held than the limit allows, as it may be after the limit was lowered: then nothing is given out.
    fn is_over(&self) -> bool {
        self.held.load(Relaxed) > self.bounds.limit().unwrap_or(usize::MAX)
    }

    /// What it holds now. Numbers that change meanwhile need not fit each other.
    pub(crate) fn figures(&self) -> Figures {
        let queues = self.queues();
        let arenas = queues.iter().map(|queue| queue.arena()).chain([&self.host]);
        let recent = arenas.map(Arena::largest).max().unwrap_or(0);
        let mut central = self.central.lock();
        // Memory that waited only for finished work counts as usable.
        central.settle();
        Figures {
            reserved: self.reserved(),
            peak_reserved: self.peak_reserved.load(Relaxed),
            cached: self.cached(),
            pending: central.shared.pending() + central.whole.pending(),
            largest_free: recent.max(central.largest()),
            segments: self.segments.load(Relaxed),
            ..Figures::default()
        }
    }

    fn arena<'a>(&'a self, lane: Lane<'a>) -> &'a Arena {
        if lane.device.is_cpu() { &self.host } else { lane.arena() }
    }

    /// Remembers a queue whose arena must be looked into when memory is short.
    fn introduce(&self, lane: Lane<'_>) {
        if !lane.device.is_cpu() {
            let mut queues = self.queues.lock();
            queues.retain(|queue| queue.strong_count() > 0);
            queues.push(lane.queue.weak());
        }
    }

    /// The queues that live. They must not be dropped while the central part is locked: the last of a queue's
    /// clones takes that lock.
    fn queues(&self) -> Queues {
        let known: Vec<Weak<dyn Queue>> = self.queues.lock().clone();
        Queues(known.iter().filter_map(Weak::upgrade).collect())
    }

    /// Moves blocks from an arena to the central part, where a block is a part without an address of its own.
    fn take_in(&self, device: Device, arena: u64, blocks: &[Block]) {
        for block in blocks.iter().filter(|block| block.kind == Kind::Shared) {
            // SAFETY: made by `part`, and work that uses it is queued already; nobody will name it again.
            let dropped = unsafe { device.0.driver.drop_part(block.address) };
            dropped.unwrap_or_else(|error| device.0.defer(error));
        }
        self.central.lock().give(device, arena, blocks);
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} bytes, {} unused)", self.reserved(), self.cached())
    }
}
