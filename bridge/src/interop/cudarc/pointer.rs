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
    /// Where the block around the address ends, zero if the driver does not tell.
    end: u64,
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

/// The CUDA device whose memory these bytes are, of libraries that do not say.
///
/// # Errors
/// [`Error::Foreign`] for other memory; [`Error::Device`] where there is no CUDA device.
pub fn device_of(address: usize, bytes: usize) -> Result<Device> {
    let known = attributes(Device::cuda(0)?, address)?;
    let device = usize::try_from(known.ordinal).ok().filter(|_| known.on_device());
    let Some(device) = device.map(Device::cuda) else {
        return foreign("data", format!("{address:#x} is not CUDA device memory"));
    };
    let device = device?;
    expect_pointer(device, address, bytes)?;
    Ok(device)
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

/// Looks at the first byte, and at the last one unless it is in the same block: each look is a call of the driver.
fn each_end(
    device: Device,
    address: usize,
    bytes: usize,
    check: impl Fn(usize, Known) -> Result<()>,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let (known, last) = (attributes(device, address)?, address + bytes - 1);
    check(address, known)?;
    if (last as u64) < known.end { Ok(()) } else { check(last, attributes(device, last)?) }
}

fn foreign<T>(field: &'static str, why: String) -> Result<T> {
    Err(Error::Foreign { field, why })
}

fn attributes(device: Device, address: usize) -> Result<Known> {
    let (mut memory_type, mut ordinal) = (0_u32, -1_i32);
    // The driver's documentation calls this a boolean and leaves open how wide.
    let mut managed = 0_u64;
    let (mut start, mut size) = (0_u64, 0_usize);
    let mut which = [
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    ];
    let mut values: [*mut c_void; 5] = [
        (&raw mut memory_type).cast(),
        (&raw mut ordinal).cast(),
        (&raw mut managed).cast(),
        (&raw mut start).cast(),
        (&raw mut size).cast(),
    ];
    // SAFETY: five attributes and room for the five values; the address itself is only looked up. The
    // driver is loaded, since `device` is one of its devices.
    let code = unsafe {
        cuPointerGetAttributes(5, which.as_mut_ptr(), values.as_mut_ptr(), address as u64)
    };
    match code {
        CUresult::CUDA_SUCCESS => {
            let end = start.saturating_add(size as u64);
            Ok(Known { memory_type, ordinal, managed: managed != 0, end })
        }
        CUresult::CUDA_ERROR_INVALID_VALUE => Ok(Known { ordinal: -1, ..Known::default() }),
        code => Err(failure(device, "cuPointerGetAttributes", cudarc::driver::DriverError(code))),
    }
}
