//! Brings CUDA to a program that links only `libtorch_cpu`.

use std::sync::OnceLock;

use arrayspan_devices::{Device, DeviceKind, reclaim};

use super::cache::Torch;
use super::shim;
use crate::interop::cudarc::keep_context;
use crate::{Error, Result};

/// Opens `libtorch_cuda` unless it is there, from the folder of the `libtorch_cpu` in use, and lets arrayspan ask
/// torch's cache for memory from then on. Every function here that needs CUDA does this first; a program that
/// makes CUDA tensors by tch before that must call it, because torch looks for CUDA only once.
///
/// # Errors
/// [`Error::Unavailable`](arrayspan_devices::Error::Unavailable) without the library, the driver or a device, and
/// when torch has been asked for CUDA before.
pub fn load_cuda() -> Result<()> {
    static LOADED: OnceLock<Result<()>> = OnceLock::new();
    // Without a device torch would load its library all the same, and find nothing to do. There may be one later, when the
    // driver has memory again.
    Device::cuda(0)?;
    LOADED
        .get_or_init(|| {
            keep_context(|| {
                shim::call("load libtorch_cuda", Device::cpu(), 0, |failure| {
                    // SAFETY: the library's initialisers have no conditions.
                    unsafe { shim::arrayspan_torch_load_cuda(failure) }
                })
            })?;
            reclaim::register(&Torch);
            Ok(())
        })
        .clone()
}

/// The device as tch names it; with CUDA ready to be used, if it is one of those.
///
/// # Errors
/// [`Error::Inexpressible`] for a device that libtorch does not have; those of [`load_cuda`].
pub fn device(device: Device) -> Result<tch::Device> {
    expect("torch::device", device)?;
    Ok(if device.is_cpu() { tch::Device::Cpu } else { tch::Device::Cuda(device.gpu_id()) })
}

/// Checks that torch can work on a device, and brings CUDA if it is one of those.
pub(super) fn expect(operation: &'static str, device: Device) -> Result<()> {
    match device.kind() {
        DeviceKind::Cpu => Ok(()),
        DeviceKind::Cuda => load_cuda(),
        _ => {
            let what = format!(
                "libtorch has no device {device}: move the array to the CPU or to CUDA first"
            );
            Err(Error::Inexpressible { operation, what: what.into() })
        }
    }
}

/// Checks that a device is one of CUDA's, and brings CUDA.
pub(super) fn expect_cuda(operation: &'static str, device: Device) -> Result<()> {
    if device.kind() == DeviceKind::Cuda {
        return load_cuda();
    }
    let what = format!("{device} is not a CUDA device");
    Err(Error::Inexpressible { operation, what: what.into() })
}
