//! Host memory that an `OpenCL` device works in, and device memory that the host works in.
//!
//! Where device and host share their memory ([`shares_memory`]: `PoCL`, integrated GPUs), nothing is copied either way.
//!
//! ```
//! use arrayspan_bridge::devices::Device;
//! use arrayspan_bridge::interop::opencl;
//! use arrayspan_bridge::{Array, Transfer};
//!
//! let Ok(device) = Device::opencl(0) else { return Ok(()) };
//! let host = Array::from_vec(vec![1.0_f32; 1000], [1000])?;
//! let (array, crossing) = opencl::wrap(host, device, Transfer::CopyIfNeeded)?;
//! println!("on {}: {crossing}", array.device());
//! // … kernels work on `array` …
//! let (host, _) = opencl::map(array, Transfer::CopyIfNeeded)?;
//! assert_eq!(host.view().as_slice::<f32>()?[7], 1.0);
//! # Ok::<(), arrayspan_bridge::Error>(())
//! ```

use std::ptr::{null, with_exposed_provenance_mut};

use arrayspan_devices::opencl::serial;
use arrayspan_devices::{Access, Device, DeviceKind, Memory, Stream};
use cl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, enqueue_map_buffer, enqueue_unmap_mem_object,
};
use cl3::device::{CL_DEVICE_HOST_UNIFIED_MEMORY, get_device_info};
use cl3::memory::{
    CL_MAP_READ, CL_MAP_WRITE, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, create_buffer,
    release_mem_object,
};
use cl3::types::{CL_FALSE, cl_event, cl_mem};

use super::{failure, owned};
use crate::iteration::WIDEST;
use crate::owner::Owner;
use crate::relayout::WithLayout;
use crate::{Array, Crossing, Error, Result, SharedArray, Transfer, Why};

/// Whether the device works in the host's memory, so that nothing need be copied.
///
/// # Errors
/// [`Error::Inexpressible`] for a device of another kind; the driver's refusal.
pub fn shares_memory(device: Device) -> Result<bool> {
    let id = owned(&device.process_stream()?, CL_QUEUE_DEVICE)?;
    let asked = get_device_info(id, CL_DEVICE_HOST_UNIFIED_MEMORY);
    Ok(u32::from(asked.map_err(|code| failure(device, "clGetDeviceInfo", code))?) != 0)
}

/// A host array as an array of an `OpenCL` device that works in the same memory. [`unwrap`] gives the host array back.
/// Waits for queued work that uses the array.
///
/// A copy is made where the device has memory of its own, where the array does not begin at a multiple of 16
/// bytes, has no elements, or has gaps that belong to somebody else.
///
/// # Errors
/// [`Error::CopyRefused`]; [`Error::WrongDevice`] for an array off the CPU; [`Error::Inexpressible`] for a
/// device of another kind; out of memory. The array is dropped then.
pub fn wrap(array: Array, device: Device, transfer: Transfer) -> Result<(Array, Crossing)> {
    let operation = "opencl::wrap";
    if !array.device().is_cpu() {
        let (expected, found) = (Device::cpu(), array.device());
        return Err(Error::WrongDevice { operation, argument: "array", expected, found });
    }
    let (address, bytes) = (array.memory().address(), array.memory().bytes());
    let why = match shares_memory(device)? {
        false => Some(Why::OtherDevice),
        true if bytes == 0 || array.bytes().is_err() => Some(Why::Allocator),
        true => (!address.is_multiple_of(WIDEST)).then_some(Why::Alignment),
    };
    if let Some(why) = why {
        let crossing =
            transfer.copy(operation, why, array.layout().len() * array.dtype().bytes())?;
        return Ok((array.into_device(device)?.0, crossing));
    }
    array.memory().wait(Access::Write)?;
    let context = owned(&device.process_stream()?, CL_QUEUE_CONTEXT)?;
    let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
    let calls = serial();
    // SAFETY: the context lives as long as the process. The block stays in place and is ours alone until
    // `Wrapped`, which owns it, has released the buffer.
    let made =
        unsafe { create_buffer(context, flags, bytes, with_exposed_provenance_mut(address)) };
    drop(calls);
    let buffer = made.map_err(|code| failure(device, "clCreateBuffer", code))?.expose_provenance();
    let (layout, dtype) = (array.layout().clone(), array.dtype());
    let owner = Owner::new(Wrapped { buffer, device, host: Some(array) });
    // SAFETY: a live buffer of that size in the device's context, which the owner keeps until the release;
    // nobody else knows it, and no work is queued on it.
    let memory = unsafe { Memory::from_foreign(device, buffer, bytes, owner.release()) };
    let inner =
        SharedArray { memory: memory.into(), owner: Some(owner), layout, dtype, writable: true };
    Ok((Array::from_unique(inner), Crossing::ZeroCopy))
}

