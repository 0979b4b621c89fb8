//! What must hold before a tensor from outside is used: every field is hostile until checked.

use arrayspan_devices::{Device, DeviceKind};
use dlpack_ffi::{DLDataType, DLDevice, DLDeviceType, DLTensor};

use super::abi::SUBBYTE_PADDED;
use crate::{DType, Error, Layout, Result};

/// More axes than any library makes.
const MAX_RANK: usize = 64;

/// A tensor that has passed every check that needs no driver.
#[derive(Debug)]
pub(super) struct Tensor {
    pub(super) device: Device,
    pub(super) dtype: DType,
    /// Where the elements lie, counted from the lowest one (`OpenCL`: from the start of the buffer).
    pub(super) layout: Layout,
    /// The address of the lowest element, zero without elements (`OpenCL`: the `cl_mem`).
    pub(super) address: usize,
    /// The bytes from there that the elements reach over.
    pub(super) bytes: usize,
}

pub(super) fn foreign<T>(field: &'static str, why: impl Into<String>) -> Result<T> {
    Err(Error::Foreign { field, why: why.into() })
}

/// Checks a tensor in the order in which its fields can be trusted.
///
/// # Safety
/// `shape` and `strides`, where they are not null, point to `ndim` numbers if that is within 1 to 64.
pub(super) unsafe fn validate(tensor: &DLTensor, flags: u64) -> Result<Tensor> {
    let rank = match usize::try_from(tensor.ndim) {
        Ok(rank) if rank <= MAX_RANK => rank,
        _ => return foreign("ndim", format!("is {}, allowed are 0 to {MAX_RANK}", tensor.ndim)),
    };
    let device = device(tensor.device)?;
    let dtype = dtype(tensor.dtype, flags)?;
    // SAFETY: the caller's; the rank is within its bounds.
    let (mut shape, mut strides) = unsafe { (shape(tensor, rank)?, strides(tensor, rank)?) };
    lanes(tensor.dtype.lanes, &mut shape, strides.as_mut())?;

    let dense = Layout::contiguous(shape.clone())
        .and_then(|dense| dense.bytes("import", dtype).map(|_| dense))
        .or_else(|_| foreign("shape", "describes more bytes than can be addressed"))?;
    let strides = strides.unwrap_or_else(|| dense.strides().to_vec());
    if dense.is_empty() {
        let address = if device.kind() == DeviceKind::OpenCl { tensor.data.addr() } else { 0 };
        return Ok(Tensor { device, dtype, layout: dense, address, bytes: 0 });
    }
    if tensor.data.is_null() {
        return foreign("data", "is null, but there are elements");
    }
    match device.kind() {
        DeviceKind::OpenCl => in_buffer(tensor, device, dtype, shape, strides),
        _ => at_pointer(tensor, device, dtype, &shape, strides),
    }
}

/// `CUDA`'s pinned host memory is plain memory to us.
fn device(device: DLDevice) -> Result<Device> {
    let DLDevice { device_type, device_id } = device;
    let host = [DLDeviceType::kDLCPU, DLDeviceType::kDLCUDAHost].contains(&device_type);
    if host && device_id == 0 {
        return Ok(Device::cpu());
    }
    let code = if host { DLDeviceType::kDLCPU } else { device_type }.0;
    match Device::from_dlpack(i32::try_from(code).unwrap_or(-1), device_id) {
        Ok(device) => Ok(device),
        Err(arrayspan_devices::Error::Unsupported { .. }) => {
            foreign("device.device_type", format!("{code} has no driver here"))
        }
        Err(error @ arrayspan_devices::Error::Unavailable { .. }) => Err(error.into()),
        Err(error) => foreign("device.device_id", error.to_string()),
    }
}

fn dtype(dtype: DLDataType, flags: u64) -> Result<DType> {
    let DLDataType { code, bits, .. } = dtype;
    let Some(known) = DType::from_dlpack(code, bits) else {
        return foreign("dtype", format!("code {code} with {bits} bits is not known"));
    };
    if bits < 8 && flags & SUBBYTE_PADDED == 0 {
        return foreign("dtype.bits", format!("{known} elements are packed within bytes"));
    }
    Ok(known)
}

/// # Safety
/// As [`validate`].
unsafe fn shape(tensor: &DLTensor, rank: usize) -> Result<Vec<usize>> {
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
/// As [`validate`].
unsafe fn strides(tensor: &DLTensor, rank: usize) -> Result<Option<Vec<isize>>> {
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
fn lanes(lanes: u16, shape: &mut Vec<usize>, strides: Option<&mut Vec<isize>>) -> Result<()> {
    if lanes == 0 {
        return foreign("dtype.lanes", "is 0");
    }
    if lanes == 1 {
        return Ok(());
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

/// Elements around an address.
fn at_pointer(
    tensor: &DLTensor,
    device: Device,
    dtype: DType,
    shape: &[usize],
    strides: Vec<isize>,
) -> Result<Tensor> {
    let size = dtype.bytes();
    let offset = usize::try_from(tensor.byte_offset).ok();
    let Some(first) = offset.and_then(|offset| tensor.data.expose_provenance().checked_add(offset))
    else {
        return foreign("byte_offset", format!("{} leaves the address space", tensor.byte_offset));
    };
    // The host reads the parts of a complex number one by one, a GPU both at once.
    let aligned_to = if device.is_cpu() { dtype.real().bytes() } else { size };
    if !first.is_multiple_of(aligned_to) {
        let why = format!("address {first:#x} is not a multiple of {aligned_to}");
        return foreign("data", why);
    }
    let far = || foreign("strides", "an element lies too far to address");
    let below: i128 = shape
        .iter()
        .zip(&strides)
        .map(|(&extent, &stride)| -((extent as i128 - 1) * (stride as i128).min(0)))
        .sum();
    let Ok(below) = usize::try_from(below) else { return far() };
    let Ok(layout) = Layout::strided(shape, strides, below) else { return far() };
    let elements = layout.extent().map_or(0, |(_, last)| last + 1);
    let bytes = elements.checked_mul(size).filter(|&bytes| isize::try_from(bytes).is_ok());
    let lowest = below.checked_mul(size).and_then(|below| first.checked_sub(below));
    match (lowest, bytes) {
        (Some(address @ 1..), Some(bytes)) if address.checked_add(bytes).is_some() => {
            Ok(Tensor { device, dtype, layout, address, bytes })
        }
        _ => far(),
    }
}

/// Elements in a `cl_mem`, whose size the driver tells later.
fn in_buffer(
    tensor: &DLTensor,
    device: Device,
    dtype: DType,
    shape: Vec<usize>,
    strides: Vec<isize>,
) -> Result<Tensor> {
    let size = dtype.bytes();
    let offset = usize::try_from(tensor.byte_offset).unwrap_or(usize::MAX);
    if !offset.is_multiple_of(size) {
        let why = format!("{offset} is not a multiple of {size}, the bytes of one element");
        return foreign("byte_offset", why);
    }
    let layout = match Layout::strided(shape, strides, offset / size) {
        Ok(layout) => layout,
        Err(Error::Layout { why, .. }) => return foreign("strides", why),
        Err(error) => return Err(error),
    };
    let bytes = layout.extent().and_then(|(_, last)| (last + 1).checked_mul(size));
    match bytes {
        Some(bytes) => Ok(Tensor { device, dtype, layout, address: tensor.data.addr(), bytes }),
        None => foreign("strides", "an element lies too far to address"),
    }
}
