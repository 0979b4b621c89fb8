//! Arrays as opencl3's buffers.

use arrayspan_devices::{Access, DeviceKind, Stream};
use opencl3::memory::Buffer;

use super::OpenClArray;
use crate::layout::wrong;
use crate::{Array, Element, Error, Result};

impl Array {
    /// The buffer the memory came from, if it came from one of `T`; else this again. Waits for queued
    /// work that uses it.
    ///
    /// # Errors
    /// The array itself, unchanged, also where the driver fails to wait.
    pub fn try_into_opencl_buffer<T: Element>(self) -> Result<Buffer<T>, Self> {
        let Some(owner) = self.owner().filter(|_| self.dtype() == T::DTYPE).cloned() else {
            return Err(self);
        };
        if self.memory().wait(Access::Write).is_err() {
            return Err(self);
        }
        owner.take(|_: &Buffer<T>| true).ok_or(self)
    }

    /// The array as a buffer for opencl3. Nothing is copied. Work queued on `stream`'s
    /// [`queue`](crate::interop::opencl::queue) comes after ours on the array.
    ///
    /// # Errors
    /// [`Error::DType`]; [`Error::Layout`] unless contiguous; [`Error::Inexpressible`] off `OpenCL`, or
    /// for an array without elements; [`Error::WrongDevice`] for a stream of another device; the
    /// driver's refusal. The array is dropped then.
    pub fn into_opencl<T: Element>(self, stream: &Stream) -> Result<OpenClArray<T>> {
        let operation = "into_opencl";
        self.view().expect_dtype::<T>(operation)?;
        if self.device().kind() != DeviceKind::OpenCl {
            let what = format!("the array is on {}, not on an OpenCL device", self.device());
            return Err(Error::Inexpressible { operation, what: what.into() });
        }
        if stream.device() != self.device() {
            let (expected, found) = (self.device(), stream.device());
            return Err(Error::WrongDevice { operation, argument: "stream", expected, found });
        }
        if self.layout().is_empty() {
            let what = "OpenCL has no buffers without elements";
            return Err(Error::Inexpressible { operation, what: what.into() });
        }
        if !self.layout().is_contiguous() {
            let (shape, strides) = (self.shape(), self.layout().strides());
            return Err(wrong(operation, shape, strides, "not contiguous"));
        }
        self.memory().lend_to(stream, Access::Write)?;
        OpenClArray::new(self)
    }
}
