//! What imports ask of `OpenCL`, where the feature `opencl` is off.

use arrayspan_devices::Device;

use crate::{Error, Result};

/// What a buffer from outside is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) bytes: usize,
    pub(crate) writable: bool,
}

/// Unavailable, as the device is.
pub(crate) fn inspect(device: Device, buffer: usize) -> Result<Buffer> {
    Device::opencl(device.gpu_id())?;
    Err(Error::Foreign { field: "data", why: format!("{buffer:#x} is no buffer of {device}") })
}
