//! How an error says that memory ran out.

use super::recovered::Recovered;
use crate::{Device, Error};

/// Memory that was asked for and not available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortage {
    /// Where, if the error tells.
    pub device: Option<Device>,
    /// How many bytes were asked for, if the error tells.
    pub bytes: Option<usize>,
}

/// An error that knows whether it means that memory ran out, or that a device did.
pub trait OutOfMemory {
    /// What was missing, if that is what the error means. Decided by codes and types, never by text.
    fn shortage(&self) -> Option<Shortage>;

    /// The name of the device that has failed for good, if that is what the error means.
    fn lost_device(&self) -> Option<&str> {
        None
    }
}

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match *self {
            Self::OutOfMemory { device, bytes, .. } | Self::ScopeLimit { device, bytes, .. } => {
                let bytes = (bytes > 0).then_some(bytes);
                Some(Shortage { device: Some(device), bytes })
            }
            _ => None,
        }
    }

    fn lost_device(&self) -> Option<&str> {
        if let Self::DeviceLost { device, .. } = self { Some(device) } else { None }
    }
}

impl Error {
    /// The error of a call on `device`, known as a lack of memory where the driver's code says so: launches and
    /// copies need some, too, and how much no driver tells.
    pub(crate) fn recognised(self, device: Device) -> Self {
        match self {
            Self::Driver { call, code, .. } if device.0.driver.means_no_memory(call, code) => {
                Self::out_of_memory(device, 0, code)
            }
            other => other,
        }
    }

    /// A lack of memory, with what was tried against it.
    pub(crate) fn after(self, steps: Vec<Recovered>) -> Self {
        match self {
            Self::OutOfMemory { device, bytes, code, refusal, .. } => {
                Self::OutOfMemory { device, bytes, code, refusal, tried: steps }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_nobody_knows_is_not_taken_for_none() {
        let device = Device::cpu();
        let shortage = Error::out_of_memory(device, 0, 2).shortage();
        assert_eq!(shortage, Some(Shortage { device: Some(device), bytes: None }));
    }
}
