//! What one driver says, asked inside the process that may hang or crash.

pub(crate) mod torch;

use arrayspan_devices::{self as devices, DeviceIdentity, DeviceKind, PciAddress, monitor};
use serde::{Deserialize, Serialize};

use crate::report::{DeviceEntry, LibraryEntry, LoadEntry, ProcessEntry, ReachEntry};

/// What one driver says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Why the driver cannot be used.
    pub missing: Option<String>,
    /// Its parts.
    pub libraries: Vec<LibraryEntry>,
    /// Its devices.
    pub devices: Vec<(Seen, DeviceEntry)>,
    /// How they reach each other.
    pub reach: Vec<ReachEntry>,
    /// What its sensors say, with the free memory.
    pub sensors: Vec<(Seen, LoadEntry, Option<usize>)>,
    /// What is wrong with single devices.
    pub warnings: Vec<String>,
}

/// An [`DeviceIdentity`] that travels between processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    uuid: Option<[u8; 16]>,
    pci: Option<[u32; 3]>,
}

impl From<DeviceIdentity> for Seen {
    fn from(identity: DeviceIdentity) -> Self {
        let pci = identity.pci.map(|at| [at.domain, at.bus, at.device]);
        Self { uuid: identity.uuid, pci }
    }
}

impl From<Seen> for DeviceIdentity {
    fn from(seen: Seen) -> Self {
        let pci = seen.pci.map(|[domain, bus, device]| PciAddress { domain, bus, device });
        Self { uuid: seen.uuid, pci }
    }
}

/// The libraries of CUDA.
pub(crate) fn cuda() -> Vec<LibraryEntry> {
    let library = |(name, found): (&str, devices::Result<_>)| library(name, found);
    devices::libraries::cuda().into_iter().map(library).collect()
}

/// The loader of `OpenCL` and the platforms behind it.
pub(crate) fn opencl() -> Vec<LibraryEntry> {
    let mut libraries = Vec::new();
    if let Ok((loader, platforms)) = devices::libraries::opencl() {
        libraries.push(library("loader", Ok(loader)));
        let platform =
            |text| LibraryEntry { found: true, version: Some(text), ..named("platform") };
        libraries.extend(platforms.into_iter().map(platform));
    }
    libraries
}

/// NVIDIA's management library.
pub(crate) fn nvml() -> Answer {
    let read = monitor::versions().and_then(|versions| Ok((versions, monitor::gpus()?)));
    let ((nvml, driver), gpus) = match read {
        Ok(read) => read,
        Err(error) => return Answer { missing: Some(error.to_string()), ..Answer::default() },
    };
    let part = |name, version| LibraryEntry { found: true, version: Some(version), ..named(name) };
    let libraries = vec![part("NVML", nvml), part("NVIDIA driver", driver)];
    let mut answer = Answer { libraries, ..Answer::default() };
    for (who, readings) in gpus {
        match readings {
            Ok(now) => answer.sensors.push((who.into(), load(&now), now.free_bytes)),
            Err(error) => answer.warnings.push(error.to_string()),
        }
    }
    answer
}

/// The devices of a kind, with their free memory if `measure`.
pub(crate) fn of_kind(kind: DeviceKind, libraries: Vec<LibraryEntry>, measure: bool) -> Answer {
    // Opens this driver and no other: the others have processes of their own to crash in.
    let device = |gpu_id| devices::Device::new(kind, gpu_id);
    let missing = device(0).err().map(|error| error.to_string());
    let all: Vec<_> = (0..).map_while(|gpu_id| device(gpu_id).ok()).collect();
    let mut reach = Vec::new();
    for (from, to) in all.iter().flat_map(|from| all.iter().map(move |to| (*from, *to))) {
        if from != to {
            let way = from.can_reach(to).name().into();
            reach.push(ReachEntry { from: from.to_string(), to: to.to_string(), way });
        }
    }
    let known =
        all.iter().map(|device| (device.info().identity().into(), describe(*device, measure)));
    Answer { missing, libraries, devices: known.collect(), reach, ..Answer::default() }
}

/// A device as its own driver knows it.
pub(crate) fn describe(device: devices::Device, measure: bool) -> DeviceEntry {
    let info = device.info();
    DeviceEntry {
        name: device.to_string(),
        kind: device.kind().to_string(),
        gpu_id: device.gpu_id(),
        model: info.name.clone(),
        platform: info.platform.clone(),
        capability: info.capability.clone(),
        compute_units: info.compute_units,
        float64: info.float64,
        accelerator: info.accelerator,
        uuid: info.uuid.map(uuid),
        pci: info.pci.map(|at| at.to_string()),
        same_hardware: Vec::new(),
        memory_bytes: info.memory_bytes,
        free_bytes: if measure { device.free_bytes() } else { None },
        least_used: false,
        load: None,
    }
}

/// Readings in the report's terms.
pub(crate) fn load(now: &monitor::Readings) -> LoadEntry {
    let process =
        |process: &monitor::Process| ProcessEntry { pid: process.pid, bytes: process.bytes };
    LoadEntry {
        utilisation_percent: now.utilisation,
        memory_utilisation_percent: now.memory_utilisation,
        temperature_celsius: now.temperature,
        power_watts: now.power,
        power_limit_watts: now.power_limit,
        clock_megahertz: now.clock,
        memory_clock_megahertz: now.memory_clock,
        processes: now.processes.as_ref().map(|all| all.iter().map(process).collect()),
    }
}

fn library(name: &str, found: devices::Result<devices::libraries::Library>) -> LibraryEntry {
    match found {
        Ok(library) => {
            let path = library.path.map(|path| path.display().to_string());
            LibraryEntry { found: true, version: library.version, path, ..named(name) }
        }
        Err(error) => LibraryEntry { why: Some(error.to_string()), ..named(name) },
    }
}

fn named(name: &str) -> LibraryEntry {
    LibraryEntry { name: name.into(), ..LibraryEntry::default() }
}

/// Eight, four, four, four and twelve hexadecimal digits.
fn uuid(bytes: [u8; 16]) -> String {
    let digits = format!("{:032x}", u128::from_be_bytes(bytes));
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &digits[group]).join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_written_as_the_tools_write_it() {
        let bytes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];
        assert_eq!(uuid(bytes), "00010203-0405-0607-0809-0a0b0c0d0eff");
    }

    #[test]
    fn an_identity_survives_the_way_between_processes() {
        let pci = Some(PciAddress { domain: 1, bus: 2, device: 3 });
        let identity = DeviceIdentity { uuid: Some([7; 16]), pci };
        let text = serde_json::to_string(&Seen::from(identity)).unwrap();
        let back: Seen = serde_json::from_str(&text).unwrap();
        assert_eq!(DeviceIdentity::from(back), identity);
    }
}
