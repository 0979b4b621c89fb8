//! Copies between two CUDA devices.
//!
//! The driver copies between any two devices, through host memory if it must. Where the hardware has a
//! direct way, it must be enabled for the context and, separately, for the memory pool. On some
//! pairs of GPU and driver copies then lose their bytes without an error, so each ordered pair is tried once, by
//! content and by the engines of both devices, before it is used.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdeviceptr, CUresult};
use parking_lot::Mutex;

use super::context::Context;
use super::queue::Queue;
use super::{memory, pool};
use crate::Result;
use crate::driver::BlockAddress;

/// Bytes of the trial copy: more than one page of any engine's staging, and not a round number.
const TRIAL: usize = 70_001;

/// Queues a copy on `stream`, which is of either device; `false`, having done nothing, where the trial
/// failed.
///
/// # Safety
/// `from` is `bytes` bytes in `source`, `to` in `target`; both are valid until the copy is done.
pub(super) unsafe fn copy(
    stream: &Queue,
    from: CUdeviceptr,
    source: &Arc<Context>,
    to: CUdeviceptr,
    target: &Arc<Context>,
    bytes: usize,
) -> Result<bool> {
    if !found(source, target)?.works {
        return Ok(false);
    }
    // SAFETY: the caller's contract is the same.
    unsafe { queue(stream, from, source, to, target, bytes)? };
    Ok(true)
}

/// # Safety
/// As [`copy`].
unsafe fn queue(
    stream: &Queue,
    from: CUdeviceptr,
    source: &Context,
    to: CUdeviceptr,
    target: &Context,
    bytes: usize,
) -> Result<()> {
    let _current = stream.context.enter()?;
    // SAFETY: by the caller's contract; contexts and stream are alive.
    let queued = unsafe {
        sys::cuMemcpyPeerAsync(to, target.raw(), from, source.raw(), bytes, stream.raw())
    };
    stream.context.check("cuMemcpyPeerAsync", queued)
}

/// What is known of copies from one device to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Whether the devices reach each other's memory themselves; else the driver passes by the host.
    pub(super) direct: bool,
    /// Whether the bytes arrive.
    pub(super) works: bool,
}

#[derive(Default)]
struct Tried {
    /// By the numbers of source and target.
    found: HashMap<(usize, usize), Found>,
    /// Pairs, the lower number first, whose direct way has lost bytes: it stays closed both ways.
    closed: HashSet<(usize, usize)>,
}

/// What copies from `source` to `target` do: found out once, with direct access where there is any, else without.
pub(super) fn found(source: &Arc<Context>, target: &Arc<Context>) -> Result<Found> {
    static TRIED: Mutex<Option<Tried>> = Mutex::new(None);
    let mut tried = TRIED.lock();
    let tried = tried.get_or_insert_default();
    let (one, other) = (source.gpu_id, target.gpu_id);
    if let Some(found) = tried.found.get(&(one, other)) {
        return Ok(*found);
    }
    let pair = (one.min(other), one.max(other));
    // The engine of either device may do the work, so both need to see the other's memory.
    let direct = !tried.closed.contains(&pair) && open(source, target)? | open(target, source)?;
    let mut found = Found { direct, works: trial(source, target, queue)? };
    if direct && !found.works {
        tracing::warn!("direct copies from {source} to {target} lose bytes; not used");
        close(source, target)?;
        tried.closed.insert(pair);
        // The way back goes by the host now, too, and is to be tried again.
        tried.found.remove(&(other, one));
        found = Found { direct: false, works: trial(source, target, queue)? };
    }
    tried.found.insert((one, other), found);
    Ok(found)
}

/// Takes direct access back, both ways, where it was given.
fn close(one: &Context, other: &Context) -> Result<()> {
    let none = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE;
    for (user, owner) in [(one, other), (other, one)] {
        if reaches(user, owner)? {
            grant(user, owner, none)?;
        }
    }
    Ok(())
}

/// Whether the hardware lets `user` reach the memory of `owner` directly.
fn reaches(user: &Context, owner: &Context) -> Result<bool> {
    let mut can = 0;
    // SAFETY: both devices are ones the driver gave out; `can` is written during the call only.
    let asked = unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, user.device, owner.device) };
    user.check("cuDeviceCanAccessPeer", asked)?;
    Ok(can != 0)
}

