//! The streams that copies between devices are enqueued on.

use arrayspan_devices::{Access, Device, Stream};

use crate::{Error, Result, View, ViewMut};

/// Fails unless `stream` is of one of two devices, the first of which the error names.
pub(crate) fn expect_stream(
    operation: &'static str,
    stream: &Stream,
    devices: [Device; 2],
) -> Result<()> {
    let found = stream.device();
    if devices.contains(&found) {
        return Ok(());
    }
    Err(Error::WrongDevice { operation, argument: "stream", expected: devices[0], found })
}

/// `stream` if it is one of `device`, else that device's default stream.
pub(crate) fn stream_of(device: Device, stream: &Stream) -> Result<Stream> {
    Ok(if stream.device() == device { stream.clone() } else { device.stream()? })
}

/// The stream that copies between two devices go to when none is named.
pub(crate) fn stream_between(from: Device, to: Device) -> Result<Stream> {
    Ok(if to.is_cpu() { from.stream()? } else { to.stream()? })
}

/// Makes the host wait until it may read `from` and write `to`.
pub(crate) fn wait(from: &View<'_>, to: &ViewMut<'_>) -> Result<()> {
    from.memory().wait(Access::Read)?;
    Ok(to.memory().wait(Access::Write)?)
}
