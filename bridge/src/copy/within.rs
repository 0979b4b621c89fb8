//! Elements from one layout to another on one device.

use arrayspan_devices::Stream;

use super::past::goes_past_caches;
use super::streams::wait;
use super::{device, host};
use crate::{Result, View, ViewMut};

/// Copies the elements of `from` over those of `to`, on one device that both are on, in shapes and dtypes that
/// agree. Enqueued on `stream`, one of that device; on the CPU done on return.
pub(crate) fn copy(from: &View<'_>, to: &mut ViewMut<'_>, stream: &Stream) -> Result<()> {
    if to.layout().is_empty() {
        return Ok(());
    }
    let bytes = to.dtype().bytes();
    if !to.device().is_cpu() {
        return device::copy(from, to, bytes, stream);
    }
    wait(from, to)?;
    let same = host::Same { past_caches: goes_past_caches(to.layout().len() * bytes) };
    // SAFETY: the host has waited for queued work on both blocks, and the borrows keep others away.
    unsafe {
        match bytes {
            1 => host::run::<[u8; 1], [u8; 1]>(from, to, &same),
            2 => host::run::<[u8; 2], [u8; 2]>(from, to, &same),
            4 => host::run::<[u8; 4], [u8; 4]>(from, to, &same),
            8 => host::run::<[u8; 8], [u8; 8]>(from, to, &same),
            _ => host::run::<[u8; 16], [u8; 16]>(from, to, &same),
        };
    }
    Ok(())
}
