//! `opencl3`: its buffers become arrays on `OpenCL` devices, and arrays are its buffers.
//!
//! Without an `OpenCL` platform everything here compiles and returns
//! [`Error::Unavailable`](arrayspan_devices::Error::Unavailable).

mod allocate;
mod array;
mod buffer;
mod export;
mod host;
mod import;
mod shaped;

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;

use arrayspan_devices::{Device, DeviceKind, Stream};
use cl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, get_command_queue_info, retain_command_queue,
};
use cl3::context::retain_context;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;

pub(crate) use allocate::allocate;
pub use array::OpenClArray;
pub(crate) use buffer::inspect;
pub use host::{map, shares_memory, unmap, unwrap, wrap};
pub use shaped::ShapedBuffer;

use crate::{Error, Result};

/// The context our arrays on an `OpenCL` device belong to. Buffers made in it can become arrays.
///
/// # Errors
/// [`Error::Inexpressible`] for a device of another kind; the driver's refusal.
pub fn context(device: Device) -> Result<Context> {
    let stream = device.process_stream()?;
    let (context, id) = (owned(&stream, CL_QUEUE_CONTEXT)?, owned(&stream, CL_QUEUE_DEVICE)?);
    // SAFETY: the queue keeps its context alive; the reference taken here is the one `Context` gives up.
    let retained = unsafe { retain_context(context) };
    retained.map_err(|code| failure(device, "clRetainContext", code))?;
    Ok(Context::new(context, &[id]))
}

/// The queue of a stream. Work put on it comes after what is on the stream already.
///
/// # Errors
/// [`Error::Inexpressible`] for a device of another kind; the driver's refusal.
pub fn queue(stream: &Stream) -> Result<CommandQueue> {
    let device = opencl3::device::Device::new(owned(stream, CL_QUEUE_DEVICE)?);
    let failed = |call| move |code| failure(stream.device(), call, code);
    let queue = with_exposed_provenance_mut::<c_void>(stream.raw());
    let dimensions =
        device.max_work_item_dimensions().map_err(|error| failed("clGetDeviceInfo")(error.0))?;
    // SAFETY: the stream keeps its queue alive; the reference taken here is the one `CommandQueue`
    // gives up.
    let retained = unsafe { retain_command_queue(queue) };
    retained.map_err(failed("clRetainCommandQueue"))?;
    Ok(CommandQueue::new(queue, dimensions))
}

/// An object that the stream's queue belongs to.
fn owned(stream: &Stream, what: u32) -> Result<*mut c_void> {
    if stream.device().kind() != DeviceKind::OpenCl {
        let what = format!("{} is not an OpenCL device", stream.device());
        return Err(Error::Inexpressible { operation: "opencl3", what: what.into() });
    }
    let queue = with_exposed_provenance_mut::<c_void>(stream.raw());
    let found = get_command_queue_info(queue, what);
    let raw = found.map_err(|code| failure(stream.device(), "clGetCommandQueueInfo", code))?;
    Ok(with_exposed_provenance_mut(isize::from(raw) as usize))
}

fn failure(device: Device, call: &'static str, code: i32) -> Error {
    let (device, name) = (device.to_string(), cl3::error_codes::error_text(code).into());
    arrayspan_devices::Error::Driver { device, call, name, code }.into()
}
