//! How an error says that memory ran out.

use crate::{Device, Error};

/// Memory that was asked for and not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortage {
    /// Where, if the error tells.
    pub device: Option<Device>,
    /// How many bytes were asked for, if the error tells.
    pub bytes: Option<usize>,
}

/// An error that knows whether it means that memory ran out.
pub trait OutOfMemory {
    /// What was missing, if that is what the error means. Decided by codes and types, never by text.
    fn shortage(&self) -> Option<Shortage>;
}

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match *self {
            Self::OutOfMemory { device, bytes, .. } | Self::ScopeLimit { device, bytes, .. } => {
                Some(Shortage { device: Some(device), bytes: Some(bytes) })
            }
            _ => None,
        }
    }
}
