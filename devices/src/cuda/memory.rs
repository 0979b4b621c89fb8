//! Stream-ordered memory from a pool of our own.

use cudarc::driver::sys::{self, CUresult};

use super::context::Context;
use super::library;
use super::queue::Queue;
use crate::{Device, Error, Result};

/// Takes a block that work on `stream` may use at once.
///
/// Freed blocks return to the pool in stream order, so a refusal is final only after the
/// stream was synchronised; and a pool that refuses may have grown before. The caller handles both.
pub(super) fn allocate(stream: &Queue, bytes: usize) -> Result<usize> {
    let context = &*stream.context;
    let _current = context.enter()?;
    take(stream, bytes).or_else(|(call, code)| {
        if !is_out_of_memory(context, bytes, code) {
            return Err(context.failure(call, code));
        }
        Err(Error::out_of_memory(Device::cuda(context.gpu_id)?, bytes, code as i32))
    })
}

/// Frees a block in the order of `stream`.
///
/// # Safety
/// `address` came from [`allocate`] on this device and is not used after this point of `stream`.
pub(super) unsafe fn free(stream: &Queue, address: usize) -> Result<()> {
    let context = &*stream.context;
    let _current = context.enter()?;
    let address = address as sys::CUdeviceptr;
    if context.pool.is_some() {
        // SAFETY: by the caller's contract the block is ours and not used later than here on the stream.
        let freed = unsafe { sys::cuMemFreeAsync(address, stream.raw()) };
        return context.check("cuMemFreeAsync", freed);
    }
    // SAFETY: the stream is alive. Without a pool the driver knows no order: the work must be done.
    let synchronized = unsafe { sys::cuStreamSynchronize(stream.raw()) };
    context.check("cuStreamSynchronize", synchronized)?;
    // SAFETY: as above, and all work that used the block is done.
    context.check("cuMemFree", unsafe { sys::cuMemFree_v2(address) })
}

/// Bytes free on the device now, for every process.
pub(super) fn free_bytes(context: &Context) -> Result<usize> {
    let _current = context.enter()?;
    let (mut free, mut total) = (0, 0);
    // SAFETY: both numbers are written during the call only.
    let asked = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
    context.check("cuMemGetInfo", asked)?;
    Ok(free)
}

/// Bytes the pool holds beyond those in use; none where there is no pool or the driver cannot tell.
pub(super) fn spare_bytes(context: &Context) -> Result<usize> {
    use sys::CUmemPool_attribute::{
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    };
    let Some(pool) = context.pool.filter(|_| library::has("cuMemPoolGetAttribute")) else {
        return Ok(0);
    };
    let number = |attribute| {
        let mut bytes = 0_u64;
        // SAFETY: the pool is ours; these attributes are 64-bit numbers, written during the call only.
        let asked = unsafe { sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast()) };
        context.check("cuMemPoolGetAttribute", asked).map(|()| bytes as usize)
    };
    let reserved = number(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
    Ok(reserved.saturating_sub(number(CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?))
}

/// Gives what the pool holds unused back to the driver; how many bytes that was.
pub(super) fn trim(context: &Context) -> Result<usize> {
    let Some(pool) = context.pool else { return Ok(0) };
    let _current = context.enter()?;
    let before = spare_bytes(context)?;
    // SAFETY: the pool is ours; blocks in use are not touched.
    context.check("cuMemPoolTrimTo", unsafe { sys::cuMemPoolTrimTo(pool, 0) })?;
    Ok(before.saturating_sub(spare_bytes(context)?))
}

/// One try, in the current context.
fn take(stream: &Queue, bytes: usize) -> Result<usize, (&'static str, CUresult)> {
    let mut address = 0;
    let (call, code) = match stream.context.pool {
        Some(pool) => ("cuMemAllocFromPoolAsync", {
            // SAFETY: pool and stream are alive and of one device; `address` receives the block.
            unsafe { sys::cuMemAllocFromPoolAsync(&raw mut address, bytes, pool, stream.raw()) }
        }),
        // SAFETY: the stream's context is current; `address` receives the block.
        None => ("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) }),
    };
    if code == CUresult::CUDA_SUCCESS { Ok(address as usize) } else { Err((call, code)) }
}

/// Whether a refusal means that there is no room; drivers report sizes that they cannot count as invalid.
fn is_out_of_memory(context: &Context, bytes: usize, code: CUresult) -> bool {
    match code {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => true,
        CUresult::CUDA_ERROR_INVALID_VALUE => bytes > context.memory_bytes,
        _ => false,
    }
}
