//! The primary context of a device, made when it is first needed: that takes time and memory.

use std::sync::{Arc, OnceLock};

use cudarc::driver::sys;

use super::context::Context;
use crate::Result;
use crate::driver::DeviceDriver;
use crate::health::Health;

/// A device of the driver and its primary context. What a CUDA device is known by behind the trait.
#[derive(Debug)]
pub(super) struct Primary {
    pub(super) gpu_id: usize,
    pub(super) raw: sys::CUdevice,
    pub(super) memory_bytes: usize,
    pub(super) health: Arc<Health>,
    context: OnceLock<Arc<Context>>,
}

impl Primary {
    pub(super) fn new(gpu_id: usize, raw: sys::CUdevice, memory_bytes: usize) -> Self {
        Self { gpu_id, raw, memory_bytes, health: Arc::default(), context: OnceLock::new() }
    }

    /// That behind the trait, if the device is one of CUDA's.
    pub(super) fn of(device: &dyn DeviceDriver) -> Option<&Self> {
        device.as_any().downcast_ref()
    }

    pub(super) fn context(&self) -> Result<&Arc<Context>> {
        if let Some(context) = self.context.get() {
            return Ok(context);
        }
        // Of two threads that come here at once one gives its reference back.
        let context = Context::new(self.gpu_id, self.raw, self.memory_bytes, &self.health)?;
        Ok(self.context.get_or_init(|| Arc::new(context)))
    }
}
