//! The page-locked buffers of staged copies, and the order in which copies get them.

use std::ptr::with_exposed_provenance_mut;

use parking_lot::{Condvar, Mutex};

use super::bytes::Bytes;
use super::moving::HostCopy;
use super::pages::LARGE;
use super::settings::{Settings, settings};
use super::share;
use super::workers::{Copying, Sharing, Workers};
use crate::driver::{EventDriver, StreamDriver};
use crate::memory::pinned::PinnedBlock;
use crate::{Device, Result};

/// How many copies of a device may be staged at once. More wait for their turn: they would not be quicker.
const MOST: usize = 4;

/// The buffers of one device.
#[derive(Debug, Default)]
pub(crate) struct StagingBuffers {
    state: Mutex<State>,
    turn: Condvar,
    workers: Workers,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Buffer>,
    /// Buffers there are, in use or idle.
    made: usize,
    /// Those in use.
    taken: usize,
    /// The number that the next waiter takes.
    next: u64,
    /// The number of the waiter whose turn it is.
    serving: u64,
}

#[derive(Debug)]
struct Buffer {
    bytes: Bytes,
    chunk: usize,
    /// The last transfer of each slot.
    pending: Vec<Option<Box<dyn EventDriver>>>,
}

/// A staging buffer while a copy uses it; returned to its device when dropped.
#[derive(Debug)]
pub(crate) struct StagingBuffer {
    owner: &'static StagingBuffers,
    /// `None` only in the drop.
    buffer: Option<Buffer>,
    pub(super) chunk: usize,
    pub(super) slots: usize,
    /// What was set when the copy began.
    pub(super) settings: Settings,
    locked: bool,
}

/// Waits for a buffer for a copy of `bytes` bytes between the host and `device`; `None` where the host has no
/// page-locked memory left, or the device knows none.
pub(crate) fn one(device: Device, bytes: usize) -> Option<StagingBuffer> {
    device.0.staging.take(device, bytes, false).ok()
}

/// Waits for a buffer of each device for a copy between them; only one where both can use the same. Memory that is not
/// page-locked serves, too: without the host there is no way at all.
///
/// # Errors
/// Out of host memory.
pub(crate) fn both(
    from: Device,
    to: Device,
    bytes: usize,
) -> Result<(StagingBuffer, Option<StagingBuffer>)> {
    if from.kind() == crate::DeviceKind::Cuda && to.kind() == from.kind() {
        return Ok((from.0.staging.take(from, bytes, true)?, None));
    }
    // Always in the same order: two copies there and back cannot wait for each other.
    let order = |device: Device| (device.kind(), device.gpu_id());
    if order(from) < order(to) {
        let first = from.0.staging.take(from, bytes, true)?;
        Ok((first, Some(to.0.staging.take(to, bytes, true)?)))
    } else {
        let first = to.0.staging.take(to, bytes, true)?;
        Ok((from.0.staging.take(from, bytes, true)?, Some(first)))
    }
}

impl StagingBuffers {
    fn take(
        &'static self,
        device: Device,
        bytes: usize,
        without_locks: bool,
    ) -> Result<StagingBuffer> {
        let settings = settings();
        let Settings { chunk: most, slots, .. } = settings;
        // Small copies in at least as many chunks as there are slots, of a page or more.
        let chunk = bytes.div_ceil(slots).next_multiple_of(4096).min(most);
        let mut state = self.state.lock();
        let number = state.next;
        state.next += 1;
        while state.serving != number || state.idle.is_empty() && state.made >= MOST {
            self.turn.wait(&mut state);
        }
        state.serving += 1;
        let idle = state.idle.pop();
        if idle.is_none() {
            state.made += 1;
        }
        state.taken += 1;
        if state.taken == 1 {
            share::enter();
        }
        drop(state);
        self.turn.notify_all();
        let (fitting, other) = match idle {
            Some(buffer) if (buffer.chunk, buffer.pending.len()) == (most, slots) => {
                (Some(buffer), None)
            }
            other => (None, other),
        };
        // From here on the drop returns the buffer, also if there is no memory.
        let mut taken =
            StagingBuffer { owner: self, buffer: fitting, chunk, slots, settings, locked: true };
        drop(other.map(Buffer::quiet));
        if taken.buffer.is_none() {
            let (bytes, size) = match PinnedBlock::take(slots * most, device) {
                Ok(block) => (Bytes::Locked(block), most),
                Err(error) => {
                    tracing::warn!(%device, %error, "no page-locked memory to stage copies with");
                    taken.locked = false;
                    if !without_locks {
                        return Err(error);
                    }
                    (Bytes::ordinary(slots * chunk)?, chunk)
                }
            };
            let pending = (0..slots).map(|_| None).collect();
            taken.buffer = Some(Buffer { bytes, chunk: size, pending });
        }
        Ok(taken)
    }

