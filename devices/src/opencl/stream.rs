//! In-order command queues.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::{self, with_exposed_provenance_mut};
use std::sync::Arc;

use cl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROPERTIES, create_command_queue,
    create_command_queue_with_properties, enqueue_barrier_with_wait_list, enqueue_copy_buffer,
    enqueue_fill_buffer, enqueue_marker_with_wait_list, enqueue_read_buffer, enqueue_write_buffer,
    finish, flush, get_command_queue_info, retain_command_queue,
};
use cl3::device::CL_DEVICE_EXTENSIONS;
use cl3::ext::{
    CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
    CL_QUEUE_PRIORITY_MED_KHR,
};
use cl3::types::{CL_FALSE, cl_command_queue, cl_event, cl_mem};

use super::context::Context;
use super::event::OpenClEvent;
use super::handle::{Handle, Object};
use super::kernel::OpenClKernel;
use super::place::Place;
use super::serial::serial;
use crate::driver::{
    BlockAddress, DeviceDriver, EventDriver, Grid, KernelDriver, RawArgument, StreamDriver,
};
use crate::{Error, Priority, Result};

/// A queue whose commands run in order and are timed.
#[derive(Debug)]
pub(super) struct OpenClStream {
    pub(super) context: Arc<Context>,
    queue: Handle,
}

impl OpenClStream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let device = context.device.0;
        let calls = serial();
        // The call of OpenCL 1.2; its successor does not exist before 2.0 and does nothing more here.
        // SAFETY: the context is alive and is that of the device.
        let raw = unsafe { create_command_queue(context.raw(), device, CL_QUEUE_PROFILING_ENABLE) }
            .map_err(|code| context.failure("clCreateCommandQueue", code))?;
        drop(calls);
        // SAFETY: just created, with one reference that is ours.
        let queue = unsafe { context.own(raw, Object::Queue) };
        Ok(Self { context: context.clone(), queue })
    }

    /// As [`new`](Self::new), with a hint that platforms without `cl_khr_priority_hints` do not take.
    pub(super) fn with_priority(context: &Arc<Context>, priority: Priority) -> Result<Self> {
        let device = context.device;
        let known = device.text(CL_DEVICE_EXTENSIONS).contains("cl_khr_priority_hints");
        if !known || priority == Priority::Normal {
            return Self::new(context);
        }
        let hint = match priority {
            Priority::High => CL_QUEUE_PRIORITY_HIGH_KHR,
            Priority::Normal => CL_QUEUE_PRIORITY_MED_KHR,
            Priority::Low => CL_QUEUE_PRIORITY_LOW_KHR,
        };
        let properties = [
            u64::from(CL_QUEUE_PROPERTIES),
            CL_QUEUE_PROFILING_ENABLE,
            CL_QUEUE_PRIORITY_KHR,
            u64::from(hint),
            0,
        ];
        let calls = serial();
        // SAFETY: the context is alive and is that of the device; the list ends with zero and is read during the
        // call only.
        let raw = unsafe {
            create_command_queue_with_properties(context.raw(), device.0, properties.as_ptr())
        }
        .map_err(|code| context.failure("clCreateCommandQueueWithProperties", code))?;
        drop(calls);
        // SAFETY: just created, with one reference that is ours.
        let queue = unsafe { context.own(raw, Object::Queue) };
        Ok(Self { context: context.clone(), queue })
    }

    /// A queue that another library has made.
    ///
    /// # Safety
    /// `raw` is a live `cl_command_queue`.
    pub(super) unsafe fn foreign(context: &Arc<Context>, raw: usize) -> Result<Self> {
        let queue = with_exposed_provenance_mut::<c_void>(raw);
        let call = "clGetCommandQueueInfo";
        let ask =
            |what| get_command_queue_info(queue, what).map_err(|code| context.failure(call, code));
        let refused = |what: &str| {
            let (device, what) = (context.to_string(), what.into());
            Err(Error::Unsupported { device, what })
        };
        if isize::from(ask(CL_QUEUE_CONTEXT)?) as usize != context.raw().expose_provenance()
            || isize::from(ask(CL_QUEUE_DEVICE)?) as usize != context.device.0.expose_provenance()
        {
            return refused("a queue of another context");
        }
        if u64::from(ask(CL_QUEUE_PROPERTIES)?) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0 {
            return refused("a queue whose work does not run in order");
        }
        // SAFETY: the caller's; the reference taken is given up by the handle.
        let queue = unsafe {
            retain_command_queue(queue)
                .map_err(|code| context.failure("clRetainCommandQueue", code))?;
            context.own(queue, Object::Queue)
        };
        Ok(Self { context: context.clone(), queue })
    }

    /// The stream behind the trait, if it is one of `context`.
    pub(super) fn of<'a>(stream: &'a dyn StreamDriver, context: &Arc<Context>) -> Result<&'a Self> {
        let stream = stream.as_any().downcast_ref::<Self>();
        stream
            .filter(|stream| Arc::ptr_eq(&stream.context, context))
            .ok_or_else(|| context.foreign("a stream"))
    }

    pub(super) fn queue(&self) -> cl_command_queue {
        self.queue.raw()
    }

    /// Releases the event of a command that is not waited for by itself.
    pub(super) fn forget(&self, event: cl_event) {
        // SAFETY: commands return an event with one reference for the caller.
        drop(unsafe { self.context.own(event, Object::Event) });
    }

    fn queued(&self, call: &'static str, bytes: usize, done: Result<cl_event, i32>) -> Result<()> {
        let event = done.map_err(|code| self.context.place.of_use(call, bytes, code))?;
        self.forget(event);
        Ok(())
    }
}

