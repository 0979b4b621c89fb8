//! An array in the terms of cudarc.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use arrayspan_devices::{Access, Device};
use cudarc::driver::sys::{CUdeviceptr, CUevent_flags};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, DriverError,
    SyncOnDrop,
};

use super::{default_stream, failure, keep_context};
use crate::{Array, Element, Result};

/// An array that cudarc's functions take like one of its own slices. Made by [`Array::into_cuda`].
///
/// Work they queue, on whatever stream, comes after ours on the array; ours comes after theirs once
/// [`into_array`](Self::into_array) has it back. Where cudarc does not track events (its context knows
/// of one stream only), it waits on the host after each call on a stream other than [`stream`](Self::stream).
pub struct CudaArray<T> {
    /// `None` once given back.
    array: Option<Array>,
    device: Device,
    address: CUdeviceptr,
    len: usize,
    /// The device's stream of the whole process, which all uses are ordered with.
    own: Arc<CudaStream>,
    /// The end of our own stream when another one comes.
    mark: CudaEvent,
    read: CudaEvent,
    write: CudaEvent,
    marker: PhantomData<T>,
}

impl<T: Element> CudaArray<T> {
    pub(super) fn new(array: Array, context: &Arc<CudaContext>) -> Result<Self> {
        let device = array.device();
        let own = default_stream(context, device)?;
        array.memory().acquire(&device.process_stream()?, Access::Write)?;
        let event = || {
            let flags = Some(CUevent_flags::CU_EVENT_DISABLE_TIMING);
            let made = keep_context(|| context.new_event(flags));
            made.map_err(|error| failure(device, "cuEventCreate", error))
        };
        let (mark, read, write) = (event()?, event()?, event()?);
        let len = array.layout().len();
        let address = match len {
            0 => 0,
            _ => array.memory().address() + array.layout().offset() * size_of::<T>(),
        } as CUdeviceptr;
        let marker = PhantomData;
        Ok(Self { array: Some(array), device, address, len, own, mark, read, write, marker })
    }

    /// The array again. All our work on it comes after what cudarc's functions have queued.
    ///
    /// # Errors
    /// The driver's refusal; the memory is leaked then, since nothing tells when it is free.
    pub fn into_array(mut self) -> Result<Array> {
        let settled = self.settle();
        match (settled, self.array.take()) {
            (Ok(()), Some(array)) => Ok(array),
            (Err(error), array) => {
                std::mem::forget(array);
                Err(failure(self.device, "cuStreamWaitEvent", error))
            }
            (Ok(()), None) => unreachable!("only this function and the drop take the array"),
        }
    }

    /// Makes the default stream wait for all that other streams were given to do.
    fn settle(&self) -> Result<(), DriverError> {
        keep_context(|| {
            self.own.wait(&self.read)?;
            self.own.wait(&self.write)
        })
    }

    /// Makes `stream` wait for all uses so far. Later uses on any stream wait for this one in turn, so
    /// that the newest event covers all before it.
    fn order(&self, stream: &CudaStream) -> Result<(), DriverError> {
        if stream != &*self.own {
            self.mark.record(&self.own)?;
            stream.wait(&self.mark)?;
        }
        stream.wait(&self.read)?;
        stream.wait(&self.write)
    }

    /// The pointer for use on `stream`, and what marks the end of that use.
    fn lend<'a>(
        &'a self,
        stream: &'a CudaStream,
        event: &'a CudaEvent,
    ) -> (CUdeviceptr, SyncOnDrop<'a>) {
        let context = stream.context();
        context.record_err(self.order(stream));
        let done = if stream == &*self.own {
            SyncOnDrop::Record(None)
        } else if context.is_managing_stream_synchronization() {
            SyncOnDrop::Record(Some((event, stream)))
        } else {
            SyncOnDrop::Sync(Some(stream))
        };
        (self.address, done)
    }
}

impl<T> Drop for CudaArray<T> {
    fn drop(&mut self) {
        let Some(array) = self.array.take() else { return };
        let settled = keep_context(|| {
            self.own.wait(&self.read)?;
            self.own.wait(&self.write)
        });
        if let Err(error) = settled {
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
        &self.own
    }
}

impl<T: Element> DevicePtr<T> for CudaArray<T> {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.lend(stream, &self.read)
    }
}

impl<T: Element> DevicePtrMut<T> for CudaArray<T> {
    fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.lend(stream, &self.write)
    }
}

impl<T> fmt::Debug for CudaArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudaArray({:?})", self.array)
    }
}
