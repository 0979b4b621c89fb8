//! Arrays from opencl3's buffers.

use arrayspan_devices::{Device, Memory, Stream};
use opencl3::memory::{Buffer, ClMem};

use super::inspect;
use crate::owner::Owner;
use crate::{Element, Error, Layout, Result, SharedArray};

impl SharedArray {
    /// The memory of a buffer as a row-major array that begins at its start. Nothing is copied. The
    /// buffer is released after the last work that uses the array. It can become an [`Array`](crate::Array) by
    /// [`try_into_array`](Self::try_into_array) unless kernels may only read the buffer.
    ///
    /// `stream` is the one on whose queue the buffer was used last; without it all that work is done.
    ///
    /// # Errors
    /// [`Error::Shape`] when the buffer is too small; [`Error::Foreign`] for a buffer of a context other
    /// than [`context`](crate::interop::opencl::context)`(device)`; [`Error::WrongDevice`] for a stream
    /// of another device; the driver's refusal. The buffer is released then.
    ///
    /// # Safety
    /// While the array lives, nobody else writes the buffer, nor reads it if the array is written: other
    /// references to the same `cl_mem`, and sub-buffers of it, included.
    pub unsafe fn from_opencl_buffer<T: Element>(
        buffer: Buffer<T>,
        shape: impl AsRef<[usize]>,
        device: Device,
        stream: Option<&Stream>,
    ) -> Result<Self> {
        let operation = "from_opencl_buffer";
        let layout = Layout::contiguous_for(operation, shape.as_ref())?;
        let needed = layout.bytes(operation, T::DTYPE)?;
        if let Some(stream) = stream.filter(|stream| stream.device() != device) {
            let (expected, found) = (device, stream.device());
            return Err(Error::WrongDevice { operation, argument: "stream", expected, found });
        }
        let address = buffer.get().expose_provenance();
        let found = inspect(device, address)?;
        if needed > found.bytes {
            let found = vec![found.bytes / size_of::<T>()];
            return Err(Error::Shape { operation, expected: layout.shape().to_vec(), found });
        }
        let owner = Owner::new(buffer);
        let release = owner.release();
        // SAFETY: a live buffer of the device's context with that size, kept by the release function; the
        // caller vouches for other users, and that it was last used on `stream`, one of the device.
        let memory = unsafe {
            match stream {
                Some(stream) => Memory::from_foreign_on(stream, address, found.bytes, release),
                None => Memory::from_foreign(device, address, found.bytes, release),
            }
        };
        Ok(Self {
            memory: memory.into(),
            owner: Some(owner),
            layout,
            dtype: T::DTYPE,
            writable: found.writable,
        })
    }
}
