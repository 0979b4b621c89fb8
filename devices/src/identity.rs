//! What tells one piece of hardware from another, whichever driver shows it.

use std::fmt;

/// Where a device sits on the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PciAddress {
    /// The domain, 0 on most machines.
    pub domain: u32,
    /// The bus.
    pub bus: u32,
    /// The device on the bus.
    pub device: u32,
}

impl fmt::Display for PciAddress {
    /// As the vendors' tools write it: `0000:1b:00.0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.0", self.domain, self.bus, self.device)
    }
}

/// What tells one piece of hardware from another, whichever driver shows it.
///
/// The number of a device does not: `CUDA_VISIBLE_DEVICES` renumbers CUDA's, and every driver counts for
/// itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeviceIdentity {
    /// The vendor's UUID, where the driver tells.
    pub uuid: Option<[u8; 16]>,
    /// The place on the PCI bus, where the driver tells.
    pub pci: Option<PciAddress>,
}

impl DeviceIdentity {
    /// Whether both name the same hardware: by UUID if both have one, else by place. Two parts of one
    /// partitioned GPU share the place and differ in UUID.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        match (self.uuid, other.uuid) {
            (Some(one), Some(two)) => one == two,
            _ => self.pci.is_some() && self.pci == other.pci,
        }
    }
}

/// Reads a UUID as NVIDIA writes it: `GPU-`, then 32 hexadecimal digits with dashes between.
pub(crate) fn parse_uuid(text: &str) -> Option<[u8; 16]> {
    let digits = text.split_once('-')?.1.replace('-', "");
    let mut uuid = [0; 16];
    if digits.len() != 32 || !digits.is_ascii() {
        return None;
    }
    for (byte, at) in uuid.iter_mut().zip((0..32).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
    }
    Some(uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: PciAddress = PciAddress { domain: 0, bus: 0x1b, device: 0 };

    fn identity(uuid: Option<u8>, pci: Option<PciAddress>) -> DeviceIdentity {
        DeviceIdentity { uuid: uuid.map(|byte| [byte; 16]), pci }
    }

    #[test]
    fn the_uuid_decides_where_both_have_one() {
        assert!(identity(Some(1), None).matches(&identity(Some(1), Some(PLACE))));
        assert!(!identity(Some(1), Some(PLACE)).matches(&identity(Some(2), Some(PLACE))));
    }

    #[test]
    fn the_place_decides_where_a_uuid_is_missing() {
        assert!(identity(None, Some(PLACE)).matches(&identity(Some(2), Some(PLACE))));
        let next = PciAddress { device: 1, ..PLACE };
        assert!(!identity(None, Some(PLACE)).matches(&identity(None, Some(next))));
    }

    #[test]
    fn nothing_known_matches_nothing() {
        assert!(!DeviceIdentity::default().matches(&DeviceIdentity::default()));
    }

    #[test]
    fn an_address_is_written_as_the_tools_write_it() {
        assert_eq!(PLACE.to_string(), "0000:1b:00.0");
    }

    #[test]
    fn a_uuid_is_read_byte_by_byte() {
        let uuid = parse_uuid("GPU-00010203-0405-0607-0809-0a0b0c0d0eff");
        assert_eq!(uuid, Some([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]));
        assert_eq!(parse_uuid("GPU-0001"), None);
        assert_eq!(parse_uuid("GPU-0001020g-0405-0607-0809-0a0b0c0d0eff"), None);
    }
}
