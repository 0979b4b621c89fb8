//! Streams.

use std::any::Any;
use std::ptr;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use cudarc::driver::sys::{self, CUresult};
use parking_lot::Mutex;

use super::context::Context;
use super::device::context_of;
use super::event::CudaEvent;
use super::kernel::CudaKernel;
use super::peer;
use crate::driver::{
    BlockAddress, DeviceDriver, EventDriver, Grid, KernelDriver, RawArgument, StreamDriver,
};
use crate::{Priority, Result};

/// The legacy default stream of the current context, by two names.
const LEGACY: [usize; 2] = [0, 1];
/// The default stream of whatever thread uses the handle.
const PER_THREAD: usize = 2;

/// One of our own streams does not wait for the legacy default stream, nor makes it wait.
#[derive(Debug)]
pub(super) struct CudaStream {
    pub(super) context: Arc<Context>,
    raw: sys::CUstream,
    owner: Owner,
    /// What other streams wait for to come after this one. One event for all, because a wait keeps to the mark that
    /// was there when it was queued.
    end: Mutex<Option<CudaEvent>>,
}

#[derive(Debug, PartialEq)]
enum Owner {
    Us,
    /// Another library destroys it.
    Other,
    /// The driver, for this thread.
    Thread(ThreadId),
}

// SAFETY: streams belong to their context, not to a thread, and the driver API is thread-safe.
unsafe impl Send for CudaStream {}
// SAFETY: as above.
unsafe impl Sync for CudaStream {}

impl CudaStream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let _current = context.enter()?;
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut raw = ptr::null_mut();
        // SAFETY: the context is current; `raw` receives the stream.
        context.check("cuStreamCreate", unsafe { sys::cuStreamCreate(&raw mut raw, flags) })?;
        Ok(Self { context: context.clone(), raw, owner: Owner::Us, end: Mutex::default() })
    }

    /// Zero is what every stream has that nobody gave a priority; smaller numbers are more urgent. Devices without
    /// priorities take none but zero.
    pub(super) fn with_priority(context: &Arc<Context>, priority: Priority) -> Result<Self> {
        let _current = context.enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the context is current; both numbers are written during the call only.
        let asked = unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) };
        context.check("cuCtxGetStreamPriorityRange", asked)?;
        let number = match priority {
            Priority::High => greatest,
            Priority::Normal => 0,
            Priority::Low => least,
        };
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut raw = ptr::null_mut();
        // SAFETY: the context is current; `raw` receives the stream.
        let made = unsafe { sys::cuStreamCreateWithPriority(&raw mut raw, flags, number) };
        context.check("cuStreamCreateWithPriority", made)?;
        Ok(Self { context: context.clone(), raw, owner: Owner::Us, end: Mutex::default() })
    }

    /// A stream that another library has made.
    ///
    /// # Safety
    /// `raw` is a live stream or one of the driver's special handles, and stays so while this lives.
    pub(super) unsafe fn foreign(context: &Arc<Context>, raw: usize) -> Result<Self> {
        let made = |raw: usize, owner| {
            let raw = ptr::with_exposed_provenance_mut(raw);
            Ok(Self { context: context.clone(), raw, owner, end: Mutex::default() })
        };
        if LEGACY.contains(&raw) {
            return made(0, Owner::Other);
        }
        if raw == PER_THREAD {
            return made(raw, Owner::Thread(thread::current().id()));
        }
        let (stream, mut found) = (ptr::with_exposed_provenance_mut(raw), ptr::null_mut());
        // SAFETY: the caller's; `found` is written during the call only.
        let asked = unsafe { sys::cuStreamGetCtx(stream, &raw mut found) };
        context.check("cuStreamGetCtx", asked)?;
        if found != context.raw() {
            return Err(context.unsupported("a stream of another context".into()));
        }
        made(raw, Owner::Other)
    }

    /// The stream behind the trait, if it is one of `context`.
    pub(super) fn of<'a>(stream: &'a dyn StreamDriver, context: &Arc<Context>) -> Result<&'a Self> {
        let stream = stream.as_any().downcast_ref::<Self>();
        stream
            .filter(|stream| Arc::ptr_eq(&stream.context, context))
            .ok_or_else(|| context.foreign("a stream"))
    }

    /// The handle that means this stream on the thread that calls, in the context it belongs to.
    ///
    /// Another thread cannot name a thread's default stream. It takes the legacy one, which comes after
    /// all work on streams that are not ours, and before all later work on them (CUDA driver API, "stream
    /// synchronization behavior"): more order than asked for, never less.
    pub(super) fn stream(&self) -> sys::CUstream {
        match self.owner {
            Owner::Thread(thread) if thread != thread::current().id() => ptr::null_mut(),
            _ => self.raw,
        }
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if self.owner != Owner::Us {
            return;
        }
        let destroyed = self.context.enter().and_then(|_current| {
            // SAFETY: the only owner gives the stream up; what is queued still runs.
            self.context.check("cuStreamDestroy", unsafe { sys::cuStreamDestroy_v2(self.raw) })
        });
        self.context.defer(destroyed);
    }
}

