//! Arrays from managed tensors.

use std::ptr::with_exposed_provenance;
use std::sync::Arc;

use arrayspan_devices::{Access, DeviceKind, Memory, Release, Stream};

use super::abi::READ_ONLY;
use super::validate::{Tensor, foreign, validate};
use super::{Capsule, Managed};
use crate::interop::cudarc::{expect_pointer, keep_context};
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
    /// # Errors
    /// [`Error::Foreign`] names the field that cannot be trusted or used; [`Error::WrongDevice`] for a
    /// stream of another device; [`Error::Device`] where the tensor's driver is missing or fails.
    pub fn from_dlpack<M: Managed>(capsule: Capsule<M>, stream: Option<&Stream>) -> Result<Self> {
        let (tensor, flags) = capsule.open()?;
        // SAFETY: whoever made the capsule has vouched for its pointers.
        let mut tensor = unsafe { validate(&tensor, flags)? };
        let mut writable = flags & READ_ONLY == 0;
        if let Some(stream) = stream.filter(|stream| stream.device() != tensor.device) {
            let (expected, found) = (tensor.device, stream.device());
            return Err(Error::WrongDevice { operation: "from_dlpack", expected, found });
        }
        match tensor.device.kind() {
            DeviceKind::Cuda => expect_pointer(tensor.device, tensor.address, tensor.bytes)?,
            DeviceKind::OpenCl if tensor.bytes > 0 => {
                let buffer = inspect(tensor.device, tensor.address)?;
                if tensor.bytes > buffer.bytes {
                    let (bytes, size) = (tensor.bytes, buffer.bytes);
                    return foreign("shape", format!("reaches byte {bytes} of a buffer of {size}"));
                }
                tensor.bytes = buffer.bytes;
                writable &= buffer.writable;
            }
            _ => expect_booleans(&tensor)?,
        }
        let release: Release = if tensor.device.kind() == DeviceKind::Cuda {
            Box::new(move || keep_context(|| drop(capsule)))
        } else {
            Box::new(move || drop(capsule))
        };
        let Tensor { device, dtype, layout, address, bytes } = tensor;
        // SAFETY: address and size were validated; the memory lives until the deleter runs, which is the
        // release function; the maker of the capsule has vouched that nobody else interferes. The
        // stream it is ready on is made known at once.
        let memory = unsafe { Memory::from_foreign(device, address, bytes, release) };
        if let Some(stream) = stream {
            memory.acquire(stream, Access::Write)?;
        }
        Ok(Self { memory: Arc::new(memory), owner: None, layout, dtype, writable })
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
        match SharedArray::from_dlpack(capsule, stream)?.try_into_array() {
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

fn expect_booleans(tensor: &Tensor) -> Result<()> {
    if tensor.dtype != DType::Bool || tensor.bytes == 0 {
        return Ok(());
    }
    let lowest = with_exposed_provenance(tensor.address);
    // SAFETY: the maker of the capsule has vouched that these elements can be read.
    match unsafe { host::expect_booleans(lowest, &tensor.layout) } {
        Ok(()) => Ok(()),
        Err(_) => foreign("data", "a bool element is neither 0 nor 1"),
    }
}
