//! Page-locked host memory for programs, and how much of it there is.

use std::panic::Location;

use super::block::Memory;
use super::pinned::{PinnedBlock, PinnedStatistics, is_locked};
use super::reaper::settle;
use super::recover::or_recover;
use crate::{Device, Result};

impl Memory {
    /// Takes a block of page-locked host memory that copies to and from `device` use at full rate and without the
    /// host waiting. To everyone else it is memory of the CPU, aligned to at least 64 bytes. Its content is
    /// unspecified.
    ///
    /// Blocks come from a pool and go back to it, after all work that uses them, when they are dropped. Locked for one
    /// CUDA device they are so for all; for the CPU itself nothing needs locking, and the block is ordinary memory.
    /// Never write-combined: the host reads it as fast as any other. It counts as memory of the CPU, in use and kept for
    /// reuse, against the limit of that and of scopes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) of the CPU when the host cannot lock as much, or its limit allows
    /// no more; [`Error::ScopeLimit`](crate::Error::ScopeLimit) where a scope does not;
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the driver has no such memory. Never memory that is not
    /// locked.
    #[track_caller]
    pub fn pinned(bytes: usize, device: Device) -> Result<Self> {
        if bytes == 0 || device.is_cpu() {
            return Self::allocate(bytes, &Device::cpu().process_stream()?);
        }
        Self::beside(bytes, Location::caller(), || {
            let locked = or_recover(Device::cpu(), || PinnedBlock::take(bytes, device))?;
            Ok((locked.address, Box::new(move || drop(locked))))
        })
    }

    /// Whether it is page-locked host memory that `device` copies from and to at full rate: from
    /// [`pinned`](Self::pinned), under [`register`](Self::register), or locked by another library, where the driver
    /// tells.
    #[must_use]
    pub fn is_pinned(&self, device: Device) -> bool {
        self.device().is_cpu() && is_locked(self.address(), self.bytes(), device)
    }
}

impl Device {
    /// What arrayspan holds of host memory that is page-locked for this device.
    #[must_use]
    pub fn pinned_statistics(self) -> PinnedStatistics {
        // Pending releases first, so that no freed block counts as in use.
        settle();
        let mut statistics = self.0.pinned.statistics();
        let (blocks, bytes) = self.0.staging.idle();
        statistics.blocks -= blocks.min(statistics.blocks);
        let bytes = bytes.min(statistics.active_bytes);
        statistics.active_bytes -= bytes;
        statistics.cached_bytes += bytes;
        statistics
    }

    /// Gives page-locked host memory that nobody uses back to the host, the buffers of staged copies included, until
    /// no more than `keep_bytes` of it are left. Returns how many bytes that were.
    ///
    /// # Errors
    /// When the driver reports a failure; the memory is gone all the same.
    pub fn trim_pinned(self, keep_bytes: usize) -> Result<usize> {
        self.0.staging.clear();
        self.0.pinned.trim(self, keep_bytes)
    }
}
