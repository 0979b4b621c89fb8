//! NVIDIA's management library.

use std::ffi::OsStr;

use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::struct_wrappers::device::{PciInfo, ProcessInfo};
use nvml_wrapper::{Device, Nvml};

use super::readings::{Process, Readings};
use super::sensors::Sensors;
use crate::identity::parse_uuid;
use crate::opened::Opened;
use crate::{Backend, DeviceIdentity, Error, PciAddress, Result};

/// The file as drivers install it, and as development packages link it.
const NAMES: [&str; 2] = if cfg!(windows) {
    ["nvml.dll", "C:\\Program Files\\NVIDIA Corporation\\NVSMI\\nvml.dll"]
} else {
    ["libnvidia-ml.so.1", "libnvidia-ml.so"]
};

/// `NVML_NVLINK_MAX_LINKS`.
const MOST_LINKS: u32 = 18;

/// The open library, and who its GPUs are. It stays open as long as the process: opening takes milliseconds.
#[derive(Debug)]
pub(super) struct Library {
    nvml: Nvml,
    gpus: Vec<DeviceIdentity>,
}

/// Opens the library at first use.
pub(super) fn open() -> Result<&'static Library> {
    static OPENED: Opened<Library> = Opened::new();
    OPENED.get_or_open(find)
}

fn find() -> Result<Library> {
    Backend::Nvml.enabled()?;
    let mut tried = Vec::new();
    for name in NAMES {
        match Nvml::builder().lib_path(OsStr::new(name)).init() {
            Ok(nvml) => return Library::new(nvml),
            // The loader's words name the file.
            Err(NvmlError::LibloadingError(error)) => tried.push(error.to_string()),
            Err(error) if may_pass(&error) => return Err(refused("nvmlInit", &error)),
            // The library is there and refuses: no other file will do better.
            Err(error) => return Err(unavailable(format!("{name} is there, but {error}"))),
        }
    }
    Err(unavailable(tried.join("; ")))
}

fn unavailable(why: String) -> Error {
    Error::Unavailable { what: "NVML".into(), why }
}

/// Whether a refusal may be temporary.
fn may_pass(error: &NvmlError) -> bool {
    matches!(error, NvmlError::InsufficientMemory | NvmlError::Timeout | NvmlError::InUse)
}

/// The error for that.
fn refused(call: &'static str, error: &NvmlError) -> Error {
    let code = match error {
        NvmlError::Timeout => 10,
        NvmlError::InUse => 19,
        // `NVML_ERROR_MEMORY`
        _ => 20,
    };
    Error::Driver { device: "NVML".into(), call, name: error.to_string(), code }
}

impl Library {
    fn new(nvml: Nvml) -> Result<Self> {
        let count = nvml.device_count().map_err(|error| {
            let call = "nvmlDeviceGetCount";
            if may_pass(&error) { refused(call, &error) } else { unavailable(error.to_string()) }
        })?;
        let mut library = Self { nvml, gpus: Vec::new() };
        library.gpus = (0..count).map(|index| library.identity(index)).collect();
        Ok(library)
    }

    /// The identity of a GPU; none for one that is lost, whose readings return the error.
    fn identity(&self, index: u32) -> DeviceIdentity {
        let Ok(gpu) = self.gpu(index) else { return DeviceIdentity::default() };
        let place = |at: PciInfo| PciAddress { domain: at.domain, bus: at.bus, device: at.device };
        DeviceIdentity {
            uuid: gpu.uuid().ok().and_then(|text| parse_uuid(&text)),
            pci: gpu.pci_info().ok().map(place),
        }
    }

    pub(super) fn versions(&self) -> Result<(String, String)> {
        let refused = |error: NvmlError| unavailable(error.to_string());
        let nvml = self.nvml.sys_nvml_version().map_err(refused)?;
        Ok((nvml, self.nvml.sys_driver_version().map_err(refused)?))
    }

    /// How many `NVLink`s of a GPU are up; one that has none, or does not tell, has no first.
    pub(super) fn links(&self, index: usize) -> Result<u32> {
        let gpu = self.gpu(index as u32)?;
        let up = |link: &u32| gpu.link_wrapper_for(*link).is_active().unwrap_or(false);
        Ok((0..MOST_LINKS).filter(up).count() as u32)
    }

    fn gpu(&self, index: u32) -> Result<Device<'_>> {
        let call = "nvmlDeviceGetHandleByIndex";
        self.nvml.device_by_index(index).map_err(|error| failure(index, call, &error))
    }
}

impl Sensors for Library {
    fn gpus(&self) -> &[DeviceIdentity] {
        &self.gpus
    }