impl StreamDriver for OpenClStream {
    /// NVIDIA's library (driver 580) crashes in `clFinish` when other threads make calls meanwhile. So the wait is for a
    /// marker, and the queue is finished when it is empty, to hear how its work has ended.
    fn synchronize(&self) -> Result<()> {
        let waited = self.record().and_then(|end| end.synchronize());
        let _serial = serial();
        finish(self.queue()).map_err(|code| self.context.failure("clFinish", code))?;
        waited
    }

    fn record(&self) -> Result<Box<dyn EventDriver>> {
        let calls = serial();
        // SAFETY: the queue is alive; an empty list means: after everything queued before.
        let marker = unsafe { enqueue_marker_with_wait_list(self.queue(), 0, ptr::null()) }
            .map_err(|code| self.context.failure("clEnqueueMarkerWithWaitList", code))?;
        // Another queue may wait for an event only once its own queue was flushed (OpenCL 1.2, 5.13).
        let flushed = flush(self.queue());
        drop(calls);
        // SAFETY: the marker's event comes with one reference for the caller.
        let event = unsafe { self.context.own(marker, Object::Event) };
        flushed.map_err(|code| self.context.failure("clFlush", code))?;
        Ok(Box::new(OpenClEvent::new(&self.context, event)))
    }

    fn wait(&self, event: &dyn EventDriver) -> Result<()> {
        let event = event.as_any().downcast_ref::<OpenClEvent>();
        let event = event.ok_or_else(|| self.context.foreign("an event"))?;
        if !event.is_in(&self.context) {
            // No queue can wait for an event of another context.
            return event.synchronize();
        }
        let raw = event.raw();
        let calls = serial();
        // SAFETY: queue and event are alive and of one context; the list has one entry and is read
        // during the call only.
        let done = unsafe { enqueue_barrier_with_wait_list(self.queue(), 1, &raw const raw) };
        drop(calls);
        self.queued("clEnqueueBarrierWithWaitList", 0, done)
    }

    unsafe fn upload(&self, from: *const u8, to: BlockAddress, bytes: usize) -> Result<()> {
        let buffer = to.address as cl_mem;
        let calls = serial();
        // SAFETY: by the caller's contract the host range stays valid and unchanged, and the buffer's
        // range is in bounds, until the copy is done.
        let done = unsafe {
            enqueue_write_buffer(
                self.queue(),
                buffer,
                CL_FALSE,
                to.offset,
                bytes,
                from.cast(),
                0,
                ptr::null(),
            )
        };
        drop(calls);
        self.queued("clEnqueueWriteBuffer", bytes, done)
    }

    unsafe fn download(&self, from: BlockAddress, to: *mut u8, bytes: usize) -> Result<()> {
        let buffer = from.address as cl_mem;
        let calls = serial();
        // SAFETY: as for `upload`; nobody else touches the host range until the copy is done.
        let done = unsafe {
            enqueue_read_buffer(
                self.queue(),
                buffer,
                CL_FALSE,
                from.offset,
                bytes,
                to.cast(),
                0,
                ptr::null(),
            )
        };
        drop(calls);
        self.queued("clEnqueueReadBuffer", bytes, done)
    }

    unsafe fn fill(&self, at: BlockAddress, value: u8, bytes: usize) -> Result<()> {
        let buffer = at.address as cl_mem;
        let calls = serial();
        // SAFETY: by the caller's contract the range is valid until the filling is done; the value is read during the
        // call only.
        let done = unsafe {
            let value = (&raw const value).cast();
            enqueue_fill_buffer(self.queue(), buffer, value, 1, at.offset, bytes, 0, ptr::null())
        };
        drop(calls);
        self.queued("clEnqueueFillBuffer", bytes, done)
    }

    unsafe fn copy(
        &self,
        from: BlockAddress,
        from_device: &dyn DeviceDriver,
        to: BlockAddress,
        to_device: &dyn DeviceDriver,
        bytes: usize,
    ) -> Result<bool> {
        let own = |device| {
            Place::of(device).is_some_and(|place| place.gpu_id == self.context.place.gpu_id)
        };
        if !own(from_device) || !own(to_device) {
            // Each device has a context of its own, and no command spans two contexts.
            return Ok(false);
        }
        let (source, target) = (from.address as cl_mem, to.address as cl_mem);
        let calls = serial();
        // SAFETY: by the caller's contract both ranges are in bounds and apart until the copy is done.
        let done = unsafe {
            enqueue_copy_buffer(
                self.queue(),
                source,
                target,
                from.offset,
                to.offset,
                bytes,
                0,
                ptr::null(),
            )
        };
        drop(calls);
        self.queued("clEnqueueCopyBuffer", bytes, done).map(|()| true)
    }

    unsafe fn launch(
        &self,
        kernel: &dyn KernelDriver,
        grid: Grid,
        arguments: &[RawArgument],
    ) -> Result<()> {
        let kernel = kernel.as_any().downcast_ref::<OpenClKernel>();
        let kernel = kernel.ok_or_else(|| self.context.foreign("a kernel"))?;
        // SAFETY: the caller vouches for the arguments.
        unsafe { kernel.launch(self.queue(), grid, arguments) }
    }

    fn raw(&self) -> usize {
        self.queue() as usize
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
