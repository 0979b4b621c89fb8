//! Which device gets which batch.

use std::fmt;
use std::sync::Arc;

use arrayspan_bridge::{Error, Result};
use arrayspan_devices::Device;

/// Which device gets which batch. Results come in the order of the inputs whatever is chosen.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Assignment {
    /// Each batch goes to the first device that has a slot free for it, so that none waits while there is work,
    /// however much the devices or the batches differ. The default for that reason.
    #[default]
    LeastLoaded,
    /// Batch `i` goes to device `i mod n` of `n`: the same placement in every run.
    RoundRobin,
    /// Batch `i` goes to the device with the number `gpu_ids[i mod n]` of `n` numbers. Where devices of two kinds have
    /// the same number, as `cpu` and `opencl:0`, it names neither: see [`Devices`](Self::Devices).
    Explicit(Vec<usize>),
    /// Batch `i` goes to the device `devices[i mod n]` of `n` devices, each one that the batches run on.
    Devices(Vec<Device>),
    /// Batch `i` goes to the device with the number that the function gives for `i`.
    By(Arc<dyn Fn(usize) -> usize + Send + Sync>),
    /// Batch `i` goes to the device that the function gives for `i`, one that the batches run on.
    DeviceBy(Arc<dyn Fn(usize) -> Device + Send + Sync>),
}

/// An assignment with its devices found.
pub(super) enum Placement {
    Anywhere,
    Cycle(Vec<usize>),
    By(Arc<dyn Fn(usize) -> Result<usize> + Send + Sync>),
}

impl Assignment {
    /// The positions among `devices`, which are not empty.
    pub(super) fn placement(&self, devices: &[Device]) -> Result<Placement> {
        Ok(match self {
            Self::LeastLoaded => Placement::Anywhere,
            Self::RoundRobin => Placement::Cycle((0..devices.len()).collect()),
            Self::Explicit(gpu_ids) if gpu_ids.is_empty() => {
                return Err(Error::Batches { option: "assign", why: "no gpu_id is given" });
            }
            Self::Explicit(gpu_ids) => {
                let positions = gpu_ids.iter().map(|&gpu_id| position(gpu_id, devices));
                Placement::Cycle(positions.collect::<Result<_>>()?)
            }
            Self::Devices(given) if given.is_empty() => {
                return Err(Error::Batches { option: "assign", why: "no device is given" });
            }
            Self::Devices(given) => {
                let positions = given.iter().map(|&device| position_of(device, devices));
                Placement::Cycle(positions.collect::<Result<_>>()?)
            }
            Self::By(function) => {
                let (function, devices) = (function.clone(), devices.to_vec());
                Placement::By(Arc::new(move |index| position(function(index), &devices)))
            }
            Self::DeviceBy(function) => {
                let (function, devices) = (function.clone(), devices.to_vec());
                Placement::By(Arc::new(move |index| position_of(function(index), &devices)))
            }
        })
    }
}

impl Placement {
    /// The position of the device that batch `index` goes to; `None` for any.
    pub(super) fn of(&self, index: usize) -> Result<Option<usize>> {
        match self {
            Self::Anywhere => Ok(None),
            Self::Cycle(positions) => Ok(positions.get(index % positions.len()).copied()),
            Self::By(position) => position(index).map(Some),
        }
    }
}

/// The position of the device with that number. Devices of two kinds may have the same one: then it names neither.
fn position(gpu_id: usize, devices: &[Device]) -> Result<usize> {
    let mut found = devices.iter().enumerate().filter(|(_, device)| device.gpu_id() == gpu_id);
    let first = found.next();
    first
        .filter(|(_, first)| found.all(|(_, other)| other == *first))
        .map(|(position, _)| position)
        .ok_or_else(|| Error::Assignment { gpu_id, devices: devices.to_vec() })
}

/// The position of a device; of the first, where it is given twice.
fn position_of(device: Device, devices: &[Device]) -> Result<usize> {
    let position = devices.iter().position(|other| *other == device);
    position.ok_or_else(|| Error::AssignedDevice { device, devices: devices.to_vec() })
}

impl fmt::Debug for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeastLoaded => f.write_str("LeastLoaded"),
            Self::RoundRobin => f.write_str("RoundRobin"),
            Self::Explicit(gpu_ids) => write!(f, "Explicit({gpu_ids:?})"),
            Self::Devices(devices) => write!(f, "Devices({devices:?})"),
            Self::By(_) => f.write_str("By(..)"),
            Self::DeviceBy(_) => f.write_str("DeviceBy(..)"),
        }
    }
}
