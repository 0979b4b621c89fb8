//! Whether an address is memory of a device, as the driver sees it.

use std::ffi::c_void;

use arrayspan_devices::{Device, DeviceKind};
use cudarc::driver::sys::{CUmemorytype, CUpointer_attribute, CUresult, cuPointerGetAttributes};

use super::failure;
use crate::{Error, Result};

/// What the driver knows about an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    /// A `CUmemorytype`, zero for an address the driver has never heard of.
    memory_type: u32,
    ordinal: i32,
    managed: bool,
}

/// Checks that the elements at `address` lie in memory of the CUDA device `device`.
pub(crate) fn expect_pointer(device: Device, address: usize, bytes: usize) -> Result<()> {
    each_end(device, address, bytes, |address, known| {
        if !known.on_device() {
            return foreign("data", format!("{address:#x} is not CUDA device memory"));
        }
        if usize::try_from(known.ordinal) != Ok(device.gpu_id()) {
            let why = format!("is {device}, but {address:#x} is memory of cuda:{}", known.ordinal);
            return foreign("device.device_id", why);
        }
        Ok(())
    })
}

/// The CUDA device that managed memory at `address` belongs to. For use where CUDA devices exist.
pub(crate) fn expect_managed(address: usize, bytes: usize) -> Result<Device> {
    let known = attributes(Device::cuda(0)?, address)?;
    let Ok(device) = usize::try_from(known.ordinal).map(Device::cuda) else {
        return foreign("data", format!("{address:#x} belongs to no CUDA device"));
    };
    let device = device?;
    each_end(device, address, bytes, |address, found| {
        if found.managed && found.ordinal == known.ordinal {
            return Ok(());
        }
        foreign("data", format!("{address:#x} is not CUDA managed memory of {device}"))
    })?;
    Ok(device)
}

/// Checks that the elements at `address`, said to be in pinned host memory, are not in a device's own. Where
/// there is no CUDA device they cannot be.
pub(crate) fn expect_host(address: usize, bytes: usize) -> Result<()> {
    let Ok(device) = Device::new(DeviceKind::Cuda, 0) else { return Ok(()) };
    each_end(device, address, bytes, |address, known| {
        if known.on_device() && !known.managed {
            let why = format!("{address:#x} is memory of cuda:{}, not of the host", known.ordinal);
            return foreign("data", why);
        }
        Ok(())
    })
}

impl Known {
    fn on_device(self) -> bool {
        [CUmemorytype::CU_MEMORYTYPE_DEVICE, CUmemorytype::CU_MEMORYTYPE_UNIFIED]
            .iter()
            .any(|&known| known as u32 == self.memory_type)
    }
}

/// Looks at the first and the last byte.
fn each_end(
    device: Device,
    address: usize,
    bytes: usize,
    check: impl Fn(usize, Known) -> Result<()>,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    [address, address + bytes - 1]
        .into_iter()
        .try_for_each(|address| check(address, attributes(device, address)?))
}

fn foreign<T>(field: &'static str, why: String) -> Result<T> {
    Err(Error::Foreign { field, why })
}

fn attributes(device: Device, address: usize) -> Result<Known> {
    let (mut memory_type, mut ordinal) = (0_u32, -1_i32);
    // The driver's documentation calls this a boolean and leaves open how wide.
    let mut managed = 0_u64;
    let mut which = [
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
    ];
    let mut values: [*mut c_void; 3] =
        [(&raw mut memory_type).cast(), (&raw mut ordinal).cast(), (&raw mut managed).cast()];
    // SAFETY: three attributes and room for the three values; the address itself is only looked up. The
    // driver is loaded, since `device` is one of its devices.
    let code = unsafe {
        cuPointerGetAttributes(3, which.as_mut_ptr(), values.as_mut_ptr(), address as u64)
    };
    match code {
        CUresult::CUDA_SUCCESS => Ok(Known { memory_type, ordinal, managed: managed != 0 }),
        CUresult::CUDA_ERROR_INVALID_VALUE => Ok(Known { ordinal: -1, ..Known::default() }),
        code => Err(failure(device, "cuPointerGetAttributes", cudarc::driver::DriverError(code))),
    }
}
