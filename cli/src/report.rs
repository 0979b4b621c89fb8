//! The shape of `arrayspan info --json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The number of the present shape. It grows when a field changes its meaning or goes away; new fields
/// may come without.
pub const SCHEMA: u32 = 1;

/// What this machine offers to arrayspan, and what is missing.
///
/// This is the JSON that `arrayspan info --json` prints. Every field is always there; what is not known is
/// `null`. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of arrayspan.
    pub version: String,
    /// Every device, the CPU first, then CUDA's, then those of `OpenCL`.
    pub devices: Vec<DeviceEntry>,
    /// One entry for each ordered pair of devices other than the CPU.
    pub reach: Vec<ReachEntry>,
    /// The drivers: `cuda`, `opencl`, `nvml`, `torch`.
    pub backends: Vec<BackendEntry>,
    /// The environment variables that decide what is found, as far as they are set.
    pub settings: BTreeMap<String, String>,
    /// What is wrong with the settings, in sentences.
    pub warnings: Vec<String>,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceEntry {
    /// Its name in arrayspan: `cpu`, `cuda:0`, `opencl:1`.
    pub name: String,
    /// `cpu`, `cuda` or `opencl`.
    pub kind: String,
    /// Its number among the devices of its kind.
    pub gpu_id: usize,
    /// The vendor's name for it.
    pub model: String,
    /// The driver or platform that serves it, with its version.
    pub platform: String,
    /// Compute capability (`9.0`), `OpenCL` C version (`1.2`) or CPU instruction set.
    pub capability: String,
    /// Multiprocessors, compute units or cores.
    pub compute_units: usize,
    /// Whether kernels may use 64-bit floating point.
    pub float64: bool,
    /// Whether it is a GPU or another accelerator, not a processor behind a device API.
    pub accelerator: bool,
    /// The vendor's UUID, 32 hexadecimal digits with dashes.
    pub uuid: Option<String>,
    /// The place on the PCI bus, as `0000:1b:00.0`.
    pub pci: Option<String>,
    /// The other names of the same hardware.
    pub same_hardware: Vec<String>,
    /// All its memory.
    pub memory_bytes: usize,
    /// What nobody holds of it.
    pub free_bytes: Option<usize>,
    /// Whether it has the least to do of all devices of its kind.
    pub least_used: bool,
    /// What its sensors say; `null` where nothing reads them.
    pub load: Option<LoadEntry>,
}

/// What the sensors of a device say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadEntry {
    /// Percent of the time a kernel ran; of the CPU, tasks per core.
    pub utilisation_percent: Option<u32>,
    /// Percent of the time memory was read or written.
    pub memory_utilisation_percent: Option<u32>,
    /// Degrees Celsius.
    pub temperature_celsius: Option<u32>,
    /// Watts drawn now.
    pub power_watts: Option<f64>,
    /// Watts it may draw.
    pub power_limit_watts: Option<f64>,
    /// Megahertz of the processors.
    pub clock_megahertz: Option<u32>,
    /// Megahertz of the memory.
    pub memory_clock_megahertz: Option<u32>,
    /// The processes that hold memory.
    pub processes: Option<Vec<ProcessEntry>>,
}

/// A process that holds memory of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessEntry {
    /// Its number, in the driver's terms: inside a container other than the program's own.
    pub pid: u32,
    /// What it holds.
    pub bytes: Option<usize>,
}

/// How bytes get from one device to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachEntry {
    /// The device they come from.
    pub from: String,
    /// The device they go to.
    pub to: String,
    /// `direct`, `staged` (through host memory) or `none`.
    pub way: String,
}

/// One driver and the libraries on top of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackendEntry {
    /// Its name in `ARRAYSPAN_DISABLE`.
    pub name: String,
    /// Whether arrayspan can use it.
    pub state: State,
    /// Why not, in the words of the loader or the driver.
    pub why: Option<String>,
    /// What to install or to set.
    pub remedy: Option<String>,
    /// Its parts.
    pub libraries: Vec<LibraryEntry>,
}

/// Whether arrayspan can use a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Yes.
    Ready,
    /// No: it is not installed, or has no device.
    Missing,
    /// No: `ARRAYSPAN_DISABLE` forbids it.
    Disabled,
    /// No: it crashed or did not answer.
    Broken,
}

/// One shared library or platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryEntry {
    /// What it is called.
    pub name: String,
    /// Whether it was found and can be used.
    pub found: bool,
    /// Its version, where it tells.
    pub version: Option<String>,
    /// The file it was loaded from.
    pub path: Option<String>,
    /// Why it cannot be used.
    pub why: Option<String>,
    /// What to install or to set.
    pub remedy: Option<String>,
}
