//! What the sensors of a GPU say at one moment.

/// What the sensors of a device say at one moment. `None` where the device or its driver does not tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// Percent of the last sample period (up to a second) in which a kernel ran.
    pub utilisation: Option<u32>,
    /// Percent of the last sample period in which memory was read or written.
    pub memory_utilisation: Option<u32>,
    /// Degrees Celsius.
    pub temperature: Option<u32>,
    /// Watts drawn now.
    pub power: Option<f64>,
    /// Watts the device may draw.
    pub power_limit: Option<f64>,
    /// Megahertz of the processors.
    pub clock: Option<u32>,
    /// Megahertz of the memory.
    pub memory_clock: Option<u32>,
    /// Bytes nobody holds.
    pub free_bytes: Option<usize>,
    /// The processes that hold memory.
    pub processes: Option<Vec<Process>>,
}

/// A process that holds memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number, in the driver's terms: inside a container other than the program's own.
    pub pid: u32,
    /// What it holds, where the driver tells.
    pub bytes: Option<usize>,
}
