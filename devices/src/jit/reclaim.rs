//! Kernels that are released when memory is short.

use crate::reclaim::{self, Holdings, Reclaim, Stage};
use crate::{Device, Result};

/// The kernels that devices keep; one that is needed again is read from disk.
#[derive(Debug)]
struct Kernels;

static KERNELS: Kernels = Kernels;

/// Registers kernels as memory that can be released.
pub(crate) fn register() {
    reclaim::register(&KERNELS);
}

impl Reclaim for Kernels {
    fn name(&self) -> &'static str {
        "kernels"
    }

    fn stage(&self) -> Stage {
        Stage::Plans
    }

    /// The binaries: how much memory the driver takes for them it does not tell.
    fn holdings(&self, device: Device) -> Option<Holdings> {
        let bytes = device.0.kernels.bytes();
        let held = Holdings { live_bytes: 0, peak_bytes: 0, reserved_bytes: bytes };
        (bytes > 0).then_some(held)
    }

    /// How much memory they held no driver tells, if there were any.
    fn release(&self, device: Device) -> Result<Option<usize>> {
        Ok(if device.0.kernels.forget() { None } else { Some(0) })
    }
}
