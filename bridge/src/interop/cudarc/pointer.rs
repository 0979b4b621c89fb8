//! Whether an address is memory of a device, as the driver sees it.

use std::ffi::c_void;

use arrayspan_devices::Device;
use cudarc::driver::sys::{CUmemorytype, CUpointer_attribute, CUresult, cuPointerGetAttributes};

use super::failure;
use crate::{Error, Result};

/// Checks that the elements at `address` lie in memory of the CUDA device `device`.
pub(crate) fn expect_pointer(device: Device, address: usize, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    for address in [address, address + bytes - 1] {
        let (kind, ordinal) = attributes(device, address)?;
        let device_memory =
            [CUmemorytype::CU_MEMORYTYPE_DEVICE, CUmemorytype::CU_MEMORYTYPE_UNIFIED];
        if !device_memory.iter().any(|&known| known as u32 == kind) {
            let why = format!("{address:#x} is not CUDA device memory");
            return Err(Error::Foreign { field: "data", why });
        }
        if usize::try_from(ordinal) != Ok(device.gpu_id()) {
            let why = format!("is {device}, but {address:#x} is memory of cuda:{ordinal}");
            return Err(Error::Foreign { field: "device.device_id", why });
        }
    }
    Ok(())
}

/// The memory type and the device of an address; zero and negative where the driver does not know it.
fn attributes(device: Device, address: usize) -> Result<(u32, i32)> {
    let (mut kind, mut ordinal) = (0_u32, -1_i32);
    let mut which = [
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    ];
    let mut values: [*mut c_void; 2] = [(&raw mut kind).cast(), (&raw mut ordinal).cast()];
    // SAFETY: two attributes and room for the two values; the address itself is only looked up. The
    // driver is loaded, since `device` is one of its devices.
    let code = unsafe {
        cuPointerGetAttributes(2, which.as_mut_ptr(), values.as_mut_ptr(), address as u64)
    };
    match code {
        CUresult::CUDA_SUCCESS => Ok((kind, ordinal)),
        CUresult::CUDA_ERROR_INVALID_VALUE => Ok((0, -1)),
        code => Err(failure(device, "cuPointerGetAttributes", cudarc::driver::DriverError(code))),
    }
}
