//! An array in the terms of cudarc.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use arrayspan_devices::{Access, Device};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop};

use super::failure;
use super::lent::Lent;
use super::own::own_stream;
use crate::{Array, Element, Result};

/// An array that cudarc's functions take like one of its own slices. Made by [`Array::into_cuda`].
///
/// Work they queue, on whatever stream, comes after ours on the array; ours comes after theirs once
/// [`into_array`](Self::into_array) has it back. Where cudarc does not track events (its context knows
/// of one stream only), and for streams of other contexts, the host waits after each call on a stream other than
/// [`stream`](Self::stream) and the default ones.
///
/// cudarc's `memcpy_dtod` to another device does not tell the source on which stream it reads. So the host waits for
/// that device before the array is written or given back. To a context that is not the primary one of its device, such
/// a copy is refused (`CUDA_ERROR_INVALID_CONTEXT`).
///
/// The guard that comes with a pointer ([`DevicePtr::device_ptr`]) tells where its use ends: whoever uses the pointer
/// past cudarc's functions, which is unsafe, drops the guard after that, and does not forget it.
pub struct CudaArray<T> {
    /// `None` once given back.
    array: Option<Array>,
    device: Device,
    address: CUdeviceptr,
    len: usize,
    lent: Lent,
    marker: PhantomData<T>,
}

impl<T: Element> CudaArray<T> {
    pub(super) fn new(array: Array) -> Result<Self> {
        let device = array.device();
        let lent = Lent::new(own_stream(device)?);
        array.memory().acquire(&device.process_stream()?, Access::Write)?;
        let len = array.layout().len();
        let address = match len {
            0 => 0,
            _ => array.memory().address() + array.layout().offset() * size_of::<T>(),
        } as CUdeviceptr;
        Ok(Self { array: Some(array), device, address, len, lent, marker: PhantomData })
    }

    /// The array again. All our work on it comes after what cudarc's functions have queued.
    ///
    /// # Errors
    /// The driver's refusal; the memory is leaked then, since nothing tells when it is free.
    pub fn into_array(mut self) -> Result<Array> {
        match (self.lent.settle(), self.array.take()) {
            (Ok(()), Some(array)) => Ok(array),
            (Err(error), array) => {
                std::mem::forget(array);
                Err(failure(self.device, "cuStreamWaitEvent", error))
            }
            (Ok(()), None) => unreachable!("only this function and the drop take the array"),
        }
    }

    /// The pointer for use on `stream`, and what marks the end of that use.
    fn lend<'a>(&'a self, stream: &'a CudaStream, access: Access) -> (CUdeviceptr, SyncOnDrop<'a>) {
        (self.address, self.lent.lend(stream, access))
    }
}

impl<T> Drop for CudaArray<T> {
    fn drop(&mut self) {
        let Some(array) = self.array.take() else { return };
        if let Err(error) = self.lent.settle() {
            // Nothing tells when the memory is free: a leak is harmless, an early release is not.
            tracing::error!(?error, "an array lent to cudarc is leaked");
            std::mem::forget(array);
        }
    }
}

impl<T: Element> DeviceSlice<T> for CudaArray<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn stream(&self) -> &Arc<CudaStream> {
        self.lent.own()
    }
}

impl<T: Element> DevicePtr<T> for CudaArray<T> {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.lend(stream, Access::Read)
    }
}

impl<T: Element> DevicePtrMut<T> for CudaArray<T> {
    fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.lend(stream, Access::Write)
    }
}

impl<T> fmt::Debug for CudaArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaArray({:?})", self.array)
    }
}
