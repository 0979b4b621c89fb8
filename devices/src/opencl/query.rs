//! Facts `OpenCL` returns as bytes.

use std::ffi::c_void;

use cl3::device::{cl_device_info, get_device_data};
use cl3::platform::{cl_platform_info, get_platform_data};

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
