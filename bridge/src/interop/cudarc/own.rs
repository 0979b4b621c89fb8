//! What every hand-over to cudarc needs of a device, made once: opening a context anew takes microseconds.

use std::sync::{Arc, OnceLock};

use arrayspan_devices::Device;
use cudarc::driver::{CudaContext, CudaStream, result, sys};

use super::{context, default_stream};
use crate::Result;

/// The stream of the whole process on each CUDA device, with its context.
static OWN: OnceLock<Box<[OnceLock<Arc<CudaStream>>]>> = OnceLock::new();

/// The device's stream of the whole process, as cudarc sees it, in a context that no caller knows: errors that
/// callers leave pending in theirs are not found there.
///
/// # Errors
/// As [`context`].
pub(super) fn own_stream(device: Device) -> Result<&'static Arc<CudaStream>> {
    let slots = OWN.get_or_init(|| {
        let devices = (0..).map_while(|gpu_id| Device::cuda(gpu_id).ok());
        devices.map(|_| OnceLock::new()).collect()
    });
    let Some(slot) = slots.get(device.gpu_id()) else {
        unreachable!("a device is among those of its kind")
    };
    if let Some(stream) = slot.get() {
        return Ok(stream);
    }
    let stream = default_stream(&context(device)?, device)?;
    Ok(slot.get_or_init(|| stream))
}

/// Whose context is current on this thread.
pub(super) enum Current {
    /// The one asked about, or none.
    Own,
    /// The primary one of another device, with that device's stream of the whole process.
    Elsewhere(&'static Arc<CudaStream>),
    /// One that a caller has made.
    Unknown,
}

/// Whether the context that is current on this thread is `own`.
pub(super) fn current(own: &CudaContext) -> Current {
    let found = result::ctx::get_current().ok().flatten();
    let Some(found) = found.filter(|&found| found != own.cu_ctx()) else { return Current::Own };
    let mut number = -1;
    // SAFETY: a context is current; the number is written during the call only.
    let asked = unsafe { sys::cuCtxGetDevice(&raw mut number) };
    let device = asked.result().ok().and_then(|()| usize::try_from(number).ok());
    let device = device.and_then(|gpu_id| Device::cuda(gpu_id).ok());
    match device.and_then(|device| own_stream(device).ok()) {
        Some(there) if there.context().cu_ctx() == found => Current::Elsewhere(there),
        _ => Current::Unknown,
    }
}
