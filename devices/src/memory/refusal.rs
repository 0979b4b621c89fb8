//! Why memory was refused, and what the pool held then.

use std::fmt;

use super::recovered::{Recovered, Steps};
use crate::{Device, Error};

/// Why memory was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The driver has no room.
    Driver {
        /// Its own code.
        code: i32,
    },
    /// More than the limit would be held; see [`Device::set_limit`].
    Limit {
        /// The limit in bytes.
        limit: usize,
        /// Bytes held when the request came, with what is kept for reuse; on the CPU also page-locked memory and what
        /// the program has handed over.
        reserved: usize,
    },
    /// Less than the headroom would be left to others; see [`Device::set_headroom`].
    Headroom {
        /// Bytes free on the device when the request came.
        free: usize,
        /// The headroom in bytes.
        headroom: usize,
    },
    /// The device as a whole has less.
    NeverFits {
        /// All the memory there is, in bytes.
        device_bytes: usize,
    },
}

/// Why memory was refused, and what the pool held after everything that could be given back was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub why: Refusal,
    /// Bytes the pool holds, in use or not.
    pub reserved: usize,
    /// Bytes in use, as they were asked for; on the CPU also those beside the pool.
    pub live: usize,
    /// The largest free block of the pool.
    pub largest_free: usize,
}

impl Error {
    /// The error of a driver that has no room for `bytes` bytes on `device`, with the driver's own code.
    #[must_use]
    pub fn out_of_memory(device: Device, bytes: usize, code: i32) -> Self {
        Self::OutOfMemory { device, bytes, code, refusal: None, tried: Vec::new() }
    }

    /// The error of a pool that may not take `bytes` bytes more.
    pub(crate) fn refused(device: Device, bytes: usize, why: Refusal) -> Self {
        let refused = Refused { why, reserved: 0, live: 0, largest_free: 0 };
        Self::OutOfMemory {
            device,
            bytes,
            code: 0,
            refusal: Some(Box::new(refused)),
            tried: Vec::new(),
        }
    }
}

/// The message of [`Error::OutOfMemory`].
#[allow(clippy::trivially_copy_pass_by_ref, clippy::ref_option, reason = "what thiserror calls")]
pub(crate) fn print(
    device: &Device,
    bytes: &usize,
    code: &i32,
    refusal: &Option<Box<Refused>>,
    tried: &[Recovered],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(f, "{device}: out of memory")?;
    if *bytes > 0 {
        write!(f, " allocating {bytes} bytes")?;
    }
    let why = if let Some(refused) = refusal {
        write!(f, " ({refused})")?;
        refused.why
    } else {
        if *code != 0 {
            write!(f, " (driver code {code})")?;
        }
        Refusal::Driver { code: *code }
    };
    if !tried.is_empty() && !f.alternate() {
        write!(f, "{}", Steps(tried))?;
    }
    write!(f, "; {}", why.remedy())?;
    if f.alternate() { write!(f, "{:#}", Steps(tried)) } else { Ok(()) }
}

impl Refusal {
    /// What would help.
    fn remedy(self) -> &'static str {
        match self {
            Self::Driver { .. } => "smaller pieces, or another device, may fit",
            Self::Limit { .. } => "a higher limit (set_limit), or smaller pieces, may fit",
            Self::Headroom { .. } => "less headroom (set_headroom), or smaller pieces, may fit",
            Self::NeverFits { .. } => "only smaller pieces, or another device, can fit",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Driver { code } => write!(f, "the driver refuses with code {code}"),
            Self::Limit { limit, reserved } => {
                write!(f, "{reserved} bytes are held and the limit is {limit}")
            }
            Self::Headroom { free, headroom } => {
                write!(f, "{free} bytes are free and {headroom} stay free for others")
            }
            Self::NeverFits { device_bytes } => write!(f, "the device has {device_bytes} bytes"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { why, reserved, live, largest_free } = self;
        write!(f, "{why}; {live} bytes are in use, the pool holds {reserved}, ")?;
        write!(f, "its largest free block is {largest_free}")
    }
}