/// The host array that [`wrap`] was given, with what the device has written; else the array again. Waits for queued
/// work that uses it.
///
/// # Errors
/// The array itself, unchanged, also where the driver fails to wait.
pub fn unwrap(array: Array) -> Result<Array, Array> {
    // Only what was wrapped is a buffer of a device that can map it.
    let Some(owner) = array.owner().filter(|owner| owner.is::<Wrapped>()).cloned() else {
        return Err(array);
    };
    let synchronized = array.memory().wait(Access::Write).and_then(|()| {
        // The host sees what the device has written once the buffer was mapped.
        let stream = array.device().process_stream()?;
        Ok(pointer(&array, &stream).and_then(|pointer| give_up(&array, &stream, pointer)))
    });
    if !matches!(synchronized, Ok(Ok(()))) {
        return Err(array);
    }
    match owner.take::<Wrapped>(|_| true).and_then(|mut wrapped| wrapped.host.take()) {
        // SAFETY: the device's array had the places of the host's, or some of them.
        Some(host) => Ok(unsafe { host.with_layout(array.layout().clone()) }),
        None => Err(array),
    }
}

/// The memory of an `OpenCL` array as a host array. [`unmap`] gives the device's array back. Waits for queued work
/// that uses it.
///
/// Where the device has memory of its own, its driver copies the whole block here and back.
///
/// # Errors
/// [`Error::CopyRefused`]; [`Error::Inexpressible`] off `OpenCL`, or for an array without elements; the
/// driver's refusal. The array is dropped then.
pub fn map(array: Array, transfer: Transfer) -> Result<(Array, Crossing)> {
    let operation = "opencl::map";
    let device = array.device();
    if device.kind() != DeviceKind::OpenCl || array.memory().bytes() == 0 {
        let (shape, dtype) = (array.shape(), array.dtype());
        let what = format!(
            "an array {shape:?} of {dtype} on {device}: only elements of an OpenCL buffer can be mapped"
        );
        return Err(Error::Inexpressible { operation, what: what.into() });
    }
    let crossing = if shares_memory(device)? {
        Crossing::ZeroCopy
    } else {
        transfer.copy(operation, Why::OtherDevice, array.memory().bytes())?
    };
    array.memory().wait(Access::Write)?;
    let stream = device.process_stream()?;
    let address = pointer(&array, &stream)?;
    let (layout, dtype, bytes) = (array.layout().clone(), array.dtype(), array.memory().bytes());
    let owner = Owner::new(Mapped { address, stream, device: Some(array) });
    // SAFETY: so many bytes are mapped there until the owner is dropped, which nobody else knows; the
    // device does not use the buffer meanwhile, since the owner has its array.
    let memory = unsafe { Memory::from_foreign(Device::cpu(), address, bytes, owner.release()) };
    let inner =
        SharedArray { memory: memory.into(), owner: Some(owner), layout, dtype, writable: true };
    Ok((Array::from_unique(inner), crossing))
}

