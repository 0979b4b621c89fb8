//! The memory that torch keeps on CUDA devices.

use arrayspan_devices::reclaim::{Holdings, Reclaim};
use arrayspan_devices::{Device, DeviceKind, Error as DeviceError};
use tch::TchError;

use super::load::expect_cuda;
use super::shim::{self, Statistics};
use crate::interop::cudarc::keep_context;
use crate::{Error, Result};

/// What torch's allocator holds on a CUDA device; nothing before torch has used one.
///
/// # Errors
/// [`Error::Inexpressible`] off CUDA; [`Error::Device`] without `libtorch_cuda`.
pub fn memory_statistics(device: Device) -> Result<Holdings> {
    expect_cuda("torch::memory_statistics", device)?;
    statistics(device).map(|found| holdings(found.unwrap_or_default()))
}

/// Gives the memory that torch keeps without using it back to the driver, on all CUDA devices: torch does not tell
/// them apart. May wait for them.
///
/// # Errors
/// [`Error::Inexpressible`] off CUDA; [`Error::Device`] without `libtorch_cuda`; torch's refusal.
pub fn empty_cache(device: Device) -> Result<()> {
    expect_cuda("torch::empty_cache", device)?;
    empty(device)
}

/// Runs tch's functions on a device, and tells running out of its memory from other failures: by torch's own count,
/// since tch drops the type of what torch throws.
///
/// # Errors
/// [`Error::OutOfMemory`](DeviceError::OutOfMemory) if torch's allocator gave up meanwhile, on whatever thread (how
/// many bytes it was asked for is not known: 0); [`Error::Library`] with torch's message. On the CPU torch does not
/// tell them apart.
pub fn attempt<T>(device: Device, work: impl FnOnce() -> Result<T, TchError>) -> Result<T> {
    let refusals = || match device.kind() {
        DeviceKind::Cuda => {
            expect_cuda("torch::attempt", device)?;
            Ok(statistics(device)?.map_or(0, |found| found.refusals))
        }
        _ => Ok::<_, Error>(0),
    };
    let before = refusals()?;
    work().or_else(|error| {
        if refusals()? > before {
            return Err(DeviceError::out_of_memory(device, 0, 2).into());
        }
        let (library, call, code) = ("libtorch", "a function of tch", 0);
        Err(Error::Library { library, call, code, message: error.to_string() })
    })
}

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

fn empty(device: Device) -> Result<()> {
    // Freeing makes the contexts of the blocks current.
    keep_context(|| {
        shim::call("emptyCache", device, 0, |failure| {
            // SAFETY: libtorch_cuda is loaded; torch frees only what it does not use.
            unsafe { shim::arrayspan_torch_empty_cache(failure) }
        })
    })
}

fn statistics(device: Device) -> Result<Option<Statistics>> {
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

fn holdings(found: Statistics) -> Holdings {
    let bytes = |number| usize::try_from(number).unwrap_or(0);
    Holdings {
        live_bytes: bytes(found.live),
        peak_bytes: bytes(found.peak),
        reserved_bytes: bytes(found.reserved),
    }
}
