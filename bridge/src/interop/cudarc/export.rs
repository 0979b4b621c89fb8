//! Arrays as cudarc's slices.

use arrayspan_devices::{Access, DeviceKind};
use cudarc::driver::{CudaSlice, DevicePtrMut};

use super::import::{past_pending, stream};
use super::{CudaArray, keep_context};
use crate::layout::wrong;
use crate::{Array, Element, Error, Result};

impl Array {
    /// The slice the memory came from, if it came from one of `T` and the array still covers all of it in
    /// order; else this again. Does not wait: the slice's own stream comes after queued work that uses it.
    ///
    /// # Errors
    /// The array itself, unchanged, also where the driver refuses.
    pub fn try_into_cuda_slice<T: Element>(self) -> Result<CudaSlice<T>, Self> {
        let whole = self.layout().is_contiguous() && self.layout().offset() == 0;
        let Some(owner) = self.owner().filter(|_| whole && self.dtype() == T::DTYPE).cloned()
        else {
            return Err(self);
        };
        let (len, device) = (self.layout().len(), self.device());
        let ordered = |slice: &CudaSlice<T>| {
            let theirs = stream(device, slice.stream());
            theirs.is_ok_and(|theirs| self.memory().acquire(&theirs, Access::Write).is_ok())
        };
        let taken = owner.take(|slice: &CudaSlice<T>| slice.len() == len && ordered(slice));
        let Some(mut slice) = taken else { return Err(self) };
        if let Some(memory) = self.into_memory() {
            // SAFETY: the slice owns the memory, and its own stream comes after all work queued on it. What the release
            // function holds besides are handles.
            unsafe { memory.hand_back() };
        }
        let queue = slice.stream().clone();
        // Other streams of cudarc wait for the newest write it knows of, which from here on is this one.
        let marked = past_pending(&queue.context().clone(), || drop(slice.device_ptr_mut(&queue)));
        if marked.is_err() {
            // Then the host waits for them.
            keep_context(|| queue.synchronize()).unwrap_or_else(|error| {
                tracing::error!(?error, "a slice is handed back before the work on it is done");
            });
        }
        Ok(slice)
    }

    /// The array as cudarc's functions take it, `cuBLAS` included. Nothing is copied.
    ///
    /// # Errors
    /// [`Error::DType`]; [`Error::Layout`] unless contiguous; [`Error::Inexpressible`] off CUDA; the
    /// driver's refusal. The array is dropped then.
    pub fn into_cuda<T: Element>(self) -> Result<CudaArray<T>> {
        self.view().expect_dtype::<T>("into_cuda")?;
        if self.device().kind() != DeviceKind::Cuda {
            let what = format!("the array is on {}, not on a CUDA device", self.device());
            return Err(Error::Inexpressible { operation: "into_cuda", what: what.into() });
        }
        if !self.layout().is_contiguous() {
            let (shape, strides) = (self.shape(), self.layout().strides());
            return Err(wrong("into_cuda", shape, strides, "not contiguous"));
        }
        CudaArray::new(self)
    }
}
