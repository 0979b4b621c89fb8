//! Arrays from managed tensors.

use std::ptr::with_exposed_provenance;
use std::sync::Arc;

use arrayspan_devices::{Device, DeviceKind, Memory, Release, Stream};

use super::abi::READ_ONLY;
use super::fields::Kind;
use super::refuse::foreign;
use super::validate::{Tensor, validate};
use super::{Capsule, ImportOptions, Managed};
use crate::interop::cudarc::{expect_host, expect_managed, expect_pointer, keep_context};
use crate::interop::opencl::inspect;
use crate::{Array, Crossing, DType, Error, Result, SharedArray, Transfer, Why, host};

impl SharedArray {
    /// Takes over a managed tensor without a copy. Its deleter runs exactly once: when it fails here, or
    /// after the last work that uses the array.
    ///
    /// `stream` is the one the producer has made its data safe on; without it they are ready for all. The
    /// array can become an [`Array`] by [`try_into_array`](Self::try_into_array) if the producer lets it
    /// be written.
    ///
    /// Memory that `CUDA` manages becomes an array on the device that the driver says it belongs to, and
    /// travels on as that device's. The bytes of a `Bool` off the CPU are not checked here, but when the
    /// host reads them.
    ///
    /// # Errors
    /// [`Error::Foreign`] names the field that cannot be trusted or used; [`Error::WrongDevice`] for a
    /// stream of another device; [`Error::Device`] where the tensor's driver is missing or fails.
    pub fn from_dlpack<M: Managed>(capsule: Capsule<M>, stream: Option<&Stream>) -> Result<Self> {
        Self::from_dlpack_with(capsule, stream, &ImportOptions::default())
    }

    /// As [`from_dlpack`](Self::from_dlpack), with further demands.
    ///
    /// # Errors
    /// Those of [`from_dlpack`](Self::from_dlpack).
    pub fn from_dlpack_with<M: Managed>(
        capsule: Capsule<M>,
        stream: Option<&Stream>,
        options: &ImportOptions,
    ) -> Result<Self> {
        let (tensor, flags) = capsule.open()?;
        options.check(flags)?;
        // SAFETY: whoever made the capsule has vouched for its pointers.
        let tensor = unsafe { validate(&tensor, flags, options.alignment)? };
        take_over(capsule, tensor, flags, stream)
    }
}

impl Array {
    /// Takes over a managed tensor: without a copy if it may be written and no two of its elements share
    /// a place, else by a copy on its device. Streams and the deleter: as
    /// [`SharedArray::from_dlpack`].
    ///
    /// # Errors
    /// Those of [`SharedArray::from_dlpack`]; [`Error::CopyRefused`]; out of memory.
    pub fn from_dlpack<M: Managed>(
        capsule: Capsule<M>,
        transfer: Transfer,
        stream: Option<&Stream>,
    ) -> Result<(Self, Crossing)> {
        Self::from_dlpack_with(capsule, transfer, stream, &ImportOptions::default())
    }

    /// As [`from_dlpack`](Self::from_dlpack), with further demands.
    ///
    /// # Errors
    /// Those of [`from_dlpack`](Self::from_dlpack).
    pub fn from_dlpack_with<M: Managed>(
        capsule: Capsule<M>,
        transfer: Transfer,
        stream: Option<&Stream>,
        options: &ImportOptions,
    ) -> Result<(Self, Crossing)> {
        match SharedArray::from_dlpack_with(capsule, stream, options)?.try_into_array() {
            Ok(array) => Ok((array, Crossing::ZeroCopy)),
            Err(shared) => {
                let why = if shared.writable { Why::Strides } else { Why::ReadOnly };
                let bytes = shared.layout().bytes("from_dlpack", shared.dtype())?;
                let crossing = transfer.copy("from_dlpack", why, bytes)?;
                Ok((shared.view().to_array()?, crossing))
            }
        }
    }
}

/// The array of a tensor that came out of `capsule`, once the drivers agree with what it says.
pub(super) fn take_over<M: Managed>(
    capsule: Capsule<M>,
    mut tensor: Tensor,
    flags: u64,
    stream: Option<&Stream>,
) -> Result<SharedArray> {
    let mut writable = flags & READ_ONLY == 0;
    match (tensor.kind, tensor.device.kind()) {
        _ if tensor.bytes == 0 => {}
        (Kind::Managed, _) => tensor.device = expect_managed(tensor.address, tensor.bytes)?,
        (Kind::Pinned, _) => expect_host(tensor.address, tensor.bytes)?,
        (Kind::Plain, DeviceKind::Cuda) => {
            expect_pointer(tensor.device, tensor.address, tensor.bytes)?;
        }
        (Kind::Plain, DeviceKind::OpenCl) => {
            let buffer = inspect(tensor.device, tensor.address)?;
            if tensor.bytes > buffer.bytes {
                let (bytes, size) = (tensor.bytes, buffer.bytes);
                return foreign("shape", format!("reaches byte {bytes} of a buffer of {size}"));
            }
            tensor.bytes = buffer.bytes;
            writable &= buffer.writable;
        }
        (Kind::Plain, _) => {}
    }
    if let Some(stream) = stream.filter(|stream| stream.device() != tensor.device) {
        let (expected, found) = (tensor.device, stream.device());
        let (operation, argument) = ("from_dlpack", "stream");
        return Err(Error::WrongDevice { operation, argument, expected, found });
    }
    expect_booleans(&tensor)?;
    // Who frees pinned memory may call the driver too.
    let by_cuda = tensor.device.kind() == DeviceKind::Cuda
        || tensor.kind == Kind::Pinned && Device::cuda(0).is_ok();
    let release: Release = if by_cuda {
        Box::new(move || keep_context(|| drop(capsule)))
    } else {
        Box::new(move || drop(capsule))
    };
    let Tensor { device, dtype, layout, address, bytes, .. } = tensor;
    // SAFETY: address and size were validated; the memory lives until the deleter runs, which is the
    // release function; the maker of the capsule has vouched that nobody else interferes, and that it is ready on the
    // stream, which is one of the device.
    let memory = unsafe {
        match stream {
            Some(stream) => Memory::from_foreign_on(stream, address, bytes, release),
            None => Memory::from_foreign(device, address, bytes, release),
        }
    };
    Ok(SharedArray { memory: Arc::new(memory), owner: None, layout, dtype, writable })
}

/// Of a tensor in host memory.
fn expect_booleans(tensor: &Tensor) -> Result<()> {
    if tensor.dtype != DType::Bool || tensor.bytes == 0 || !tensor.device.is_cpu() {
        return Ok(());
    }
    let lowest = with_exposed_provenance(tensor.address);
    // SAFETY: the maker of the capsule has vouched that these elements can be read.
    match unsafe { host::expect_booleans("from_dlpack", lowest, &tensor.layout) } {
        Ok(()) => Ok(()),
        Err(_) => foreign("data", "a bool element is neither 0 nor 1"),
    }
}