    fn read(&self, index: usize) -> Result<Readings> {
        let index = index as u32;
        let gpu = self.gpu(index)?;
        let sensor = TemperatureSensor::Gpu;
        let rates = told(index, "nvmlDeviceGetUtilizationRates", gpu.utilization_rates())?;
        let memory = told(index, "nvmlDeviceGetMemoryInfo", gpu.memory_info())?;
        let compute = gpu.running_compute_processes();
        let compute = told(index, "nvmlDeviceGetComputeRunningProcesses", compute)?;
        let graphics = gpu.running_graphics_processes();
        let graphics = told(index, "nvmlDeviceGetGraphicsRunningProcesses", graphics)?;
        let limit = gpu.enforced_power_limit();
        Ok(Readings {
            utilisation: rates.as_ref().map(|rates| rates.gpu),
            memory_utilisation: rates.as_ref().map(|rates| rates.memory),
            temperature: told(index, "nvmlDeviceGetTemperature", gpu.temperature(sensor))?,
            power: told(index, "nvmlDeviceGetPowerUsage", gpu.power_usage())?.map(watts),
            power_limit: told(index, "nvmlDeviceGetEnforcedPowerLimit", limit)?.map(watts),
            clock: told(index, "nvmlDeviceGetClockInfo", gpu.clock_info(Clock::SM))?,
            memory_clock: told(index, "nvmlDeviceGetClockInfo", gpu.clock_info(Clock::Memory))?,
            free_bytes: memory.map(|memory| memory.free as usize),
            processes: compute.map(|all| processes(all, graphics.unwrap_or_default())),
        })
    }
}

/// NVML counts milliwatts.
fn watts(milliwatts: u32) -> f64 {
    f64::from(milliwatts) / 1000.0
}

/// Each process once, by number: one that computes and draws is in both lists, with the same memory.
fn processes(compute: Vec<ProcessInfo>, graphics: Vec<ProcessInfo>) -> Vec<Process> {
    let mut all: Vec<Process> = Vec::new();
    for info in compute.into_iter().chain(graphics) {
        let bytes = match info.used_gpu_memory {
            UsedGpuMemory::Used(bytes) => Some(bytes as usize),
            UsedGpuMemory::Unavailable => None,
        };
        match all.iter_mut().find(|process| process.pid == info.pid) {
            Some(process) => process.bytes = process.bytes.max(bytes),
            None => all.push(Process { pid: info.pid, bytes }),
        }
    }
    all.sort_by_key(|process| process.pid);
    all
}

/// One sensor that refuses must not cost the others; a GPU that is gone is an error.
fn told<T>(index: u32, call: &'static str, answer: Result<T, NvmlError>) -> Result<Option<T>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error @ NvmlError::GpuLost) => Err(failure(index, call, &error)),
        Err(error) => {
            tracing::debug!(index, call, %error, "a sensor does not tell");
            Ok(None)
        }
    }
}

fn failure(index: u32, call: &'static str, error: &NvmlError) -> Error {
    let (device, name) = (format!("GPU {index} of NVML"), error.to_string());
    match error {
        // The code NVML itself gives it.
        NvmlError::GpuLost => Error::DeviceLost { device, call, name, code: 15 },
        _ => unavailable(format!("{call} of {device}: {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, used_gpu_memory: UsedGpuMemory) -> ProcessInfo {
        ProcessInfo { pid, used_gpu_memory, gpu_instance_id: None, compute_instance_id: None }
    }

    #[test]
    fn a_process_that_computes_and_draws_is_counted_once() {
        let compute =
            vec![process(9, UsedGpuMemory::Used(100)), process(2, UsedGpuMemory::Unavailable)];
        let graphics =
            vec![process(9, UsedGpuMemory::Used(100)), process(4, UsedGpuMemory::Used(7))];
        let expected = [(2, None), (4, Some(7)), (9, Some(100))];
        let expected = expected.map(|(pid, bytes)| Process { pid, bytes });
        assert_eq!(processes(compute, graphics), expected);
    }

    #[test]
    fn a_sensor_that_refuses_is_unknown_and_a_lost_gpu_is_an_error() {
        let told = |error| told(1, "nvmlDeviceGetPowerUsage", Err::<u32, _>(error));
        assert_eq!(told(NvmlError::NotSupported).ok(), Some(None));
        assert_eq!(told(NvmlError::NoPermission).ok(), Some(None));
        assert!(matches!(told(NvmlError::GpuLost), Err(Error::DeviceLost { code: 15, .. })));
    }
}
