//! Facts `OpenCL` returns as bytes.

use std::ffi::c_void;

use cl3::device::{
    CL_DEVICE_EXTENSIONS, CL_DEVICE_GLOBAL_FREE_MEMORY_AMD, CL_DEVICE_PCI_BUS_INFO_KHR,
    cl_device_info, get_device_data,
};
use cl3::platform::{cl_platform_info, get_platform_data};

use crate::PciAddress;

/// A `cl_platform_id` or `cl_device_id`: valid as long as the process, never released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(pub(super) *mut c_void);

// SAFETY: an id is a name the platform gives out; it may be used from every thread.
unsafe impl Send for Id {}
// SAFETY: as above.
unsafe impl Sync for Id {}

impl Id {
    /// A text about a platform, empty if it does not tell.
    pub(super) fn platform_text(self, what: cl_platform_info) -> String {
        text(get_platform_data(self.0, what).unwrap_or_default())
    }

    /// A text about a device, empty if it does not tell.
    pub(super) fn text(self, what: cl_device_info) -> String {
        text(get_device_data(self.0, what).unwrap_or_default())
    }

    /// A number about a device, 0 if it does not tell.
    pub(super) fn number(self, what: cl_device_info) -> u64 {
        get_device_data(self.0, what).map_or(0, |bytes| number(&bytes))
    }

    /// The names in a list of `cl_name_version`, empty if the device does not tell (before OpenCL 3.0).
    pub(super) fn names(self, what: cl_device_info) -> Vec<String> {
        names(&get_device_data(self.0, what).unwrap_or_default())
    }

    /// Where a device sits on the PCI bus, if the platform has `cl_khr_pci_bus_info` and tells.
    pub(super) fn pci(self) -> Option<PciAddress> {
        let known = self.text(CL_DEVICE_EXTENSIONS).contains("cl_khr_pci_bus_info");
        known.then(|| self.bytes(CL_DEVICE_PCI_BUS_INFO_KHR)).flatten().map(pci)
    }

    /// Free bytes, if the platform has AMD's query for it.
    pub(super) fn free_bytes(self) -> Option<usize> {
        let known = self.text(CL_DEVICE_EXTENSIONS).contains("cl_amd_device_attribute_query");
        let bytes = known.then(|| get_device_data(self.0, CL_DEVICE_GLOBAL_FREE_MEMORY_AMD).ok());
        free(&bytes.flatten()?)
    }

    /// Bytes about a device, if it tells exactly as many.
    pub(super) fn bytes<const N: usize>(self, what: cl_device_info) -> Option<[u8; N]> {
        get_device_data(self.0, what).ok()?.try_into().ok()
    }
}

/// A C string without its end and outer blanks.
pub(super) fn text(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).into()
}

/// A native integer of up to 64 bits: the property decides its size, and asking the platform for the
/// bytes spares a list of which has which.
pub(super) fn number(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// `cl_name_version`, one after another: 32 bits of version, then a name in 64 bytes.
fn names(bytes: &[u8]) -> Vec<String> {
    let (all, _) = bytes.as_chunks::<68>();
    all.iter().map(|entry| text(entry[4..].to_vec())).collect()
}

/// `cl_device_pci_bus_info_khr`: domain, bus, device and function, 32 bits each.
fn pci(bytes: [u8; 16]) -> PciAddress {
    let number = |at: usize| number(&bytes[at..at + 4]) as u32;
    PciAddress { domain: number(0), bus: number(4), device: number(8) }
}

/// All that is free, then the largest free block, both in kibibytes and as long as a `size_t`.
fn free(bytes: &[u8]) -> Option<usize> {
    let all = bytes.get(..size_of::<usize>())?;
    (number(all) as usize).checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_on_the_bus_is_read_number_by_number() {
        let mut bytes = [0; 16];
        for (at, number) in [1_u32, 0x1b, 2, 7].into_iter().enumerate() {
            bytes[4 * at..4 * at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        assert_eq!(pci(bytes), PciAddress { domain: 1, bus: 0x1b, device: 2 });
    }

    #[test]
    fn names_follow_their_versions() {
        let entry = |name: &str| {
            let mut entry = vec![0; 68];
            entry[..4].copy_from_slice(&0xc0_0000_u32.to_ne_bytes());
            entry[4..4 + name.len()].copy_from_slice(name.as_bytes());
            entry
        };
        let bytes = [entry("one"), entry("other"), vec![1, 2, 3]].concat();
        assert_eq!(names(&bytes), ["one", "other"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn free_memory_is_the_first_number_in_kibibytes() {
        let bytes = [5_usize, 3].map(usize::to_ne_bytes).concat();
        assert_eq!(free(&bytes), Some(5 * 1024));
        assert_eq!(free(&[]), None);
    }
}
