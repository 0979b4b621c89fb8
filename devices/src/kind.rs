//! Kinds of devices.

use std::fmt;

/// A kind of device, that is: the driver that serves it. The folder of each driver names its own, as
/// [`DeviceKind::Cuda`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceKind {
    dlpack_type: i32,
    name: &'static str,
}

impl DeviceKind {
    /// The kind whose devices are called `name:0`, `name:1`, and that has this number in `DLPack`'s `DLDeviceType`.
    #[must_use]
    pub const fn new(name: &'static str, dlpack_type: i32) -> Self {
        Self { dlpack_type, name }
    }

    /// The prefix of a device name: `cpu`, `cuda`, `opencl`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Its number in `DLPack`'s `DLDeviceType`.
    #[must_use]
    pub const fn dlpack_type(self) -> i32 {
        self.dlpack_type
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
