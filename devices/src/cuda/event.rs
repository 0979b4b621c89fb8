//! Events.

use std::any::Any;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{self, CUresult};

use super::context::Context;
use super::library;
use crate::Result;
use crate::driver::EventDriver;

/// A recorded event with its time.
#[derive(Debug)]
pub(super) struct CudaEvent {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: events belong to their context, not to a thread, and the driver API is thread-safe.
unsafe impl Send for CudaEvent {}
// SAFETY: as above.
unsafe impl Sync for CudaEvent {}

impl CudaEvent {
    /// Marks the present end of `stream`, a live stream of `context`.
    pub(super) fn record(context: &Arc<Context>, stream: sys::CUstream) -> Result<Self> {
        let _current = context.enter()?;
        let event = Self::new(context, sys::CUevent_flags::CU_EVENT_DEFAULT)?;
        event.mark(stream)?;
        Ok(event)
    }

    /// An event that marks nothing yet. `context` is current.
    pub(super) fn new(context: &Arc<Context>, flags: sys::CUevent_flags) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: the context is current; `raw` receives the event.
        let created = unsafe { sys::cuEventCreate(&raw mut raw, flags as u32) };
        context.check("cuEventCreate", created)?;
        Ok(Self { context: context.clone(), raw })
    }

    /// Marks the present end of `stream`, a live stream of the event's context, which is current. Streams that wait for an
    /// earlier mark are not affected.
    pub(super) fn mark(&self, stream: sys::CUstream) -> Result<()> {
        // SAFETY: event and stream are alive and of one context.
        self.context.check("cuEventRecord", unsafe { sys::cuEventRecord(self.raw, stream) })
    }

    pub(super) fn raw(&self) -> sys::CUevent {
        self.raw
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        let destroyed = self.context.enter().and_then(|_current| {
            // SAFETY: the only owner gives the event up; streams that wait for it still do.
            self.context.check("cuEventDestroy", unsafe { sys::cuEventDestroy_v2(self.raw) })
        });
        self.context.defer(destroyed);
    }
}

impl EventDriver for CudaEvent {
    fn synchronize(&self) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: the event is alive.
        self.context.check("cuEventSynchronize", unsafe { sys::cuEventSynchronize(self.raw) })
    }

    fn is_complete(&self) -> Result<bool> {
        let _current = self.context.enter()?;
        // SAFETY: the event is alive.
        match unsafe { sys::cuEventQuery(self.raw) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => self.context.check("cuEventQuery", code).map(|()| true),
        }
    }

    fn elapsed_since(&self, earlier: &dyn EventDriver) -> Result<Duration> {
        let earlier = earlier.as_any().downcast_ref::<Self>();
        let earlier = earlier.ok_or_else(|| self.context.foreign("an event"))?;
        if !library::has("cuEventElapsedTime_v2") {
            return Err(self.context.unsupported("timing with a driver before CUDA 12.8".into()));
        }
        let _current = self.context.enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are alive; the number is written during the call only.
        let asked =
            unsafe { sys::cuEventElapsedTime_v2(&raw mut milliseconds, earlier.raw, self.raw) };
        self.context.check("cuEventElapsedTime", asked)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
