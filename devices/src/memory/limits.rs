//! How much of a device's memory may be held, and what its pool holds now.

use super::account::Figures;
use super::pool::Limit;
use crate::{Device, Result};

impl Device {
    /// Bounds what arrayspan holds on the device, in use or kept for reuse; `None` lifts the bound. What is beyond
    /// the limit is refused with [`Error::OutOfMemory`](crate::Error::OutOfMemory). A limit below what is held now is allowed: then nothing more
    /// can be had, not even of what is held unused, until enough is given back. That of the CPU bounds page-locked
    /// memory and what the program hands over, too.
    ///
    /// The environment's `ARRAYSPAN_MEMORY_LIMIT` sets limits from the start: `2GiB` or `50%` for each device,
    /// `cuda:0=2GiB,cpu=25%` for the devices named. One that cannot be read makes allocations fail with
    /// [`Error::Limit`](crate::Error::Limit) until this function has set another.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) for a limit of nothing, a fraction that is none, or more than there is beside the headroom;
    /// the limit stays what it was then. When the driver refuses a stream.
    pub fn set_limit(self, limit: Option<Limit>) -> Result<()> {
        let stream = self.process_stream()?;
        self.0.pool.set_limit(stream.lane(), limit)
    }

    /// The limit in bytes, if there is one.
    #[must_use]
    pub fn limit(self) -> Option<usize> {
        self.0.pool.bounds.limit()
    }

    /// Leaves so many bytes of the device to other processes and libraries: when the pool grows it asks what is free,
    /// and takes nothing that would leave less.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) for more than there is beside the limit; the headroom stays what it was then.
    pub fn set_headroom(self, bytes: usize) -> Result<()> {
        self.0.pool.bounds.set_headroom(self, bytes)
    }

    /// Bytes that are left to others.
    #[must_use]
    pub fn headroom(self) -> usize {
        self.0.pool.bounds.headroom()
    }

    /// Bounds what the pool keeps unused; at first one eighth of the device's memory (on the CPU at most 2 GiB). What
    /// is kept beyond it goes back to the driver, at once or, where work still uses it, later.
    ///
    /// # Errors
    /// When the driver refuses a stream.
    pub fn set_cache_limit(self, bytes: usize) -> Result<()> {
        let stream = self.process_stream()?;
        self.0.pool.set_cache(stream.lane(), bytes);
        Ok(())
    }

    /// What the pool may keep unused, in bytes.
    #[must_use]
    pub fn cache_limit(self) -> usize {
        self.0.pool.bounds.cache()
    }

    /// Gives what the pool keeps unused back to the driver, all but `keep_bytes` bytes; how many bytes that was. Waits
    /// for the work that still uses what was freed. Parts of a segment of which another part is in use stay.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn trim(self, keep_bytes: usize) -> Result<usize> {
        self.0.pool.trim(self, keep_bytes)
    }

    /// What the memory pool holds now.
    #[must_use]
    pub fn pool(self) -> Figures {
        self.0.pool.figures()
    }
}
