//! An array in the terms of cudarc.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use arrayspan_devices::{Access, Device};
use cudarc::driver::sys::{CUdeviceptr, CUevent_flags};
use cudarc::driver::{
    CudaEvent, CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, DriverError, SyncOnDrop,
};

use super::failure;
use super::import::past_pending;
use super::own::own_stream;
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
    own: &'static Arc<CudaStream>,
    /// The end of our own stream when another one comes.
    mark: Mark,
    read: Mark,
    write: Mark,
    marker: PhantomData<T>,
}

/// An event, made when another stream comes: most arrays meet none, and it costs more than all the rest.
type Mark = OnceLock<CudaEvent>;

impl<T: Element> CudaArray<T> {
    pub(super) fn new(array: Array) -> Result<Self> {
        let device = array.device();
        let own = own_stream(device)?;
        array.memory().acquire(&device.process_stream()?, Access::Write)?;
        let len = array.layout().len();
        let address = match len {
            0 => 0,
            _ => array.memory().address() + array.layout().offset() * size_of::<T>(),
        } as CUdeviceptr;
        let (mark, read, write) = (Mark::new(), Mark::new(), Mark::new());
        let marker = PhantomData;
        Ok(Self { array: Some(array), device, address, len, own, mark, read, write, marker })
    }

    /// The array again. All our work on it comes after what cudarc's functions have queued.
    ///
    /// # Errors
    /// The driver's refusal; the memory is leaked then, since nothing tells when it is free.
    pub fn into_array(mut self) -> Result<Array> {
        match (self.settle(), self.array.take()) {
            (Ok(()), Some(array)) => Ok(array),
            (Err(error), array) => {
                std::mem::forget(array);
                Err(failure(self.device, "cuStreamWaitEvent", error))
            }
            (Ok(()), None) => unreachable!("only this function and the drop take the array"),
        }
    }

    /// Makes `stream` wait for all uses so far. Later uses on any stream wait for this one in turn, so
    /// that the newest event covers all before it.
    fn order(&self, stream: &CudaStream) -> Result<(), DriverError> {
        if stream != &**self.own {
            let mark = self.event(&self.mark)?;
            mark.record(self.own)?;
            stream.wait(mark)?;
        }
        let mut uses = [&self.read, &self.write].into_iter().filter_map(Mark::get);
        uses.try_for_each(|event| stream.wait(event))
    }

    /// The event of a mark, made in our own context.
    fn event<'a>(&self, mark: &'a Mark) -> Result<&'a CudaEvent, DriverError> {
        if let Some(event) = mark.get() {
            return Ok(event);
        }
        let (context, flags) = (self.own.context(), CUevent_flags::CU_EVENT_DISABLE_TIMING);
        let made = past_pending(context, || context.new_event(Some(flags)))??;
        Ok(mark.get_or_init(|| made))
    }

    /// The pointer for use on `stream`, and what marks the end of that use.
    fn lend<'a>(&'a self, stream: &'a CudaStream, mark: &'a Mark) -> (CUdeviceptr, SyncOnDrop<'a>) {
        let context = stream.context();
        context.record_err(self.order(stream));
        let tracked = || context.is_managing_stream_synchronization();
        let done = if stream == &**self.own {
            SyncOnDrop::Record(None)
        } else if let Some(event) = tracked().then(|| self.event(mark)).and_then(Result::ok) {
            SyncOnDrop::Record(Some((event, stream)))
        } else {
            SyncOnDrop::Sync(Some(stream))
        };
        (self.address, done)
    }
}

impl<T> CudaArray<T> {
    /// Makes our own stream wait for all that other streams were given to do, and gives the events up.
    fn settle(&mut self) -> Result<(), DriverError> {
        let marks = [&mut self.mark, &mut self.read, &mut self.write];
        let [mark, uses @ ..] = marks.map(Mark::take);
        if mark.is_none() && uses.iter().all(Option::is_none) {
            return Ok(());
        }
        past_pending(self.own.context(), || {
            let mut uses = uses.into_iter().flatten();
            let settled = uses.try_for_each(|event| self.own.wait(&event));
            drop(mark);
            settled
        })?
    }
}

impl<T> Drop for CudaArray<T> {
    fn drop(&mut self) {
        let Some(array) = self.array.take() else { return };
        if let Err(error) = self.settle() {
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
        self.own
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
