//! The fields of a tensor from outside, each read once and checked by itself.

use arrayspan_devices::Device;
use dlpack_ffi::{DLDevice, DLDeviceType, DLTensor};

use super::refuse::foreign;
use crate::Result;

/// More axes than any library makes. What goes out keeps to it too.
pub(super) const MAX_RANK: usize = 64;

/// What a tensor says of its memory, beside whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing more.
    Plain,
    /// Host memory that the `CUDA` driver knows.
    Pinned,
    /// Memory that the host and every `CUDA` device reach; whose it is only the driver can tell.
    Managed,
}

/// How many axes there are.
pub(super) fn rank(tensor: &DLTensor) -> Result<usize> {
    match usize::try_from(tensor.ndim) {
        Ok(rank) if rank <= MAX_RANK => Ok(rank),
        _ => foreign("ndim", format!("is {}, allowed are 0 to {MAX_RANK}", tensor.ndim)),
    }
}

/// `CUDA`'s pinned host memory is plain memory to us. Managed memory is taken for that of the first
/// `CUDA` device until the driver is asked.
pub(super) fn device(device: DLDevice) -> Result<(Device, Kind)> {
    let DLDevice { device_type, device_id } = device;
    let (code, kind) = match device_type {
        DLDeviceType::kDLCUDAHost => (DLDeviceType::kDLCPU, Kind::Pinned),
        DLDeviceType::kDLCUDAManaged => (DLDeviceType::kDLCUDA, Kind::Managed),
        code => (code, Kind::Plain),
    };
    if kind == Kind::Managed && device_id != 0 {
        return foreign("device.device_id", format!("is {device_id}, managed memory has 0"));
    }
    if code == DLDeviceType::kDLCPU && device_id == 0 {
        return Ok((Device::cpu(), kind));
    }
    match Device::from_dlpack(i32::try_from(code.0).unwrap_or(-1), device_id) {
        Ok(device) => Ok((device, kind)),
        Err(arrayspan_devices::Error::Unsupported { .. }) => {
            foreign("device.device_type", format!("{} has no driver here", code.0))
        }
        Err(error @ arrayspan_devices::Error::Unavailable { .. }) => Err(error.into()),
        Err(error) => foreign("device.device_id", error.to_string()),
    }
}

/// # Safety
/// As [`validate`](super::validate::validate).
pub(super) unsafe fn shape(tensor: &DLTensor, rank: usize) -> Result<Vec<usize>> {
    if rank == 0 {
        return Ok(Vec::new());
    }
    if tensor.shape.is_null() {
        return foreign("shape", format!("is null, but ndim is {rank}"));
    }
    let extent = |axis| {
        // SAFETY: the caller's. Read one by one and unaligned, because nothing says they are aligned.
        let extent = unsafe { tensor.shape.add(axis).read_unaligned() };
        let fail = || foreign("shape", format!("extent {extent} along axis {axis}"));
        usize::try_from(extent).or_else(|_| fail())
    };
    (0..rank).map(extent).collect()
}

/// `None` for the row-major strides that null stands for.
///
/// # Safety
/// As [`validate`](super::validate::validate).
pub(super) unsafe fn strides(tensor: &DLTensor, rank: usize) -> Result<Option<Vec<isize>>> {
    if tensor.strides.is_null() || rank == 0 {
        return Ok((rank == 0).then(Vec::new));
    }
    let stride = |axis| {
        // SAFETY: as in `shape`.
        let stride = unsafe { tensor.strides.add(axis).read_unaligned() };
        let fail = || foreign("strides", format!("stride {stride} along axis {axis}"));
        isize::try_from(stride).or_else(|_| fail())
    };
    (0..rank).map(stride).collect::<Result<_>>().map(Some)
}

/// A vector type of several lanes is one more axis, the last.
pub(super) fn lanes(
    lanes: u16,
    shape: &mut Vec<usize>,
    strides: Option<&mut Vec<isize>>,
) -> Result<()> {
    if lanes == 0 {
        return foreign("dtype.lanes", "is 0");
    }
    if lanes == 1 {
        return Ok(());
    }
    if shape.len() == MAX_RANK {
        return foreign("dtype.lanes", format!("are one axis more than {MAX_RANK}"));
    }
    shape.push(usize::from(lanes));
    let Some(strides) = strides else { return Ok(()) };
    for stride in &mut *strides {
        let wider = stride.checked_mul(isize::try_from(lanes).unwrap_or(isize::MAX));
        match wider {
            Some(wider) => *stride = wider,
            None => return foreign("strides", format!("{stride} of {lanes} lanes")),
        }
    }
    strides.push(1);
    Ok(())
}
