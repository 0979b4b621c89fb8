//! Page-locked blocks as copies are staged by them.

use super::ranges;
use crate::{Device, Result, fault};

/// A page-locked block of the pool, without the accounting of [`Memory`](crate::Memory). Returned to the pool when it is dropped, which
/// must not be before all work that uses it is done.
#[derive(Debug)]
pub(in crate::memory) struct PinnedBlock {
    device: Device,
    pub(in crate::memory) address: usize,
    /// Rounded up.
    pub(in crate::memory) bytes: usize,
}

impl PinnedBlock {
    /// A block of at least `bytes > 0` bytes for transfers with `device`, which is not the CPU, without looking for memory
    /// that others could give up: that may copy, so whoever others wait for to copy must not do it.
    pub(in crate::memory) fn take(bytes: usize, device: Device) -> Result<Self> {
        fault::check(fault::FaultKind::Pinned, device, bytes)?;
        let (address, bytes) = device.0.pinned.take(device, bytes)?;
        Ok(Self { device, address, bytes })
    }
}

impl Drop for PinnedBlock {
    fn drop(&mut self) {
        self.device.0.pinned.give(self.device, self.address);
    }
}

/// Whether these bytes of host memory are page-locked for `device`.
pub(in crate::memory) fn is_locked(address: usize, bytes: usize, device: Device) -> bool {
    ranges::covers(address, bytes, device) || device.0.driver.is_locked(address, bytes)
}
