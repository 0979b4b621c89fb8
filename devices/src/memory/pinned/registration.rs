//! A range whose pages stay locked while something lives.

use super::ranges;
use crate::Device;

/// A range of host memory that is locked while this lives.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(in crate::memory) device: Device,
    pub(in crate::memory) address: usize,
    /// Whether the driver has done it.
    pub(in crate::memory) locked: bool,
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.locked {
            ranges::close(self.address);
            // SAFETY: it was registered, once; who drops this has waited for all work on the block, and holds off new.
            // Copies of other blocks that share bytes with it are done, and new ones wait for the range's removal.
            let unlocked = unsafe { self.device.0.driver.unregister(self.address) };
            unlocked.unwrap_or_else(|error| self.device.0.defer(error));
        }
        ranges::remove(self.address);
    }
}
