//! How bytes get from each device to each other, tried out.
//!
//! [`Device::can_reach`] asks the drivers and opens nothing. What is told here has been done: direct access is switched
//! on, in the direction asked for, and known bytes were sent and looked at, once per process.

use std::fmt;

pub use crate::driver::Way;
use crate::{Device, Reach, Result, monitor};

/// What two devices are joined by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Link {
    /// `NVLink`, with so many links up at the end that has fewer.
    NvLink {
        /// How many.
        links: u32,
    },
    /// The PCI bus.
    Pci,
}

/// How bytes get from one device to another.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The source.
    pub from: Device,
    /// The target.
    pub to: Device,
    /// What the drivers say of it.
    pub reach: Reach,
    /// What is done, or why that could not be found out.
    pub way: Result<Way>,
    /// What joins them, of those that copy directly, where NVML tells of both.
    pub link: Option<Link>,
}

/// Finds out how copies from `from` to `to` are made. Makes contexts on both; the first time for a pair takes some
/// milliseconds.
#[must_use]
pub fn between(from: Device, to: Device) -> Peer {
    let reach = from.can_reach(to);
    let local = from == to || from.is_cpu() || to.is_cpu();
    let way = if local { Ok(Way::Local) } else { from.0.driver.way(&*to.0.driver) };
    let link = matches!(way, Ok(Way::Direct)).then(|| link(from, to)).flatten();
    Peer { from, to, reach, way, link }
}

/// [`between`] for each two of these devices: a row for each source, with a column for each target.
#[must_use]
pub fn matrix(devices: &[Device]) -> Vec<Vec<Peer>> {
    let row = |from: &Device| devices.iter().map(|to| between(*from, *to)).collect();
    devices.iter().map(row).collect()
}

fn link(from: Device, to: Device) -> Option<Link> {
    let links = |device: Device| monitor::links(&device.to_string(), &device.info().identity());
    let links = links(from).ok()?.min(links(to).ok()?);
    Some(if links > 0 { Link::NvLink { links } } else { Link::Pci })
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NvLink { links } => write!(f, "NVLink x{links}"),
            Self::Pci => f.write_str("PCI"),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}: ", self.from, self.to)?;
        match &self.way {
            Ok(way) => way.fmt(f)?,
            Err(error) => write!(f, "unknown ({error})")?,
        }
        self.link.map_or(Ok(()), |link| write!(f, ", {link}"))
    }
}
