//! Streams.

use std::any::Any;
use std::sync::Arc;
use std::thread::ThreadId;

use cudarc::driver::sys::{self, CUresult};
use parking_lot::Mutex;

use super::context::Context;
use super::event::CudaEvent;
use super::graph::CudaGraph;
use super::kernel::CudaKernel;
use super::peer;
use super::primary::Primary;
use super::queue::{Queue, pointer};
use crate::Result;
use crate::driver::{
    BlockAddress, DeviceDriver, EventDriver, GraphDriver, Grid, KernelDriver, RawArgument, RawNode,
    StreamDriver,
};

/// A queue of the driver, as streams are used.
#[derive(Debug)]
pub(crate) struct CudaStream {
    queue: Queue,
    /// The event that other streams wait for. One suffices, because a wait refers to the record that was current
    /// when it was enqueued.
    end: Mutex<Option<CudaEvent>>,
}

impl CudaStream {
    pub(super) fn over(queue: Queue) -> Self {
        Self { queue, end: Mutex::default() }
    }

    /// The queue behind the trait, if it is one of `context`.
    pub(super) fn queue_of<'a>(
        stream: &'a dyn StreamDriver,
        context: &Arc<Context>,
    ) -> Result<&'a Queue> {
        Self::queue_behind(stream)
            .filter(|queue| Arc::ptr_eq(&queue.context, context))
            .ok_or_else(|| context.foreign("a stream"))
    }

    /// The queue behind the trait, if it is one of CUDA's.
    pub(crate) fn queue_behind(stream: &dyn StreamDriver) -> Option<&Queue> {
        stream.as_any().downcast_ref::<Self>().map(|stream| &stream.queue)
    }
}

impl StreamDriver for CudaStream {
    fn synchronize(&self) -> Result<()> {
        self.queue.synchronize()
    }

    fn is_idle(&self) -> Result<bool> {
        let _current = self.queue.context.enter()?;
        // SAFETY: the stream is alive.
        match unsafe { sys::cuStreamQuery(self.queue.raw()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.queue.context.check("cuStreamQuery", code).map(|()| true),
        }
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        Ok(Box::new(CudaEvent::record(&self.queue.context, self.queue.raw())?))
    }

    fn wait(&self, event: &dyn EventDriver) -> Result<()> {
        let event = event.as_any().downcast_ref::<CudaEvent>();
        let event = event.ok_or_else(|| self.queue.context.foreign("an event"))?;
        let _current = self.queue.context.enter()?;
        // SAFETY: stream and event are alive; they may be of two devices.
        let waits = unsafe { sys::cuStreamWaitEvent(self.queue.raw(), event.raw(), 0) };
        self.queue.context.check("cuStreamWaitEvent", waits)
    }

    fn follow(&self, other: &dyn StreamDriver) -> Result<bool> {
        let Some(other) = other.as_any().downcast_ref::<Self>() else { return Ok(false) };
        let mut end = other.end.lock();
        let end = {
            let _current = other.queue.context.enter()?;
            let end = match &mut *end {
                Some(end) => end,
                none => {
                    let untimed = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING;
                    none.insert(CudaEvent::new(&other.queue.context, untimed)?)
                }
            };
            end.mark(other.queue.raw())?;
            end
        };
        self.wait(end).map(|()| true)
    }

    unsafe fn upload(&self, from: *const u8, to: BlockAddress, bytes: usize) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { self.queue.upload(from, to, bytes) }
    }

    unsafe fn download(&self, from: BlockAddress, to: *mut u8, bytes: usize) -> Result<()> {
        // SAFETY: passed on to the caller.
        unsafe { self.queue.download(from, to, bytes) }
    }

    unsafe fn fill(&self, at: BlockAddress, value: u8, bytes: usize) -> Result<()> {
        let _current = self.queue.context.enter()?;
        // SAFETY: by the caller's contract the range is valid until the filling is done.
        let queued = unsafe { sys::cuMemsetD8Async(pointer(at), value, bytes, self.queue.raw()) };
        self.queue.context.check("cuMemsetD8Async", queued)
    }

    unsafe fn copy(
        &self,
        from: BlockAddress,
        from_device: &dyn DeviceDriver,
        to: BlockAddress,
        to_device: &dyn DeviceDriver,
        bytes: usize,
    ) -> Result<bool> {
        let foreign = || self.queue.context.foreign("memory");
        let source = Primary::of(from_device).ok_or_else(foreign)?.context()?;
        let target = Primary::of(to_device).ok_or_else(foreign)?.context()?;
        let (from, to) = (pointer(from), pointer(to));
        if !Arc::ptr_eq(source, target) {
            // SAFETY: by the caller's contract both ranges are valid and apart until the copy is done.
            return unsafe { peer::copy(&self.queue, from, source, to, target, bytes) };
        }
        let _current = self.queue.context.enter()?;
        // SAFETY: as above.
        let queued = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.queue.raw()) };
        self.queue.context.check("cuMemcpyDtoDAsync", queued).map(|()| true)
    }

    unsafe fn launch(
        &self,
        kernel: &dyn KernelDriver,
        grid: Grid,
        arguments: &[RawArgument],
    ) -> Result<()> {
        let kernel = kernel.as_any().downcast_ref::<CudaKernel>();
        let kernel = kernel.ok_or_else(|| self.queue.context.foreign("a kernel"))?;
        // SAFETY: the caller vouches for the arguments.
        unsafe { kernel.launch(&self.queue, grid, arguments) }
    }

    fn has_graphs(&self) -> bool {
        true
    }

    unsafe fn graph(&self, nodes: &[RawNode<'_>]) -> Result<Option<Box<dyn GraphDriver>>> {
        // SAFETY: passed on to the caller.
        let graph = unsafe { CudaGraph::new(&self.queue.context, nodes)? };
        Ok(Some(Box::new(graph)))
    }

    unsafe fn launch_graph(&self, graph: &dyn GraphDriver) -> Result<()> {
        let graph = graph.as_any().downcast_ref::<CudaGraph>();
        let graph = graph.ok_or_else(|| self.queue.context.foreign("a graph"))?;
        // SAFETY: passed on to the caller.
        unsafe { graph.launch(self.queue.raw()) }
    }

    fn raw(&self) -> usize {
        self.queue.handle() as usize
    }

    fn thread(&self) -> Option<ThreadId> {
        self.queue.thread()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, Priority};

    #[test]
    fn more_urgent_streams_have_smaller_numbers_and_ordinary_ones_zero() -> Result<()> {
        let Ok(device) = Device::cuda(0) else {
            eprintln!("skipped: no CUDA device");
            return Ok(());
        };
        let primary = Primary::of(&*device.0.driver);
        let context = primary.unwrap_or_else(|| unreachable!("a CUDA device has one")).context()?;
        let number = |stream: &Queue| {
            let mut number = 0;
            let _current = context.enter()?;
            // SAFETY: the stream is alive; the number is written during the call only.
            let asked = unsafe { sys::cuStreamGetPriority(stream.handle(), &raw mut number) };
            context.check("cuStreamGetPriority", asked).map(|()| number)
        };
        let [high, normal, low] = [Priority::High, Priority::Normal, Priority::Low]
            .map(|priority| Queue::with_priority(context, priority));
        let plain = number(&Queue::new(context)?)?;
        assert_eq!((number(&normal?)?, plain), (0, 0));
        assert!(number(&high?)? < 0 && number(&low?)? >= 0);
        Ok(())
    }
}
