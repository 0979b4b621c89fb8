//! How bytes get from one device to another.

use std::fmt;

use crate::Device;

/// How bytes get from one device's memory to another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reach {
    /// In one copy, past host memory: over `NVLink` or PCI, or because one end is host memory.
    Direct,
    /// Through host memory.
    Staged,
    /// Not at all: a driver does not answer for one of them.
    None,
}

impl Reach {
    /// `direct`, `staged` or `none`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Staged => "staged",
            Self::None => "none",
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

pub(super) fn between(from: Device, to: Device) -> Reach {
    if from == to || from.is_cpu() || to.is_cpu() {
        return Reach::Direct;
    }
    from.0.driver.reach(&*to.0.driver).unwrap_or_else(|error| {
        tracing::warn!(%error, %from, %to, "a driver does not say how to reach a device");
        Reach::None
    })
}
