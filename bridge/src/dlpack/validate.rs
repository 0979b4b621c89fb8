//! What must hold before a tensor from outside is used: every field is hostile until checked.

use arrayspan_devices::Device;
use dlpack_ffi::{DLDataType, DLTensor};

use super::abi::SUBBYTE_PADDED;
use super::fields::{self, Kind};
use super::refuse::{foreign, refused};
use crate::{DType, Layout, Result};

/// A tensor that has passed every check that needs no driver.
#[derive(Debug)]
pub(super) struct Tensor {
    pub(super) device: Device,
    pub(super) kind: Kind,
    pub(super) dtype: DType,
    /// Where the elements lie, counted from the lowest one (`OpenCL`: from the start of the buffer).
    pub(super) layout: Layout,
    /// The address of the lowest element (`OpenCL`: the `cl_mem`), zero without elements.
    pub(super) address: usize,
    /// The bytes from there that the elements reach over.
    pub(super) bytes: usize,
}

/// Checks a tensor in the order in which its fields can be trusted.
///
/// # Safety
/// `shape` and `strides`, where they are not null, point to `ndim` numbers if that is within 1 to 64.
pub(super) unsafe fn validate(tensor: &DLTensor, flags: u64, alignment: usize) -> Result<Tensor> {
    let rank = fields::rank(tensor)?;
    let whose = fields::device(tensor.device)?;
    let dtype = dtype(tensor.dtype, flags)?;
    // SAFETY: the caller's; the rank is within its bounds.
    let (mut shape, mut strides) =
        unsafe { (fields::shape(tensor, rank)?, fields::strides(tensor, rank)?) };
    fields::lanes(tensor.dtype.lanes, &mut shape, strides.as_mut())?;
    placed(tensor, whose, dtype, shape, strides, alignment)
}

/// The bytes of a tensor whose elements share them, and its shape in elements.
///
/// # Safety
/// As [`validate`].
pub(super) unsafe fn validate_packed(
    tensor: &DLTensor,
    flags: u64,
    alignment: usize,
) -> Result<(Tensor, Vec<usize>)> {
    let rank = fields::rank(tensor)?;
    let whose = fields::device(tensor.device)?;
    let bits = packed_bits(tensor.dtype, flags)?;
    // SAFETY: the caller's; the rank is within its bounds.
    let (mut shape, mut strides) =
        unsafe { (fields::shape(tensor, rank)?, fields::strides(tensor, rank)?) };
    fields::lanes(tensor.dtype.lanes, &mut shape, strides.as_mut())?;
    let elements = count(&shape, 1)?;
    if let Some(strides) = strides.filter(|_| elements > 0) {
        let given = Layout::strided(shape.as_slice(), strides, 0);
        // An element before the first one is a gap too: the offset is none.
        if !given.is_ok_and(|layout| layout.is_contiguous()) {
            return foreign("strides", "elements that share bytes must be row-major without gaps");
        }
    }
    let Some(bits) = elements.checked_mul(bits) else { return too_many() };
    let bytes = vec![bits.div_ceil(8)];
    Ok((placed(tensor, whose, DType::UInt8, bytes, None, alignment)?, shape))
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

/// Bits of elements that share bytes: the floats below a byte, and integers of 1, 2 or 4 bits.
fn packed_bits(dtype: DLDataType, flags: u64) -> Result<usize> {
    let DLDataType { code, bits, .. } = dtype;
    let integer = code <= 1 && [1, 2, 4].contains(&bits);
    if bits >= 8 || !(integer || DType::from_dlpack(code, bits).is_some()) {
        return foreign("dtype", format!("code {code} with {bits} bits is never packed"));
    }
    if flags & SUBBYTE_PADDED != 0 {
        return foreign("flags", "say that each element has a byte of its own");
    }
    Ok(usize::from(bits))
}

fn too_many<T>() -> Result<T> {
    foreign("shape", "describes more bytes than can be addressed")
}

/// The number of elements, once they are known to be few enough, however often strides repeat them.
fn count(shape: &[usize], size: usize) -> Result<usize> {
    let Some(len) = Layout::count(shape) else { return too_many() };
    let len = if shape.contains(&0) { 0 } else { len };
    match len.checked_mul(size) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(len),
        _ => too_many(),
    }
}

/// The tensor, once its elements are known to lie where they can be.
fn placed(
    tensor: &DLTensor,
    (device, kind): (Device, Kind),
    dtype: DType,
    shape: Vec<usize>,
    strides: Option<Vec<isize>>,
    alignment: usize,
) -> Result<Tensor> {
    if count(&shape, dtype.bytes())? == 0 {
        let layout = Layout::contiguous(shape)?;
        return Ok(Tensor { device, kind, dtype, layout, address: 0, bytes: 0 });
    }
    if tensor.data.is_null() {
        return foreign("data", "is null, but there are elements");
    }
    let strides = match strides {
        Some(strides) => strides,
        None => Layout::contiguous(shape.as_slice())?.strides().to_vec(),
    };
    let (layout, address, bytes) = if device.has_pointers() {
        at_pointer(tensor, device, dtype, shape, strides, alignment)?
    } else {
        in_buffer(tensor, dtype, shape, strides, alignment)?
    };
    Ok(Tensor { device, kind, dtype, layout, address, bytes })
}

/// Elements around an address.
fn at_pointer(
    tensor: &DLTensor,
    device: Device,
    dtype: DType,
    shape: Vec<usize>,
    strides: Vec<isize>,
    alignment: usize,
) -> Result<(Layout, usize, usize)> {
    let size = dtype.bytes();
    let offset = usize::try_from(tensor.byte_offset).ok();
    let Some(first) = offset.and_then(|offset| tensor.data.expose_provenance().checked_add(offset))
    else {
        return foreign("byte_offset", format!("{} leaves the address space", tensor.byte_offset));
    };
    // The host reads the parts of a complex number one by one, a GPU both at once.
    let own = if device.is_cpu() { dtype.real().bytes() } else { size };
    for aligned_to in [own, alignment.max(1)] {
        if !first.is_multiple_of(aligned_to) {
            let why = format!("address {first:#x} is not a multiple of {aligned_to}");
            return foreign("data", why);
        }
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
            Ok((layout, address, bytes))
        }
        _ => far(),
    }
}

/// Elements in a `cl_mem`, whose size the driver tells later.
fn in_buffer(
    tensor: &DLTensor,
    dtype: DType,
    shape: Vec<usize>,
    strides: Vec<isize>,
    alignment: usize,
) -> Result<(Layout, usize, usize)> {
    let size = dtype.bytes();
    let offset = usize::try_from(tensor.byte_offset).unwrap_or(usize::MAX);
    for aligned_to in [size, alignment.max(1)] {
        if !offset.is_multiple_of(aligned_to) {
            let why = format!("{offset} is not a multiple of {aligned_to}");
            return foreign("byte_offset", why);
        }
    }
    let layout = Layout::strided(shape, strides, offset / size).or_else(refused)?;
    let bytes = layout.extent().and_then(|(_, last)| (last + 1).checked_mul(size));
    match bytes {
        Some(bytes) => Ok((layout, tensor.data.addr(), bytes)),
        None => foreign("strides", "an element lies too far to address"),
    }
}
