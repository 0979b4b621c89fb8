//! The steps of staged copies, and which of them overlap.

use std::collections::VecDeque;

use super::buffer::StagingBuffer;
use super::pages::{LARGE, prefer_large};
use super::task::Division;
use super::workers::Copying;
use crate::Result;
use crate::driver::{BlockAddress, StreamDriver};

/// A chunk: which slot it goes through, where it starts, its bytes.
#[derive(Clone, Copy)]
struct Chunk {
    slot: usize,
    start: usize,
    bytes: usize,
}

fn chunks(division: Division, slots: usize) -> impl Iterator<Item = Chunk> {
    (0..division.parts()).map(move |number| {
        let part = division.part(number);
        Chunk { slot: number % slots, start: part.start, bytes: part.len() }
    })
}

/// Slots that the host fills while the device empties the others.
fn ahead(slots: usize) -> usize {
    slots / 2
}

impl BlockAddress {
    fn after(self, bytes: usize) -> Self {
        Self { offset: self.offset + bytes, ..self }
    }
}

/// Copies host memory to a device. When it returns all of the source has been read; the last transfers are queued.
///
/// # Safety
/// Both ranges are valid, the device's until those transfers are done; meanwhile nobody writes the source.
pub(crate) unsafe fn upload(
    buffer: &mut StagingBuffer,
    stream: &dyn StreamDriver,
    from: *const u8,
    to: BlockAddress,
    bytes: usize,
) -> Result<()> {
    // Dropped on every way out, which waits for the threads that read the source.
    let mut filling: VecDeque<(Chunk, Copying)> = VecDeque::new();
    let division = Division { bytes, size: buffer.chunk, skew: 0 };
    for chunk in chunks(division, buffer.slots) {
        buffer.ready(chunk.slot)?;
        // SAFETY: the source is the caller's. No transfer uses the slot, and the chunk before in it has left `filling`.
        let copy = unsafe { buffer.fill(chunk.slot, from.wrapping_add(chunk.start), chunk.bytes) };
        filling.push_back((chunk, copy));
        if filling.len() > ahead(buffer.slots) {
            send_first(buffer, stream, &mut filling, to)?;
        }
    }
    while !filling.is_empty() {
        send_first(buffer, stream, &mut filling, to)?;
    }
    Ok(())
}

fn send_first(
    buffer: &mut StagingBuffer,
    stream: &dyn StreamDriver,
    filling: &mut VecDeque<(Chunk, Copying)>,
    to: BlockAddress,
) -> Result<()> {
    let Some((chunk, copy)) = filling.pop_front() else { return Ok(()) };
    copy.wait();
    send(buffer, stream, chunk, to)
}

/// Queues the transfer of a filled slot to the device.
fn send(
    buffer: &mut StagingBuffer,
    stream: &dyn StreamDriver,
    chunk: Chunk,
    to: BlockAddress,
) -> Result<()> {
    // SAFETY: the target is valid by the contract of `upload` and `relay`; the slot is not used again before the event
    // that is recorded next, or, failing that, the end of the stream.
    let queued =
        unsafe { stream.upload(buffer.slot(chunk.slot), to.after(chunk.start), chunk.bytes) };
    settle(buffer, stream, chunk.slot, queued)
}

/// Queues the transfer of a chunk from the device into its slot.
fn fetch(
    buffer: &mut StagingBuffer,
    stream: &dyn StreamDriver,
    chunk: Chunk,
    from: BlockAddress,
) -> Result<()> {
    let start = from.after(chunk.start);
    // SAFETY: the source is valid by the contract of `download` and `relay`; the slot is not used before the event
    // that is recorded next, or, failing that, the end of the stream.
    let queued = unsafe { stream.download(start, buffer.slot(chunk.slot), chunk.bytes) };
    settle(buffer, stream, chunk.slot, queued)
}

/// Marks the end of a transfer. Where that fails the host waits, so that the slot is free in any case.
fn settle(
    buffer: &mut StagingBuffer,
    stream: &dyn StreamDriver,
    slot: usize,
    queued: Result<()>,
) -> Result<()> {
    let settled = queued.and_then(|()| buffer.mark(slot, stream));
    if settled.is_err() {
        // Its own failure is that of work before, which its waiter is told; ours is the one to report here.
        let _ = stream.synchronize();
    }
    settled
}

