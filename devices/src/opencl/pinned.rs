//! Page-locked host memory: buffers that the driver makes in host memory and that stay mapped.

use std::ptr;

use cl3::command_queue::{enqueue_map_buffer, enqueue_unmap_mem_object};
use cl3::memory::{
    CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, create_buffer,
    release_mem_object,
};
use cl3::types::{CL_FALSE, cl_mem};

use super::memory::{is_no_room, out_of_host_memory};
use super::serial::serial;
use super::stream::OpenClStream;
use crate::Result;
use crate::driver::{Locked, StreamDriver as _};

/// Makes such a buffer and maps all of it. `stream` is idle and nobody else uses it.
pub(super) fn lock(stream: &OpenClStream, bytes: usize) -> Result<Locked> {
    let context = &stream.context;
    let refused = |call, code| {
        if is_no_room(code) { out_of_host_memory(bytes, code) } else { context.failure(call, code) }
    };
    let calls = serial();
    let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
    // SAFETY: the context is alive; the driver itself provides the host memory.
    let buffer = unsafe { create_buffer(context.raw(), flags, bytes, ptr::null_mut()) }
        .map_err(|code| refused("clCreateBuffer", code))?;
    let mut address: cl_mem = ptr::null_mut();
    // SAFETY: queue and buffer are alive and of one context; the range is all of the buffer. `address` receives the
    // place, which is valid once the command is done, and until the buffer is unmapped.
    let mapped = unsafe {
        enqueue_map_buffer(
            stream.queue(),
            buffer,
            CL_FALSE,
            CL_MAP_READ | CL_MAP_WRITE,
            0,
            bytes,
            &mut address,
            0,
            ptr::null(),
        )
    };
    drop(calls);
    let mapped = match mapped {
        Ok(event) => {
            stream.forget(event);
            stream.synchronize()
        }
        Err(code) => Err(refused("clEnqueueMapBuffer", code)),
    };
    if let Err(error) = mapped {
        let _serial = serial();
        // SAFETY: made above, and nothing else knows it.
        unsafe { release_mem_object(buffer) }
            .map_err(|code| context.failure("clReleaseMemObject", code))?;
        return Err(error);
    }
    let (address, handle) = (address.expose_provenance(), buffer.expose_provenance());
    Ok(Locked { address, bytes, handle })
}

/// Unmaps the buffer and gives it back.
///
/// # Safety
/// `locked` came from [`lock`] in the context of `stream`, and no work uses it any more.
pub(super) unsafe fn unlock(stream: &OpenClStream, locked: Locked) -> Result<()> {
    let context = &stream.context;
    let buffer: cl_mem = ptr::with_exposed_provenance_mut(locked.handle);
    let address = ptr::with_exposed_provenance_mut(locked.address);
    let calls = serial();
    // SAFETY: the buffer is alive and was mapped there; by the caller's contract nobody uses the place any more.
    let unmapped =
        unsafe { enqueue_unmap_mem_object(stream.queue(), buffer, address, 0, ptr::null()) };
    drop(calls);
    let unmapped = match unmapped {
        Ok(event) => {
            stream.forget(event);
            stream.synchronize()
        }
        Err(code) => Err(context.failure("clEnqueueUnmapMemObject", code)),
    };
    let _serial = serial();
    // SAFETY: the last use of the only reference.
    let released = unsafe { release_mem_object(buffer) };
    released.map_err(|code| context.failure("clReleaseMemObject", code)).and(unmapped)
}