/// Lets `user` reach the memory of `owner` directly, if the hardware can.
fn open(user: &Context, owner: &Context) -> Result<bool> {
    if !reaches(user, owner)? {
        return Ok(false);
    }
    let current = user.enter()?;
    // SAFETY: `user` is current and `owner` alive.
    match unsafe { sys::cuCtxEnablePeerAccess(owner.raw(), 0) } {
        // Another library of the process may have done it.
        CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {}
        code => user.check("cuCtxEnablePeerAccess", code)?,
    }
    drop(current);
    grant(user, owner, sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE)?;
    Ok(true)
}

/// Sets what `user` may do with the pool of `owner`; access between contexts does not cover pools.
fn grant(user: &Context, owner: &Context, flags: sys::CUmemAccess_flags) -> Result<()> {
    let Some(pool) = owner.pool else { return Ok(()) };
    let access = sys::CUmemAccessDesc { location: pool::location(user.device), flags };
    // SAFETY: the pool is alive; one entry is given, read during the call only.
    let set = unsafe { sys::cuMemPoolSetAccess(pool, &raw const access, 1) };
    owner.check("cuMemPoolSetAccess", set)
}

/// A way of copies between two devices, with the contract of [`queue`].
type Way = unsafe fn(
    stream: &Queue,
    from: CUdeviceptr,
    source: &Context,
    to: CUdeviceptr,
    target: &Context,
    bytes: usize,
) -> Result<()>;

/// Sends known bytes over other ones and looks at what has arrived, once on a stream of each device.
fn trial(source: &Arc<Context>, target: &Arc<Context>, way: Way) -> Result<bool> {
    let (one, other) = (Queue::new(source)?, Queue::new(target)?);
    let from = memory::allocate(&one, TRIAL)?;
    let to = memory::allocate(&other, TRIAL);
    let arrived = to.clone().and_then(|to| {
        other.synchronize()?;
        Ok(sent(way, &one, &one, from, &other, to)? && sent(way, &other, &one, from, &other, to)?)
    });
    // SAFETY: `sent` has waited for all work on the blocks, which are not used again.
    unsafe {
        memory::free(&one, from)?;
        if let Ok(to) = to {
            memory::free(&other, to)?;
        }
    }
    arrived
}

fn sent(
    way: Way,
    worker: &Queue,
    one: &Queue,
    from: usize,
    other: &Queue,
    to: usize,
) -> Result<bool> {
    let bytes: Vec<u8> = (0..TRIAL).map(|i| (i * 7 + i / 256 + 1) as u8).collect();
    let blank = vec![0_u8; TRIAL];
    let mut got = vec![0_u8; TRIAL];
    let place = |address| BlockAddress { address, offset: 0 };
    let (source, target) = (&one.context, &other.context);
    // SAFETY: all blocks have TRIAL bytes, and the host waits after each step, before it reads, writes or
    // frees anything. A failure on the way leaves the function only after waiting, too.
    let result = unsafe {
        one.upload(bytes.as_ptr(), place(from), TRIAL)
            .and_then(|()| other.upload(blank.as_ptr(), place(to), TRIAL))
            .and_then(|()| one.synchronize().and_then(|()| other.synchronize()))
            .and_then(|()| {
                way(worker, from as CUdeviceptr, source, to as CUdeviceptr, target, TRIAL)
            })
            .and_then(|()| worker.synchronize())
            .and_then(|()| other.download(place(to), got.as_mut_ptr(), TRIAL))
    };
    let waited = one.synchronize().and(other.synchronize()).and(worker.synchronize());
    result.and(waited)?;
    Ok(got == bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;
    use crate::cuda::primary::Primary;

    /// Loses the last byte.
    unsafe fn short(
        stream: &Queue,
        from: CUdeviceptr,
        source: &Context,
        to: CUdeviceptr,
        target: &Context,
        bytes: usize,
    ) -> Result<()> {
        // SAFETY: a part of what the caller vouches for.
        unsafe { queue(stream, from, source, to, target, bytes - 1) }
    }

    #[test]
    fn a_way_that_loses_bytes_is_found_out() -> Result<()> {
        let Ok(device) = Device::cuda(0) else {
            eprintln!("skipped: no CUDA device");
            return Ok(());
        };
        let primary = Primary::of(&*device.0.driver);
        let context = primary.unwrap_or_else(|| unreachable!("a CUDA device has one")).context()?;
        assert!(trial(context, context, queue)?);
        assert!(!trial(context, context, short)?);
        Ok(())
    }
}
