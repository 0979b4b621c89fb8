//! Elements from one layout to another on one device: as they are, or each as another dtype.
//!
//! Both movers, of the host and of devices that run kernels, walk the same
//! [`IterationSpace`](crate::iteration::IterationSpace): axes
//! sorted for the target to be written from its start to its end, merged, and cut into square tiles where source
//! and target have their neighbours along different axes. A plain copy is the conversion of bytes to themselves.

pub(crate) mod between;
mod catalogue;
pub(crate) mod device;
pub(crate) mod host;
mod plan;
mod stack;
mod variant;

use arrayspan_devices::Stream;

pub use catalogue::catalogue;
pub(crate) use stack::stack;

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
    between::wait(from, to)?;
    // SAFETY: the host has waited for queued work on both blocks, and the borrows keep others away.
    unsafe {
        match bytes {
            1 => host::run::<[u8; 1], [u8; 1]>(from, to, &host::Same),
            2 => host::run::<[u8; 2], [u8; 2]>(from, to, &host::Same),
            4 => host::run::<[u8; 4], [u8; 4]>(from, to, &host::Same),
            8 => host::run::<[u8; 8], [u8; 8]>(from, to, &host::Same),
            _ => host::run::<[u8; 16], [u8; 16]>(from, to, &host::Same),
        };
    }
    Ok(())
}
