//! Elements from one array to another, whatever their layouts and devices.

use arrayspan_devices::{Access, Device, Stream};

use crate::{Array, Error, Result, View, ViewMut};

/// Copies the elements of `from` over those of `to`, in shapes and dtypes that agree: packed where they are, moved
/// in one transfer, unpacked where they arrive, with no step that is not needed.
///
/// Enqueued on `stream`, one of either device, or on the default stream of the device whose step it is. The host
/// waits where it packs or unpacks itself, and where [`Memory::copy_to`](arrayspan_devices::Memory::copy_to) must.
pub(crate) fn carry(from: &View<'_>, to: &mut ViewMut<'_>, stream: &Stream) -> Result<()> {
    expect_stream("copy", stream, [to.device(), from.device()])?;
    let packed = [from.layout(), to.layout()].map(crate::Layout::is_contiguous);
    match (packed, from.device() == to.device()) {
        _ if to.layout().is_empty() => Ok(()),
        ([true, true], _) => transfer(from, to, stream),
        (_, true) => {
            let own = stream_of(to.device(), stream)?;
            super::copy(from, to, &own)?;
            Ok(stream.wait_for(&own)?)
        }
        ([false, _], _) => {
            let own = stream_of(from.device(), stream)?;
            let mut row_major = Array::empty(from.shape(), from.dtype(), &own)?;
            super::copy(from, &mut row_major.view_mut(), &own)?;
            carry(&row_major.view(), to, stream)
        }
        ([true, false], _) => {
            let own = stream_of(to.device(), stream)?;
            let mut row_major = Array::empty(to.shape(), to.dtype(), &own)?;
            transfer(from, &mut row_major.view_mut(), stream)?;
            super::copy(&row_major.view(), to, &own)?;
            Ok(stream.wait_for(&own)?)
        }
    }
}

/// Between contiguous arrays.
fn transfer(from: &View<'_>, to: &mut ViewMut<'_>, stream: &Stream) -> Result<()> {
    let size = to.dtype().bytes();
    let [start, to_start] = [from.layout(), to.layout()].map(|layout| layout.offset() * size);
    let bytes = to.layout().len() * size;
    // SAFETY: the borrow of the target keeps everybody else from the elements written, that of the source keeps
    // writers from those read; host work on either is over when a call returns.
    unsafe { from.memory().copy_to(start, to.memory(), to_start, bytes, stream)? };
    Ok(())
}

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
pub(crate) fn between(from: Device, to: Device) -> Result<Stream> {
    Ok(if to.is_cpu() { from.stream()? } else { to.stream()? })
}

/// Makes the host wait until it may read `from` and write `to`.
pub(crate) fn wait(from: &View<'_>, to: &ViewMut<'_>) -> Result<()> {
    from.memory().wait(Access::Read)?;
    Ok(to.memory().wait(Access::Write)?)
}
