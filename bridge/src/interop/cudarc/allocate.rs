//! Slices of cudarc's own making.

use arrayspan_devices::Device;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaSlice, DriverError};

use super::{context, default_stream, failure, keep_context};
use crate::{Element, Error, Result};

/// A slice of `len > 0` elements of unspecified content on a CUDA device.
pub(crate) fn allocate<T: Element>(device: Device, len: usize) -> Result<CudaSlice<T>> {
    let context = context(device)?;
    let stream = default_stream(&context, device)?;
    let bytes = len.saturating_mul(size_of::<T>());
    let refused = |error: DriverError| match error.0 {
        code @ CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            let code = code as i32;
            Error::Device(arrayspan_devices::Error::out_of_memory(device, bytes, code))
        }
        _ => failure(device, "allocate a slice", error),
    };
    keep_context(|| {
        // SAFETY: nobody reads the bytes before they are written: the caller fills them all.
        let slice = unsafe { stream.alloc::<u8>(bytes) }.map_err(refused)?;
        // SAFETY: the block has this size and is aligned for any element; as bytes it is given up, so that
        // the new slice alone frees it.
        Ok(unsafe { stream.upgrade_device_ptr(slice.leak(), len) })
    })
}
