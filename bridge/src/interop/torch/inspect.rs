//! What a tensor is, and whether an array can be that.

use std::mem::MaybeUninit;

use arrayspan_devices::Device;
use tch::Tensor;

use super::shim::{self, Description};
use crate::{DType, Error, Layout, Result};

/// A dense tensor on a device we serve.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) device: Device,
    pub(super) dtype: DType,
    pub(super) layout: Layout,
    /// The address of the first element, which is the lowest; zero without elements.
    pub(super) address: usize,
    /// The bytes from there that the elements reach over.
    pub(super) bytes: usize,
    /// Nobody else holds the tensor or its storage.
    pub(super) alone: bool,
    /// The elements in memory are to be conjugated or negated.
    pub(super) lazy: bool,
}

impl Found {
    /// Whether reads of whole elements at this address are.
    pub(super) fn is_aligned(&self) -> bool {
        is_aligned(self.address, self.dtype, self.device)
    }
}

/// Whether elements may lie at an address. The host reads the parts of a complex number one by one, a GPU both at
/// once.
pub(super) fn is_aligned(address: usize, dtype: DType, device: Device) -> bool {
    let aligned_to = if device.is_cpu() { dtype.real().bytes() } else { dtype.bytes() };
    address.is_multiple_of(aligned_to)
}

/// Looks at a tensor without checking anything.
pub(super) fn describe(tensor: &Tensor) -> Result<Description> {
    let mut found = MaybeUninit::uninit();
    shim::call("describe a tensor", Device::cpu(), 0, |failure| {
        // SAFETY: a live tensor, read only; both results are written during the call only.
        unsafe {
            shim::arrayspan_torch_describe(tensor.as_ptr().cast(), found.as_mut_ptr(), failure)
        }
    })?;
    // SAFETY: written, since the call succeeded.
    Ok(unsafe { found.assume_init() })
}

/// Checks that an array can be what this describes.
///
/// # Errors
/// [`Error::Foreign`] names the property that stands in the way; [`Error::Device`] where the tensor's driver is
/// missing.
pub(super) fn check(tensor: &Description) -> Result<Found> {
    if !tensor.defined {
        return refuse("defined", "the tensor has no content");
    }
    if !tensor.strided {
        // SAFETY: a literal of the C++ part.
        let layout = unsafe { shim::text(tensor.layout) };
        return refuse("layout", format!("is {layout}, expected strided"));
    }
    // SAFETY: a literal of libtorch.
    let scalar = || unsafe { shim::text(tensor.scalar) };
    if tensor.quantised {
        return refuse("is_quantized", format!("the elements are {}: dequantize them", scalar()));
    }
    let device = device(tensor)?;
    if !tensor.storage {
        return refuse("storage", "the tensor has none: its elements are not in memory");
    }
    let shim::Dtype { code, bits, lanes } = tensor.dtype;
    let Some(dtype) = DType::from_dlpack(code, bits).filter(|_| lanes == 1) else {
        return refuse("dtype", format!("{} has no counterpart", scalar()));
    };
    let layout = layout(tensor)?;
    let size = dtype.bytes();
    let bytes = layout.extent().map_or(Some(0), |(_, last)| (last + 1).checked_mul(size));
    let end = bytes.and_then(|bytes| tensor.data.checked_add(bytes));
    let (Some(bytes), Some(_)) = (bytes, end) else {
        return refuse("strides", "an element lies too far to address");
    };
    if bytes > 0 && tensor.data == 0 {
        return refuse("data", "is null, but there are elements");
    }
    let address = if bytes == 0 { 0 } else { tensor.data };
    let Description { alone, lazy, .. } = *tensor;
    Ok(Found { device, dtype, layout, address, bytes, alone, lazy })
}

fn device(tensor: &Description) -> Result<Device> {
    match (tensor.device_type, tensor.device_index) {
        (0, _) => Ok(Device::cpu()),
        (1, index) => Ok(Device::cuda(usize::try_from(index).unwrap_or(0))?),
        (other, _) => {
            // SAFETY: valid until the next call on this thread.
            let name = unsafe { shim::text(shim::arrayspan_torch_device_name(other)) };
            refuse("device", format!("is {name}, expected cpu or cuda"))
        }
    }
}

/// The places of the elements, counted from the first.
fn layout(tensor: &Description) -> Result<Layout> {
    if tensor.ndim == 0 {
        return Layout::contiguous([]);
    }
    // SAFETY: numbers that belong to the tensor, which is alive and not changed during this call.
    let (sizes, strides) = unsafe {
        let numbers = |first| std::slice::from_raw_parts::<i64>(first, tensor.ndim);
        (numbers(tensor.sizes), numbers(tensor.strides))
    };
    let shape: Vec<usize> = sizes.iter().map(|&size| size as usize).collect();
    let layout = if shape.contains(&0) {
        Layout::contiguous(shape)
    } else {
        let strides: Vec<isize> = strides.iter().map(|&stride| stride as isize).collect();
        Layout::strided(shape, strides, 0)
    };
    layout.or_else(|error| match error {
        Error::Layout { why, .. } => refuse("strides", why),
        error => Err(error),
    })
}

pub(super) fn refuse<T>(field: &'static str, why: impl Into<String>) -> Result<T> {
    Err(Error::Foreign { field, why: why.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two `Float32` numbers on the CPU.
    fn plain() -> Description {
        Description {
            defined: true,
            strided: true,
            storage: true,
            quantised: false,
            gradients: false,
            device_type: 0,
            device_index: -1,
            layout: c"strided".as_ptr(),
            scalar: c"Float".as_ptr(),
            lazy: false,
            alone: true,
            dtype: shim::Dtype { code: 2, bits: 32, lanes: 1 },
            ndim: 1,
            sizes: &raw const SIZE,
            strides: &raw const STRIDE,
            data: 64,
        }
    }

    static SIZE: i64 = 2;
    static STRIDE: i64 = 1;
    static FAR: i64 = i64::MAX / 2;

    fn field(tensor: &Description) -> &'static str {
        match check(tensor) {
            Err(Error::Foreign { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_plain_tensor_is_taken_as_it_is() {
        let found = check(&plain()).expect("a plain tensor");
        assert_eq!((found.dtype, found.address, found.bytes), (DType::Float32, 64, 8));
    }

    #[test]
    fn devices_we_do_not_serve_are_named() {
        for (device_type, name) in [(9, "xla"), (12, "xpu"), (13, "mps"), (14, "meta")] {
            let tensor = Description { device_type, device_index: 0, ..plain() };
            match check(&tensor) {
                Err(Error::Foreign { field: "device", why }) => {
                    assert!(why.contains(name), "{why}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_torch_would_never_say_is_refused_all_the_same() {
        assert_eq!(field(&Description { data: 0, ..plain() }), "data");
        assert_eq!(field(&Description { data: usize::MAX, ..plain() }), "strides");
        assert_eq!(field(&Description { strides: &raw const FAR, ..plain() }), "strides");
        let dtype = shim::Dtype { code: 17, bits: 4, lanes: 2 };
        assert_eq!(field(&Description { dtype, ..plain() }), "dtype");
        let dtype = shim::Dtype { code: 255, bits: 0, lanes: 0 };
        assert_eq!(field(&Description { dtype, ..plain() }), "dtype");
    }
}