/// Copies device memory to the host, and waits until it is there.
///
/// # Safety
/// Both ranges are valid; meanwhile nobody uses the target or writes the source.
pub(crate) unsafe fn download(
    buffer: &mut StagingBuffer,
    stream: &dyn StreamDriver,
    from: BlockAddress,
    to: *mut u8,
    bytes: usize,
) -> Result<()> {
    if buffer.settings.large_pages {
        // SAFETY: the target is valid by the caller's contract.
        unsafe { prefer_large(to.expose_provenance(), bytes) };
    }
    // Dropped on every way out, which waits for the threads that write the target.
    let mut emptying: Vec<Option<Copying>> = (0..buffer.slots).map(|_| None).collect();
    let mut coming = VecDeque::new();
    let arrive = |buffer: &mut StagingBuffer, emptying: &mut [Option<Copying>], chunk: Chunk| {
        buffer.ready(chunk.slot)?;
        // SAFETY: the target is the caller's. The chunk has arrived in its slot, which is not filled again before this
        // copy is dropped.
        let copy = unsafe { buffer.empty(chunk.slot, to.wrapping_add(chunk.start), chunk.bytes) };
        emptying[chunk.slot] = Some(copy);
        Ok(())
    };
    // Chunks end where large pages do, as what the threads copy of them.
    let skew = if buffer.aligns() { to.addr() % LARGE } else { 0 };
    let division = Division { bytes, size: buffer.chunk, skew };
    for chunk in chunks(division, buffer.slots) {
        emptying[chunk.slot] = None;
        buffer.ready(chunk.slot)?;
        fetch(buffer, stream, chunk, from)?;
        coming.push_back(chunk);
        if coming.len() > 1 {
            let first = coming.pop_front();
            first.map_or(Ok(()), |chunk| arrive(buffer, &mut emptying, chunk))?;
        }
    }
    coming.into_iter().try_for_each(|chunk| arrive(buffer, &mut emptying, chunk))
}

/// Copies between two devices by way of the host. When it returns the last transfers on `up` are queued.
///
/// With one buffer both devices use the same slots, and no thread of the host copies anything.
///
/// # Safety
/// Both ranges are valid until those transfers are done, and meanwhile nobody else uses the target or writes the source.
pub(crate) unsafe fn relay(
    buffers: (&mut StagingBuffer, Option<&mut StagingBuffer>),
    (down, from): (&dyn StreamDriver, BlockAddress),
    (up, to): (&dyn StreamDriver, BlockAddress),
    bytes: usize,
) -> Result<()> {
    let (buffer, mut other) = buffers;
    // Settings may have changed between the one and the other.
    let [size, slots] = other.as_ref().map_or([buffer.chunk, buffer.slots], |other| {
        [buffer.chunk.min(other.chunk), buffer.slots.min(other.slots)]
    });
    let mut coming = VecDeque::new();
    let mut pass = |buffer: &mut StagingBuffer, chunk: Chunk| {
        let Some(other) = &mut other else {
            // One driver: the device waits, not the host.
            buffer.follow(chunk.slot, up)?;
            return send(buffer, up, chunk, to);
        };
        buffer.ready(chunk.slot)?;
        other.ready(chunk.slot)?;
        // SAFETY: the chunk has arrived in the one slot, and no transfer uses the other; both buffers are ours.
        unsafe {
            let from = buffer.slot(chunk.slot);
            other.fill(chunk.slot, from, chunk.bytes).wait();
        }
        send(other, up, chunk, to)
    };
    let division = Division { bytes, size, skew: 0 };
    for chunk in chunks(division, slots) {
        buffer.ready(chunk.slot)?;
        fetch(buffer, down, chunk, from)?;
        coming.push_back(chunk);
        if coming.len() > ahead(slots) {
            let first = coming.pop_front();
            first.map_or(Ok(()), |chunk| pass(buffer, chunk))?;
        }
    }
    coming.into_iter().try_for_each(|chunk| pass(buffer, chunk))
}
