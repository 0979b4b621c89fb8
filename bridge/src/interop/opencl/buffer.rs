//! What a buffer from outside is.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;

use arrayspan_devices::Device;
use cl3::command_queue::CL_QUEUE_CONTEXT;
use cl3::memory::{
    CL_MEM_CONTEXT, CL_MEM_FLAGS, CL_MEM_HOST_PTR, CL_MEM_OBJECT_BUFFER, CL_MEM_READ_ONLY,
    CL_MEM_SIZE, CL_MEM_TYPE, CL_MEM_USE_HOST_PTR, get_mem_object_info,
};

use super::{failure, owned};
use crate::iteration::WIDEST;
use crate::{Error, Result};

/// What a buffer from outside is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) bytes: usize,
    pub(crate) writable: bool,
}

/// Checks that a `cl_mem` is a buffer of the context that `device` works in.
pub(crate) fn inspect(device: Device, buffer: usize) -> Result<Buffer> {
    let raw = with_exposed_provenance_mut::<c_void>(buffer);
    let ask = |what| {
        let answer = get_mem_object_info(raw, what);
        answer.map_err(|code| failure(device, "clGetMemObjectInfo", code))
    };
    if u32::from(ask(CL_MEM_TYPE)?) != CL_MEM_OBJECT_BUFFER {
        return Err(foreign("is an image or a pipe, not a buffer".into()));
    }
    let context = owned(&device.process_stream()?, CL_QUEUE_CONTEXT)?;
    if isize::from(ask(CL_MEM_CONTEXT)?) as usize != context.addr() {
        return Err(foreign(format!("is a buffer of a context other than that of {device}")));
    }
    let flags = u64::from(ask(CL_MEM_FLAGS)?);
    // Of a sub-buffer, this is where its part begins.
    let host = isize::from(ask(CL_MEM_HOST_PTR)?) as usize;
    if flags & CL_MEM_USE_HOST_PTR != 0 && !host.is_multiple_of(WIDEST) {
        let why = format!("lies at {host:#x} of host memory, no multiple of {WIDEST}");
        return Err(foreign(why));
    }
    let writable = flags & CL_MEM_READ_ONLY == 0;
    Ok(Buffer { bytes: usize::from(ask(CL_MEM_SIZE)?), writable })
}

fn foreign(why: String) -> Error {
    Error::Foreign { field: "data", why }
}
