//! What a program may ask about devices while it runs. Nothing here allocates device memory.

mod host;
mod memory_use;
mod reach;

pub use memory_use::MemoryUse;

use crate::monitor::{self, Load, Readings};
use crate::registry;
use crate::{Device, DeviceKind, Error, Reach, Result};

impl Device {
    /// How bytes get from this device's memory to `other`'s.
    #[must_use]
    pub fn can_reach(self, other: Self) -> Reach {
        reach::between(self, other)
    }

    /// Whether both are the same piece of hardware, shown by two drivers perhaps.
    #[must_use]
    pub fn is_same_hardware(self, other: Self) -> bool {
        self == other || self.info().identity().matches(&other.info().identity())
    }

    /// Who holds how much of its memory now.
    #[must_use]
    pub fn memory_use(self) -> MemoryUse {
        let free = self.readings().ok().and_then(|readings| readings.free_bytes);
        let free = free.or_else(|| self.free_bytes());
        MemoryUse::new(self.info().memory_bytes, free, self.statistics().live_bytes)
    }

    /// Utilisation, temperature, power, clocks and the processes that hold memory, now.
    ///
    /// GPUs of NVIDIA are read through NVML, whichever driver shows them, and found there by UUID or place
    /// on the bus, never by number. Of the CPU only utilisation and free memory are known.
    ///
    /// # Errors
    /// [`Error::Unavailable`] without NVML, [`Error::Unsupported`] for a device that NVML does not know,
    /// [`Error::DeviceLost`] for one that has fallen off the bus.
    pub fn readings(self) -> Result<Readings> {
        if self.is_cpu() {
            return Ok(host::readings(self));
        }
        monitor::read(&self.to_string(), &self.info().identity())
    }

    /// The device of a kind with the least to do; of equally busy ones, that with the most free memory; of
    /// those, the first. Accelerators come before processors behind a device API. Where utilisation cannot be
    /// read free memory decides alone.
    ///
    /// # Errors
    /// As [`Device::new`]; [`Error::NoSuchDevice`] where the kind has no device.
    pub fn least_used(kind: DeviceKind) -> Result<Self> {
        let all: Vec<Self> = registry::entries(kind)?.iter().map(Self).collect();
        let any = all.iter().any(|device| device.info().accelerator);
        let all: Vec<Self> =
            all.into_iter().filter(|device| device.info().accelerator || !any).collect();
        let loads: Vec<Load> = all.iter().copied().map(load).collect();
        let at = monitor::least_used(&loads);
        at.map(|at| all[at]).ok_or(Error::NoSuchDevice { kind, gpu_id: 0, count: 0 })
    }
}

fn load(device: Device) -> Load {
    let readings = device.readings().unwrap_or_default();
    // Where the driver has no query, what arrayspan itself holds is a lower bound.
    let rest = || device.info().memory_bytes.checked_sub(device.statistics().live_bytes);
    let free_bytes = readings.free_bytes.or_else(|| device.free_bytes()).or_else(rest);
    Load { utilisation: readings.utilisation, free_bytes }
}
