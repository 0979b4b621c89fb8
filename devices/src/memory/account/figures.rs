//! What a device's pool holds beyond the blocks in use.

use serde::{Deserialize, Serialize};

use crate::Device;

/// What a device's pool holds, in bytes, and what the driver says of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    /// Taken from the driver, in use or not.
    pub reserved: usize,
    /// The largest `reserved` so far.
    pub peak_reserved: usize,
    /// Taken from the driver and free for the next allocation.
    pub cached: usize,
    /// Freed, but waiting for queued work before it can be used again.
    pub pending: usize,
    /// The largest allocation that fits into what is cached.
    pub largest_free: usize,
    /// Pieces taken from the driver.
    pub segments: usize,
    /// The part of the cached memory that one allocation cannot have: `1 - largest_free / cached`; 0 when
    /// nothing is cached.
    pub fragmentation: f64,
    /// Free on the device now, for every process.
    pub driver_free: usize,
    /// All memory of the device.
    pub driver_total: usize,
}

impl Figures {
    /// The same with the fragmentation that follows from the rest.
    #[must_use]
    pub fn measured(mut self) -> Self {
        self.fragmentation = match self.cached {
            0 => 0.0,
            cached => 1.0 - self.largest_free.min(cached) as f64 / cached as f64,
        };
        self
    }
}

/// The figures of a device's pool and its driver; `None` before anything was taken from the driver, which is not asked
/// then, because asking may cost a context.
pub(super) fn of(device: Device) -> Option<Figures> {
    let pool = device.0.pool.figures();
    if pool.peak_reserved == 0 {
        return None;
    }
    let driver_free = device.free_bytes().unwrap_or(0);
    Some(Figures { driver_free, driver_total: device.info().memory_bytes, ..pool }.measured())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragmentation_is_what_one_allocation_cannot_have() {
        let of = |cached, largest_free| {
            Figures { cached, largest_free, ..Figures::default() }.measured().fragmentation
        };
        assert_eq!(of(0, 0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(of(100, 100).to_bits(), 0.0_f64.to_bits());
        assert_eq!(of(100, 25).to_bits(), 0.75_f64.to_bits());
    }
}
