//! How bytes get from one device to another: what a driver says of it, and what is done.

use std::fmt;

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

/// How copies from one device to another are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Way {
    /// Within one device, or with the host at one end.
    Local,
    /// One device reaches the other's memory itself. Tried, by content.
    Direct,
    /// The driver of both passes the bytes by the host. Tried, by content.
    Driver,
    /// By way of page-locked host memory of ours: the devices have no driver in common, or copies by it lose bytes.
    Relay,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "local",
            Self::Direct => "direct",
            Self::Driver => "by the driver",
            Self::Relay => "by a relay",
        })
    }
}