    /// How many buffers no copy and no transfer uses, and their bytes.
    pub(crate) fn idle(&self) -> (usize, usize) {
        let state = self.state.lock();
        let idle = state.idle.iter().filter(|buffer| buffer.is_quiet());
        idle.fold((0, 0), |(blocks, bytes), buffer| (blocks + 1, bytes + buffer.bytes.size()))
    }

    /// Gives the buffers nobody uses back to the pool they come from.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        let idle = std::mem::take(&mut state.idle);
        state.made -= idle.len();
        drop(state);
        self.turn.notify_all();
        for buffer in idle {
            drop(buffer.quiet());
        }
    }
}

impl Buffer {
    /// The buffer once no transfer uses it. One that has failed is over, too.
    fn quiet(mut self) -> Bytes {
        for event in self.pending.iter_mut().filter_map(Option::take) {
            if let Err(error) = event.synchronize() {
                tracing::warn!(%error, "a staged transfer failed");
            }
        }
        self.bytes
    }

    /// Whether no transfer uses it.
    fn is_quiet(&self) -> bool {
        self.pending.iter().flatten().all(|event| event.is_complete().unwrap_or(true))
    }
}

impl StagingBuffer {
    /// Where a slot begins; it has `chunk` bytes.
    pub(super) fn slot(&self, slot: usize) -> *mut u8 {
        let start = self.buffer.as_ref().map_or(0, |b| b.bytes.address() + slot * b.chunk);
        with_exposed_provenance_mut(start)
    }

    /// Begins to fill a slot from the caller's memory.
    ///
    /// # Safety
    /// As [`Workers::copy`]; no transfer uses the slot.
    pub(super) unsafe fn fill(&self, slot: usize, from: *const u8, bytes: usize) -> Copying {
        let sharing = self.sharing(HostCopy::Cached, 1);
        // SAFETY: the caller's contract is the same; `bytes` is a chunk's.
        unsafe { self.owner.workers.copy(from, self.slot(slot), bytes, sharing) }
    }

    /// Begins to empty a slot into the caller's memory.
    ///
    /// # Safety
    /// As [`Workers::copy`]; the last transfer to the slot is done.
    pub(super) unsafe fn empty(&self, slot: usize, to: *mut u8, bytes: usize) -> Copying {
        // Nobody has touched large memory, perhaps, and then whole large pages are provided at once. Of less than a
        // buffer there would be too few of them for all threads.
        let page = if self.aligns() && self.chunk == self.settings.chunk { LARGE } else { 1 };
        let how = if self.settings.past_caches { HostCopy::PastCaches } else { HostCopy::Cached };
        let sharing = self.sharing(how, page);
        // SAFETY: the caller's contract is the same; `bytes` is a chunk's.
        unsafe { self.owner.workers.copy(self.slot(slot), to, bytes, sharing) }
    }

    /// Whether the system is asked for large pages, and chunks hold some.
    pub(super) fn aligns(&self) -> bool {
        self.settings.large_pages && self.chunk.is_multiple_of(LARGE)
    }

    fn sharing(&self, how: HostCopy, page: usize) -> Sharing {
        let threads = share::threads(&self.settings);
        Sharing { threads, page, how }
    }

    /// Makes the host wait until the last transfer from or to a slot is done.
    pub(super) fn ready(&mut self, slot: usize) -> Result<()> {
        let pending = self.buffer.as_mut().and_then(|buffer| buffer.pending[slot].take());
        pending.map_or(Ok(()), |event| event.synchronize())
    }

    /// Has later users of the slot wait for what is on `stream` now.
    pub(super) fn mark(&mut self, slot: usize, stream: &dyn StreamDriver) -> Result<()> {
        let event = stream.record()?;
        if let Some(buffer) = &mut self.buffer {
            buffer.pending[slot] = Some(event);
        }
        Ok(())
    }

    /// Waits for the slot on `stream`, not on the host.
    pub(super) fn follow(&self, slot: usize, stream: &dyn StreamDriver) -> Result<()> {
        let pending = self.buffer.as_ref().and_then(|buffer| buffer.pending[slot].as_ref());
        pending.map_or(Ok(()), |event| stream.wait(&**event))
    }
}

impl Drop for StagingBuffer {
    fn drop(&mut self) {
        // Pageable buffers are not kept: next time page-locked memory may be available.
        let buffer = self.buffer.take();
        let (kept, gone) = if self.locked { (buffer, None) } else { (None, buffer) };
        drop(gone.map(Buffer::quiet));
        let mut state = self.owner.state.lock();
        state.taken -= 1;
        if state.taken == 0 {
            share::leave();
        }
        match kept {
            Some(buffer) => state.idle.push(buffer),
            None => state.made -= 1,
        }
        drop(state);
        self.owner.turn.notify_all();
    }
}
