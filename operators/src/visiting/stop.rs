//! A device that blocks visit, and its queues.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_kernels::Executor;

use super::schedule::AHEAD;
use crate::{Context, Error, Result};

/// A device that blocks visit.
pub(super) struct Stop {
    pub(super) device: Device,
    /// Their numbers.
    pub(super) blocks: Vec<usize>,
    /// Queues for what is sent there and back, which blocks use in turn.
    pub(super) lanes: Vec<Arc<dyn Executor>>,
}

impl Stop {
    /// The queue that sends a block's arrays. The CPU has none.
    pub(super) fn lane(&self, number: usize) -> Option<&dyn Executor> {
        let at = number.checked_rem(self.lanes.len())?;
        Some(&*self.lanes[at])
    }
}

/// Executors of queues for what is sent.
pub(super) fn lanes(device: Device) -> Result<Vec<Arc<dyn Executor>>> {
    let lane = |_| Ok(arrayspan_kernels::on_stream(&device.new_stream()?)?);
    (0..=AHEAD).map(lane).collect()
}

/// What computes on a device that the operator has named.
pub(super) fn executor<'c>(on: &'c Context<'_>, device: Device) -> Result<&'c dyn Executor> {
    match on.executor_of(device) {
        Some(executor) => Ok(executor),
        None => Error::parameter("visiting", format!("the context is without {device}")),
    }
}
