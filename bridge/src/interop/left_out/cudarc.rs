//! What imports ask of CUDA's driver, where the feature `cuda` is off.

use arrayspan_devices::Device;

use crate::Result;

/// Unavailable, as the device is.
pub(crate) fn expect_pointer(device: Device, _address: usize, _bytes: usize) -> Result<()> {
    Device::cuda(device.gpu_id()).map(|_| ()).map_err(Into::into)
}

/// Unavailable, as every device is that it could belong to.
pub(crate) fn expect_managed(_address: usize, _bytes: usize) -> Result<Device> {
    Ok(Device::cuda(0)?)
}

/// Host memory it is: where there is no CUDA device it cannot be the device's own.
#[allow(clippy::unnecessary_wraps, reason = "the driver, where there is one, may refuse")]
pub(crate) fn expect_host(_address: usize, _bytes: usize) -> Result<()> {
    Ok(())
}

/// No context is current.
pub(crate) fn keep_context<T>(function: impl FnOnce() -> T) -> T {
    function()
}