impl StreamDriver for CudaStream {
    fn synchronize(&self) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: the stream is alive.
        self.context
            .check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream()) })
    }

    fn is_idle(&self) -> Result<bool> {
        let _current = self.context.enter()?;
        // SAFETY: the stream is alive.
        match unsafe { sys::cuStreamQuery(self.stream()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.context.check("cuStreamQuery", code).map(|()| true),
        }
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        Ok(Box::new(CudaEvent::record(&self.context, self.stream())?))
    }

    fn wait(&self, event: &dyn EventDriver) -> Result<()> {
        let event = event.as_any().downcast_ref::<CudaEvent>();
        let event = event.ok_or_else(|| self.context.foreign("an event"))?;
        let _current = self.context.enter()?;
        // SAFETY: stream and event are alive; they may be of two devices.
        let waits = unsafe { sys::cuStreamWaitEvent(self.stream(), event.raw(), 0) };
        self.context.check("cuStreamWaitEvent", waits)
    }

    fn follow(&self, other: &dyn StreamDriver) -> Result<bool> {
        let Some(other) = other.as_any().downcast_ref::<Self>() else { return Ok(false) };
        let mut end = other.end.lock();
        let end = {
            let _current = other.context.enter()?;
            let end = match &mut *end {
                Some(end) => end,
                none => {
                    let untimed = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING;
                    none.insert(CudaEvent::new(&other.context, untimed)?)
                }
            };
            end.mark(other.stream())?;
            end
        };
        self.wait(end).map(|()| true)
    }

    unsafe fn upload(&self, from: *const u8, to: BlockAddress, bytes: usize) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: by the caller's contract both ranges are valid, and the host's unchanged, until the
        // copy is done.
        let queued =
            unsafe { sys::cuMemcpyHtoDAsync_v2(pointer(to), from.cast(), bytes, self.stream()) };
        self.context.check("cuMemcpyHtoDAsync", queued)
    }

    unsafe fn download(&self, from: BlockAddress, to: *mut u8, bytes: usize) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: by the caller's contract both ranges are valid, and the host's untouched, until the
        // copy is done.
        let queued =
            unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), pointer(from), bytes, self.stream()) };
        self.context.check("cuMemcpyDtoHAsync", queued)
    }

    unsafe fn fill(&self, at: BlockAddress, value: u8, bytes: usize) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: by the caller's contract the range is valid until the filling is done.
        let queued = unsafe { sys::cuMemsetD8Async(pointer(at), value, bytes, self.stream()) };
        self.context.check("cuMemsetD8Async", queued)
    }

    unsafe fn copy(
        &self,
        from: BlockAddress,
        from_device: &dyn DeviceDriver,
        to: BlockAddress,
        to_device: &dyn DeviceDriver,
        bytes: usize,
    ) -> Result<bool> {
        let foreign = || self.context.foreign("memory");
        let source = context_of(from_device).ok_or_else(foreign)??;
        let target = context_of(to_device).ok_or_else(foreign)??;
        let (from, to) = (pointer(from), pointer(to));
        if !Arc::ptr_eq(source, target) {
            // SAFETY: by the caller's contract both ranges are valid and apart until the copy is done.
            return unsafe { peer::copy(self, from, source, to, target, bytes) };
        }
        let _current = self.context.enter()?;
        // SAFETY: as above.
        let queued = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream()) };
        self.context.check("cuMemcpyDtoDAsync", queued).map(|()| true)
    }

    unsafe fn launch(
        &self,
        kernel: &dyn KernelDriver,
        grid: Grid,
        arguments: &[RawArgument],
    ) -> Result<()> {
        let kernel = kernel.as_any().downcast_ref::<CudaKernel>();
        let kernel = kernel.ok_or_else(|| self.context.foreign("a kernel"))?;
        // SAFETY: the caller vouches for the arguments.
        unsafe { kernel.launch(self.stream(), grid, arguments) }
    }

    fn raw(&self) -> usize {
        self.raw as usize
    }

    fn thread(&self) -> Option<ThreadId> {
        match self.owner {
            Owner::Thread(thread) => Some(thread),
            Owner::Us | Owner::Other => None,
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn pointer(place: BlockAddress) -> sys::CUdeviceptr {
    (place.address + place.offset) as sys::CUdeviceptr
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn more_urgent_streams_have_smaller_numbers_and_ordinary_ones_zero() -> Result<()> {
        let Ok(device) = Device::cuda(0) else {
            eprintln!("skipped: no CUDA device");
            return Ok(());
        };
        let context = context_of(&*device.0.driver).into_iter().next();
        let context = context.unwrap_or_else(|| unreachable!("a CUDA device has a context"))?;
        let number = |stream: &CudaStream| {
            let mut number = 0;
            let _current = context.enter()?;
            // SAFETY: the stream is alive; the number is written during the call only.
            let asked = unsafe { sys::cuStreamGetPriority(stream.raw, &raw mut number) };
            context.check("cuStreamGetPriority", asked).map(|()| number)
        };
        let [high, normal, low] = [Priority::High, Priority::Normal, Priority::Low]
            .map(|priority| CudaStream::with_priority(context, priority));
        let plain = number(&CudaStream::new(context)?)?;
        assert_eq!((number(&normal?)?, plain), (0, 0));
        assert!(number(&high?)? < 0 && number(&low?)? >= 0);
        Ok(())
    }
}
