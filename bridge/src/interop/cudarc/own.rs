//! What every hand-over to cudarc needs of a device, made once: opening a context anew takes microseconds.

use std::sync::{Arc, OnceLock};

use arrayspan_devices::Device;
use cudarc::driver::CudaStream;

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
