//! The memory pool of a device: blocks that were freed are given out again without asking the driver.
//!
//! A block goes back to the [`arena`] of the stream on which its release is in order, where the same stream
//! finds it again at once. What overflows an arena goes to the [`central`] part, where neighbours are put together
//! again ([`heap`]) and other streams find it once the first stream's work is done. What is not found is
//! looked for in [`search`], last of all at the driver.

#[cfg(test)]
mod alignment;
mod arena;
mod bounds;
mod central;
mod charge;
mod heap;
mod limit;
mod poison;
mod search;
mod sizes;
mod trim;

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

pub(crate) use arena::{Arena, Block};
use bounds::Bounds;
use central::Central;
pub use limit::Limit;
use sizes::Kind;
pub use sizes::Sizes;

use super::account::{self, Action};
use super::deleters;
use crate::driver::{DeviceDriver, StreamDriver};
use crate::stream::WeakStream;
use crate::{Device, Figures, Result, Stream};

/// The memory pool of one device.
#[derive(Debug)]
pub(crate) struct Pool {
    sizes: Sizes,
    central: Mutex<Central>,
    /// The arena of all streams of the CPU.
    host: Arena,
    /// Streams with something in their arenas, or that something in the central part waits for.
    streams: Mutex<Vec<WeakStream>>,
    bounds: Bounds,
    /// What counts against the limit: what is reserved, and what is held beside the pool.
    held: AtomicUsize,
    reserved: AtomicUsize,
    peak_reserved: AtomicUsize,
    cached: AtomicUsize,
    segments: AtomicUsize,
}

/// Streams that were alive when listed. If the last reference to one is dropped here, what it holds of another library is
/// released on another thread: this one may be looking for memory under a lock of its caller.
struct Streams(Vec<Stream>);

impl Deref for Streams {
    type Target = [Stream];

    fn deref(&self) -> &[Stream] {
        &self.0
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        let _elsewhere = deleters::elsewhere();
        self.0.clear();
    }
}

impl Pool {
    /// The pool of the device called `name`.
    pub(crate) fn new(name: &str, driver: &dyn DeviceDriver) -> Self {
        Self {
            sizes: driver.sizes(),
            central: Mutex::new(Central::new()),
            host: Arena::new(),
            streams: Mutex::default(),
            bounds: Bounds::new(name, driver.info()),
            held: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            peak_reserved: AtomicUsize::new(0),
            cached: AtomicUsize::new(0),
            segments: AtomicUsize::new(0),
        }
    }

    /// A block of `bytes > 0` bytes that work on `stream` may use at once.
    pub(crate) fn allocate(&self, bytes: usize, stream: &Stream) -> Result<Block> {
        let request = self.sizes.request(bytes);
        if request.kind != Kind::Direct
            && !self.is_over()
            && let Some(block) = self.arena(stream).pop(&request)
        {
            self.cached.fetch_sub(block.bytes, Relaxed);
            return Ok(block);
        }
        self.search(&request, stream)
    }

    /// Takes a block back. Everything that uses it comes before the present end of `stream`.
    pub(crate) fn release(&self, block: Block, stream: &Stream) {
        poison::fill(&block, stream);
        let device = stream.device();
        let most = self.bounds.cache();
        if block.kind == Kind::Direct || block.kind == Kind::Whole && block.bytes > most {
            self.give_up(device, &[(block.segment, block.bytes)], stream.driver());
            if block.kind != Kind::Direct {
                account::reserved(device, Action::Trim, block.bytes);
            }
            return;
        }
        let cached = self.cached.fetch_add(block.bytes, Relaxed) + block.bytes;
        let arena = self.arena(stream);
        let (older, first) = arena.push(block);
        if first {
            self.introduce(stream);
        }
        if !older.is_empty() {
            self.take_in(device, arena.id(), &older);
        }
        if cached > most {
            self.shrink(stream, cached - most);
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
        let streams = self.streams();
        let arenas = streams.iter().map(Stream::arena).chain([&self.host]);
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

    fn arena<'a>(&'a self, stream: &'a Stream) -> &'a Arena {
        if stream.device().is_cpu() { &self.host } else { stream.arena() }
    }

    /// Remembers a stream whose arena must be looked into when memory is short.
    fn introduce(&self, stream: &Stream) {
        if !stream.device().is_cpu() {
            let mut streams = self.streams.lock();
            streams.retain(WeakStream::lives);
            streams.push(stream.downgrade());
        }
    }

    /// The streams that live. They must not be dropped while the central part is locked: the last of a stream's
    /// clones takes that lock.
    fn streams(&self) -> Streams {
        let known: Vec<WeakStream> = self.streams.lock().clone();
        Streams(known.iter().filter_map(WeakStream::upgrade).collect())
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
