//! Buffers of opencl3's own making.

use std::ptr::null_mut;

use arrayspan_devices::Device;
use cl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};

use super::{context, failure};
use crate::{Element, Error, Result};

/// A buffer of `len > 0` elements of unspecified content on an `OpenCL` device.
pub(crate) fn allocate<T: Element>(device: Device, len: usize) -> Result<Buffer<T>> {
    let context = context(device)?;
    // SAFETY: no host memory is involved, and nobody reads the elements before they are written: the
    // caller fills them all.
    let made = unsafe { Buffer::create(&context, CL_MEM_READ_WRITE, len, null_mut()) };
    made.map_err(|error| match error.0 {
        code @ (CL_MEM_OBJECT_ALLOCATION_FAILURE
        | CL_OUT_OF_HOST_MEMORY
        | CL_INVALID_BUFFER_SIZE) => {
            let bytes = len.saturating_mul(size_of::<T>());
            Error::Device(arrayspan_devices::Error::out_of_memory(device, bytes, code))
        }
        code => failure(device, "clCreateBuffer", code),
    })
}
