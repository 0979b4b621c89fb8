//! Buffers, committed when they are made.

use std::ptr;

use cl3::command_queue::enqueue_migrate_mem_object;
use cl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES,
};
use cl3::memory::{
    CL_BUFFER_CREATE_TYPE_REGION, CL_MEM_READ_WRITE, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
    cl_buffer_region, create_buffer, create_sub_buffer, release_mem_object,
};
use cl3::types::cl_mem;

use super::place::Place;
use super::serial::serial;
use super::stream::OpenClStream;
use crate::{Device, Error, Result};

/// Makes a buffer that work on `stream` may use at once. Buffers that were freed while in use go away
/// only when that work is done, so a refusal is final only after the queue has run empty.
pub(super) fn allocate(stream: &OpenClStream, bytes: usize, memory_bytes: usize) -> Result<usize> {
    let place = &stream.context.place;
    match committed(stream, bytes) {
        Ok(buffer) => Ok(buffer as usize),
        Err((_, code)) if is_out_of_memory(place, bytes, memory_bytes, code) => {
            Err(place.out_of_memory(bytes, code))
        }
        Err((call, code)) => Err(place.failure(call, code)),
    }
}

/// Makes a buffer within a buffer: the memory is the outer one's, which lives at least as long.
pub(super) fn part(place: &Place, address: usize, offset: usize, bytes: usize) -> Result<usize> {
    let region = cl_buffer_region { origin: offset, size: bytes };
    let _serial = serial();
    // SAFETY: a live buffer that is no part itself; the region lies in it and is read during the call only. No flags
    // means those of the outer one.
    let part = unsafe {
        create_sub_buffer(
            address as cl_mem,
            0,
            CL_BUFFER_CREATE_TYPE_REGION,
            (&raw const region).cast(),
        )
    };
    part.map(|part| part as usize).map_err(|code| place.of_use("clCreateSubBuffer", bytes, code))
}

/// Gives a buffer back; it goes away when the commands that use it, and the parts of it, are done.
///
/// # Safety
/// `address` is a buffer from [`allocate`] or [`part`], not used again.
pub(super) unsafe fn free(place: &Place, address: usize) -> Result<()> {
    let _serial = serial();
    // SAFETY: by the caller's contract this is the last use of the only reference.
    unsafe { release_mem_object(address as cl_mem) }
        .map_err(|code| place.failure("clReleaseMemObject", code))
}

/// NVIDIA makes buffers of any size and finds memory for them at first use; moving the (undefined)
/// content to the device is such a use and fails here, not in the middle of a computation.
fn committed(stream: &OpenClStream, bytes: usize) -> Result<cl_mem, (&'static str, i32)> {
    let context = stream.context.raw();
    let calls = serial();
    // SAFETY: the context is alive; no host memory is involved.
    let buffer = unsafe { create_buffer(context, CL_MEM_READ_WRITE, bytes, ptr::null_mut()) }
        .map_err(|code| ("clCreateBuffer", code))?;
    let undefined = CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    // SAFETY: queue and buffer are alive and of one context; the list has one entry and is read
    // during the call only.
    let moved = unsafe {
        enqueue_migrate_mem_object(stream.queue(), 1, &raw const buffer, undefined, 0, ptr::null())
    };
    match moved {
        Ok(event) => {
            drop(calls);
            stream.forget(event);
            Ok(buffer)
        }
        Err(code) => {
            // SAFETY: the buffer was made above and nothing else knows it.
            let released = unsafe { release_mem_object(buffer) };
            released.map_err(|code| ("clReleaseMemObject", code))?;
            Err(("clEnqueueMigrateMemObjects", code))
        }
    }
}

/// Whether a refusal means that there is no room. `CL_OUT_OF_RESOURCES` is also what some drivers say
/// of a kernel gone wrong, so it counts only when memory is plausibly full.
fn is_out_of_memory(place: &Place, bytes: usize, memory_bytes: usize, code: i32) -> bool {
    match code {
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_HOST_MEMORY | CL_INVALID_BUFFER_SIZE => true,
        CL_OUT_OF_RESOURCES => {
            let held = Device::opencl(place.gpu_id).map_or(0, |device| device.0.pool.reserved());
            held.saturating_add(bytes) > memory_bytes / 10 * 9
        }
        _ => false,
    }
}

/// Whether a refusal of host memory means that there is no room.
pub(super) fn is_no_room(code: i32) -> bool {
    matches!(
        code,
        CL_MEM_OBJECT_ALLOCATION_FAILURE
            | CL_OUT_OF_HOST_MEMORY
            | CL_OUT_OF_RESOURCES
            | CL_INVALID_BUFFER_SIZE
    )
}

/// The error for host memory that is not there.
pub(super) fn out_of_host_memory(bytes: usize, code: i32) -> Error {
    Error::out_of_memory(Device::cpu(), bytes, code)
}