/// The device's array that [`map`] was given, with what the host has written; else the array again. Waits for queued
/// work that uses it.
///
/// # Errors
/// The array itself, unchanged, also where the driver fails to wait.
pub fn unmap(array: Array) -> Result<Array, Array> {
    let Some(owner) = array.owner().filter(|owner| owner.is::<Mapped>()).cloned() else {
        return Err(array);
    };
    let memory = array.memory();
    if memory.wait(Access::Write).and_then(|()| memory.unregister()).is_err() {
        return Err(array);
    }
    // Only what was unmapped leaves its owner.
    let unmapped = |mapped: &Mapped| {
        let device = mapped.device.as_ref();
        device.is_some_and(|device| give_up(device, &mapped.stream, mapped.address).is_ok())
    };
    match owner.take::<Mapped>(unmapped).and_then(|mut mapped| mapped.device.take()) {
        // SAFETY: the host's array had the places of the device's, or some of them.
        Some(device) => Ok(unsafe { device.with_layout(array.layout().clone()) }),
        None => Err(array),
    }
}

/// A buffer over the memory of a host array.
struct Wrapped {
    buffer: usize,
    device: Device,
    host: Option<Array>,
}

impl Drop for Wrapped {
    fn drop(&mut self) {
        let _serial = serial();
        // SAFETY: the only reference, which nothing uses any more; the host memory is dropped after it.
        let released = unsafe { release_mem_object(with_exposed_provenance_mut(self.buffer)) };
        if let Err(code) = released {
            tracing::error!(device = %self.device, code, "a buffer over host memory is not released");
            // It may still be used: a leak is harmless, an early release is not.
            std::mem::forget(self.host.take());
        }
    }
}

/// A device array whose memory the host uses.
struct Mapped {
    address: usize,
    stream: Stream,
    device: Option<Array>,
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let Some(array) = self.device.take() else { return };
        if let Err(error) = give_up(&array, &self.stream, self.address) {
            tracing::error!(%error, "a mapped buffer is leaked");
            std::mem::forget(array);
        }
    }
}

/// Maps the whole block and waits until the host may use it.
fn pointer(array: &Array, stream: &Stream) -> Result<usize> {
    let buffer = with_exposed_provenance_mut(array.memory().address());
    let queue = with_exposed_provenance_mut(stream.raw());
    let mut mapped: cl_mem = std::ptr::null_mut();
    let flags = CL_MAP_READ | CL_MAP_WRITE;
    let calls = serial();
    // SAFETY: queue and buffer are alive and of one context; the range is the whole buffer.
    let queued = unsafe {
        let bytes = array.memory().bytes();
        enqueue_map_buffer(queue, buffer, CL_FALSE, flags, 0, bytes, &mut mapped, 0, null())
    };
    drop(calls);
    finish(array.device(), stream, "clEnqueueMapBuffer", queued)?;
    Ok(mapped.expose_provenance())
}

/// Unmaps the block and waits until the device may use it.
fn give_up(array: &Array, stream: &Stream, address: usize) -> Result<()> {
    let buffer = with_exposed_provenance_mut(array.memory().address());
    let queue = with_exposed_provenance_mut(stream.raw());
    let calls = serial();
    // SAFETY: mapped from this buffer before, and not used any more.
    let queued = unsafe {
        let address = with_exposed_provenance_mut(address);
        enqueue_unmap_mem_object(queue, buffer, address, 0, null())
    };
    drop(calls);
    finish(array.device(), stream, "clEnqueueUnmapMemObject", queued)
}

/// Waits for the command, if it was queued.
fn finish(
    device: Device,
    stream: &Stream,
    call: &'static str,
    queued: Result<cl_event, i32>,
) -> Result<()> {
    let event = queued.map_err(|code| failure(device, call, code))?;
    let calls = serial();
    // SAFETY: commands return an event with one reference for the caller.
    let released = unsafe { cl3::event::release_event(event) };
    drop(calls);
    stream.synchronize()?;
    released.map_err(|code| failure(device, "clReleaseEvent", code))
}
