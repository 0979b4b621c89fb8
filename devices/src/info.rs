//! What is known about a device before it is used.

use crate::{DeviceIdentity, PciAddress};

/// What is known about a device before it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The vendor's name for the device.
    pub name: String,
    /// The driver or platform that serves it, with its version.
    pub platform: String,
    /// Memory in bytes.
    pub memory_bytes: usize,
    /// Compute capability (`9.0`), OpenCL C version (`1.2`) or CPU instruction set.
    pub capability: String,
    /// Processors that work independently: multiprocessors, compute units or cores.
    pub compute_units: usize,
    /// Threads of a group, at most.
    pub group_threads: usize,
    /// Bytes of memory that a group may have for itself, at most.
    pub local_bytes: usize,
    /// The same where a kernel asks for more than compilers give ([`KernelSource::with_local_bytes`](crate::KernelSource::with_local_bytes)).
    pub most_local_bytes: usize,
    /// Bytes of the arguments of a kernel, at most: those by value, and an address for each block.
    pub argument_bytes: usize,
    /// Whether kernels may use 64-bit floating point.
    pub float64: bool,
    /// Whether groups of threads of one kernel can read what others of them have written: the device has memory fences
    /// that reach beyond a group.
    pub device_fence: bool,
    /// Whether the device is a GPU or another accelerator, not a processor behind a device API.
    pub accelerator: bool,
    /// Identifies the physical device across drivers (the vendor's UUID), where the driver tells.
    pub uuid: Option<[u8; 16]>,
    /// Where it sits on the PCI bus, where the driver tells.
    pub pci: Option<PciAddress>,
}

impl DeviceInfo {
    /// What tells the hardware from other hardware, whichever driver shows it.
    #[must_use]
    pub fn identity(&self) -> DeviceIdentity {
        DeviceIdentity { uuid: self.uuid, pci: self.pci }
    }
}
