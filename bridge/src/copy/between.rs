//! Elements from one array to another, whatever their layouts and devices.

use arrayspan_devices::Stream;

use super::device::CopyLaunch;
use super::streams::{expect_stream, stream_of};
use super::within;
use crate::{Array, Layout, Result, View, ViewMut, parallel};

/// Copies the elements of `from` over those of `to`, in shapes and dtypes that agree: packed where they are, moved
/// in one transfer, unpacked where they arrive, with no step that is not needed.
///
/// Enqueued on `stream`, one of either device, or on the default stream of the device whose step it is. The host
/// waits where it packs or unpacks itself, and where [`Memory::copy_to`](arrayspan_devices::Memory::copy_to) must.
pub(crate) fn copy(from: &View<'_>, to: &mut ViewMut<'_>, stream: &Stream) -> Result<()> {
    expect_stream("copy", stream, [to.device(), from.device()])?;
    let packed = [from.layout(), to.layout()].map(Layout::is_contiguous);
    match (packed, from.device() == to.device()) {
        _ if to.layout().is_empty() => Ok(()),
        ([true, true], true) if is_shared(to) => within::copy(from, to, stream),
        ([true, true], _) => transfer(from, to, stream),
        (_, true) => {
            let own = stream_of(to.device(), stream)?;
            within::copy(from, to, &own)?;
            Ok(stream.wait_for(&own)?)
        }
        ([false, _], _) => {
            let own = stream_of(from.device(), stream)?;
            let mut row_major = Array::empty(from.shape(), from.dtype(), &own)?;
            within::copy(from, &mut row_major.view_mut(), &own)?;
            copy(&row_major.view(), to, stream)
        }
        ([true, false], _) => {
            let own = stream_of(to.device(), stream)?;
            let mut row_major = Array::empty(to.shape(), to.dtype(), &own)?;
            transfer(from, &mut row_major.view_mut(), stream)?;
            within::copy(&row_major.view(), to, &own)?;
            Ok(stream.wait_for(&own)?)
        }
    }
}

/// Whether the cores of the host share the work, which a transfer of theirs leaves to one.
fn is_shared(to: &ViewMut<'_>) -> bool {
    let (len, bytes) = (to.layout().len(), to.dtype().bytes());
    to.device().is_cpu() && parallel::grain(len, 2 * bytes, 0) < usize::MAX
}

/// What [`copy`] would launch on the one device of both; `None` where it would launch nothing, and where they are on two.
pub(crate) fn launch<'m>(from: &'m View<'_>, to: &'m ViewMut<'_>) -> Option<CopyLaunch<'m>> {
    let device = to.device();
    let plain = to.layout().is_contiguous() && from.layout().is_contiguous();
    let launched = device == from.device() && device.kind().dialect().is_some();
    let launched = launched && !plain && !to.layout().is_empty();
    launched.then(|| super::device::launch_of(from, to, to.dtype().bytes()))
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
