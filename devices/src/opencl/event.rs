//! Markers in a queue.

use std::any::Any;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cl3::event::{
    CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_PROFILING_COMMAND_END, get_event_data,
    get_event_profiling_data,
};
use cl3::types::cl_event;

use super::context::Context;
use super::handle::Handle;
use super::query::number;
use super::serial::serial;
use crate::Result;
use crate::driver::EventDriver;

/// How often the host asks for an event before it sleeps between questions, and for how long it does.
const PATIENCE: u32 = 200;
const NAP: Duration = Duration::from_micros(50);

/// The event of a marker command.
#[derive(Debug)]
pub(super) struct OpenClEvent {
    context: Arc<Context>,
    handle: Handle,
}

impl OpenClEvent {
    pub(super) fn new(context: &Arc<Context>, handle: Handle) -> Self {
        Self { context: context.clone(), handle }
    }

    pub(super) fn raw(&self) -> cl_event {
        self.handle.raw()
    }

    pub(super) fn is_in(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    /// Device time in nanoseconds at which the marker was done.
    fn ended(&self) -> Result<u64> {
        let call = "clGetEventProfilingInfo";
        let _serial = serial();
        get_event_profiling_data(self.raw(), CL_PROFILING_COMMAND_END)
            .map(|bytes| number(&bytes))
            .map_err(|code| self.context.failure(call, code))
    }
}

impl EventDriver for OpenClEvent {
    /// Asks again and again, since a call that waits is one during which no other may be made.
    fn synchronize(&self) -> Result<()> {
        for turn in 0_u32.. {
            if self.is_complete()? {
                break;
            }
            // Short work is done before a thread can sleep and wake up again.
            if turn < PATIENCE { thread::yield_now() } else { thread::sleep(NAP) }
        }
        Ok(())
    }

    fn is_complete(&self) -> Result<bool> {
        let call = "clGetEventInfo";
        let _serial = serial();
        let bytes = get_event_data(self.raw(), CL_EVENT_COMMAND_EXECUTION_STATUS)
            .map_err(|code| self.context.failure(call, code))?;
        // Below zero the status is the code of the command's failure.
        match number(&bytes) as u32 as i32 {
            code if code < 0 => Err(self.context.failure(call, code)),
            status => Ok(status == CL_COMPLETE),
        }
    }

    fn elapsed_since(&self, earlier: &dyn EventDriver) -> Result<Duration> {
        let earlier = earlier.as_any().downcast_ref::<Self>();
        let earlier = earlier.ok_or_else(|| self.context.foreign("an event"))?;
        Ok(Duration::from_nanos(self.ended()?.saturating_sub(earlier.ended()?)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
