//! Host memory whose pages are locked, so that devices copy from and to it themselves, at the full rate of the bus.

mod buddy;
mod pool;
mod ranges;
mod register;
mod statistics;

pub(crate) use pool::PinnedPool;
pub use register::Registered;
pub(crate) use register::Registration;
pub use statistics::PinnedStatistics;

use super::{Memory, or_recover};
use crate::{Device, Result, fault};

impl Memory {
    /// Takes a block of page-locked host memory that copies to and from `device` use at full rate and without the
    /// host waiting. To everyone else it is memory of the CPU, aligned to at least 64 bytes. Its content is
    /// unspecified.
    ///
    /// Blocks come from a pool and go back to it, after all work that uses them, when they are dropped. Locked for one
    /// CUDA device they are so for all; for the CPU itself nothing needs locking, and the block is ordinary memory.
    /// Never write-combined: the host reads it as fast as any other.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) of the CPU when the host cannot lock as much;
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the driver has no such memory. Never memory that is not
    /// locked.
    pub fn pinned(bytes: usize, device: Device) -> Result<Self> {
        if bytes == 0 || device.is_cpu() {
            return Self::allocate(bytes, &Device::cpu().process_stream()?);
        }
        let address = or_recover(Device::cpu(), || {
            fault::check(fault::Kind::Pinned, device, bytes)?;
            device.0.pinned.take(device, bytes)
        })?;
        let release = move || device.0.pinned.give(device, address);
        // SAFETY: the pool gave out the block, which is ours until the release function gives it back.
        Ok(unsafe { Self::from_foreign(Device::cpu(), address, bytes, Box::new(release)) })
    }

    /// Whether it is page-locked host memory that `device` copies from and to at full rate: from
    /// [`pinned`](Self::pinned), under [`register`](Self::register), or locked by another library, where the driver
    /// tells.
    #[must_use]
    pub fn is_pinned(&self, device: Device) -> bool {
        self.device().is_cpu() && is_locked(self.address(), self.bytes(), device)
    }
}

/// Whether these bytes of host memory are page-locked for `device`.
pub(super) fn is_locked(address: usize, bytes: usize, device: Device) -> bool {
    ranges::covers(address, bytes, device) || device.0.driver.is_locked(address, bytes)
}

impl Device {
    /// What arrayspan holds of host memory that is page-locked for this device.
    #[must_use]
    pub fn pinned_statistics(self) -> PinnedStatistics {
        self.0.pinned.statistics()
    }

    /// Gives page-locked host memory that nobody uses back to the host, the buffers of staged copies included, until
    /// no more than `keep_bytes` of it are left. Returns how many bytes that were.
    ///
    /// # Errors
    /// When the driver reports a failure; the memory is gone all the same.
    pub fn trim_pinned(self, keep_bytes: usize) -> Result<usize> {
        self.0.lanes.clear();
        self.0.pinned.trim(self, keep_bytes)
    }
}
