//! What a GPU is doing now: utilisation, temperature, power, clocks, who holds its memory.
//!
//! NVIDIA's management library (NVML) tells it, for a GPU seen through CUDA and through `OpenCL` alike. It
//! is opened at run time, needs no context on the device and takes none of its memory.

mod load;
mod nvml;
mod readings;
mod sensors;

pub use load::{Load, least_used};
pub use readings::{Process, Readings};

use crate::{DeviceIdentity, Error, Result};
use sensors::Sensors;

/// Every GPU NVML knows with its readings now, in NVML's order, which is not CUDA's. Those of a GPU that has
/// fallen off the bus are [`Error::DeviceLost`].
///
/// # Errors
/// [`Error::Unavailable`] without NVML.
pub fn gpus() -> Result<Vec<(DeviceIdentity, Result<Readings>)>> {
    let sensors = nvml::open()?;
    let gpus = sensors.gpus().iter().enumerate();
    Ok(gpus.map(|(index, identity)| (*identity, sensors.read(index))).collect())
}

/// The versions of NVML and of the driver it belongs to, as `(nvml, driver)`.
///
/// # Errors
/// [`Error::Unavailable`] without NVML.
pub fn versions() -> Result<(String, String)> {
    nvml::open()?.versions()
}

/// The readings of the GPU with this identity; `device` is its name in errors.
pub(crate) fn read(device: &str, identity: &DeviceIdentity) -> Result<Readings> {
    find_and_read(nvml::open()?, device, identity)
}

/// How many `NVLink`s of the GPU with this identity are up.
pub(crate) fn links(device: &str, identity: &DeviceIdentity) -> Result<u32> {
    let library = nvml::open()?;
    library.links(find(library, device, identity)?)
}

fn find_and_read(
    sensors: &dyn Sensors,
    device: &str,
    identity: &DeviceIdentity,
) -> Result<Readings> {
    let index = find(sensors, device, identity)?;
    sensors.read(index).map_err(|error| match error {
        // The caller knows the GPU by its own name, not by NVML's number.
        Error::DeviceLost { call, name, code, .. } => {
            Error::DeviceLost { device: device.into(), call, name, code }
        }
        other => other,
    })
}

fn find(sensors: &dyn Sensors, device: &str, identity: &DeviceIdentity) -> Result<usize> {
    let known = sensors.gpus();
    let index = known.iter().position(|gpu| gpu.matches(identity));
    index.ok_or_else(|| Error::Unsupported {
        device: device.into(),
        what: format!("reading its sensors: it is none of the {} GPUs of NVML", known.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PciAddress;

    /// GPUs as NVML lists them: by place, whatever CUDA shows.
    struct Recorded;

    const GPUS: [DeviceIdentity; 3] =
        [gpu(10, 1), DeviceIdentity { uuid: None, pci: None }, gpu(20, 2)];

    const fn gpu(uuid: u8, bus: u32) -> DeviceIdentity {
        let pci = Some(PciAddress { domain: 0, bus, device: 0 });
        DeviceIdentity { uuid: Some([uuid; 16]), pci }
    }

    impl Sensors for Recorded {
        fn gpus(&self) -> &[DeviceIdentity] {
            &GPUS
        }

        fn read(&self, index: usize) -> Result<Readings> {
            if index == 0 {
                let (device, name) = ("GPU 0 of NVML".into(), "lost".into());
                return Err(Error::DeviceLost { device, call: "nvml", name, code: 15 });
            }
            Ok(Readings { temperature: Some(40 + index as u32), ..Readings::default() })
        }
    }

    #[test]
    fn a_gpu_is_found_by_uuid_and_not_by_number() {
        // `CUDA_VISIBLE_DEVICES=2` makes NVML's last GPU CUDA's first.
        let cuda_0 = DeviceIdentity { uuid: Some([20; 16]), pci: None };
        let readings = find_and_read(&Recorded, "cuda:0", &cuda_0);
        assert_eq!(readings.map(|r| r.temperature).ok(), Some(Some(42)));
    }

    #[test]
    fn a_gpu_without_uuid_is_found_by_place() {
        let opencl = DeviceIdentity { uuid: None, ..GPUS[2] };
        let readings = find_and_read(&Recorded, "opencl:3", &opencl);
        assert_eq!(readings.map(|r| r.temperature).ok(), Some(Some(42)));
    }

    #[test]
    fn a_lost_gpu_is_named_as_the_caller_knows_it() {
        let lost = find_and_read(&Recorded, "cuda:1", &GPUS[0]);
        assert!(matches!(lost, Err(Error::DeviceLost { device, .. }) if device == "cuda:1"));
    }

    #[test]
    fn a_device_nvml_does_not_know_is_named_in_the_error() {
        let pocl = find_and_read(&Recorded, "opencl:1", &DeviceIdentity::default());
        let error = pocl.map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(error.contains("opencl:1") && error.contains("3 GPUs"), "{error}");
    }
}
