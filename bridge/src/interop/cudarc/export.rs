//! Arrays as cudarc's slices.

use arrayspan_devices::{Access, DeviceKind};
use cudarc::driver::CudaSlice;

use super::{CudaArray, context};
use crate::layout::wrong;
use crate::{Array, Element, Error, Result};

impl Array {
    /// The slice the memory came from, if it came from one of `T` and the array still covers all of it in
    /// order; else this again. Waits for queued work that uses it.
    ///
    /// # Errors
    /// The array itself, unchanged, also where the driver fails to wait.
    pub fn try_into_cuda_slice<T: Element>(self) -> Result<CudaSlice<T>, Self> {
        let whole = self.layout().is_contiguous() && self.layout().offset() == 0;
        let Some(owner) = self.owner().filter(|_| whole && self.dtype() == T::DTYPE).cloned()
        else {
            return Err(self);
        };
        let len = self.layout().len();
        if self.memory().wait(Access::Write).is_err() {
            return Err(self);
        }
        owner.take(|slice: &CudaSlice<T>| slice.len() == len).ok_or(self)
    }

    /// The array as cudarc's functions take it, `cuBLAS` included. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::DType`]; [`Error::Layout`] unless contiguous; [`Error::Inexpressible`] off CUDA; the
    /// driver's refusal. The array is dropped then.
    pub fn into_cuda<T: Element>(self) -> Result<CudaArray<T>> {
        self.view().expect_dtype::<T>("into_cuda")?;
        if self.device().kind() != DeviceKind::Cuda {
            let what = "the array is not on a CUDA device";
            return Err(Error::Inexpressible { operation: "into_cuda", what });
        }
        if !self.layout().is_contiguous() {
            let (shape, strides) = (self.shape(), self.layout().strides());
            return Err(wrong("into_cuda", shape, strides, "not contiguous"));
        }
        let context = context(self.device())?;
        CudaArray::new(self, &context)
    }
}
