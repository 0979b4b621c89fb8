//! Torch's caching allocator of CUDA devices, which is asked for memory when it runs out.

use arrayspan_devices::reclaim::{Holdings, Reclaim};
use arrayspan_devices::{Device, DeviceKind, Error as DeviceError};

use super::shim::{self, Statistics};
use crate::interop::cudarc::keep_context;
use crate::{Error, Result};

/// Torch's caching allocator, as one that can give memory back.
#[derive(Debug)]
pub(super) struct Torch;

impl Reclaim for Torch {
    fn name(&self) -> &'static str {
        "torch"
    }

    fn holdings(&self, device: Device) -> Option<Holdings> {
        let cuda = device.kind() == DeviceKind::Cuda;
        cuda.then(|| statistics(device).ok().flatten()).flatten().map(holdings)
    }

    /// By torch's own count; `None` where other threads have taken as much meanwhile.
    fn release(&self, device: Device) -> Result<Option<usize>, DeviceError> {
        let Some(before) = self.holdings(device) else { return Ok(Some(0)) };
        emptied(device)?;
        let after = self.holdings(device).unwrap_or_default();
        let freed = before.reserved_bytes.saturating_sub(after.reserved_bytes);
        Ok(Some(freed).filter(|freed| *freed > 0 || before == after))
    }
}

fn emptied(device: Device) -> Result<(), DeviceError> {
    empty(device).map_err(|error| match error {
        Error::Device(error) => error,
        other => DeviceError::Driver {
            device: device.to_string(),
            call: "c10::DeviceAllocator::emptyCache",
            name: other.to_string(),
            code: 0,
        },
    })
}

/// Gives back to the driver what torch keeps without using it. CUDA is loaded.
pub(super) fn empty(device: Device) -> Result<()> {
    // Freeing makes the contexts of the blocks current.
    keep_context(|| {
        shim::call("emptyCache", device, 0, |failure| {
            // SAFETY: libtorch_cuda is loaded; torch frees only what it does not use.
            unsafe { shim::arrayspan_torch_empty_cache(failure) }
        })
    })
}

/// Torch's own count; `None` before it has used the device. CUDA is loaded.
pub(super) fn statistics(device: Device) -> Result<Option<Statistics>> {
    let (mut known, mut found) = (false, Statistics::default());
    shim::call("getDeviceStats", device, 0, |failure| {
        // SAFETY: libtorch_cuda is loaded; both results are written during the call only.
        unsafe {
            let (known, found) = (&raw mut known, &raw mut found);
            shim::arrayspan_torch_statistics(shim::index(device), known, found, failure)
        }
    })?;
    Ok(known.then_some(found))
}

pub(super) fn holdings(found: Statistics) -> Holdings {
    let bytes = |number| usize::try_from(number).unwrap_or(0);
    Holdings {
        live_bytes: bytes(found.live),
        peak_bytes: bytes(found.peak),
        reserved_bytes: bytes(found.reserved),
    }
}
