//! What a GPU is doing now: utilisation, temperature, power, clocks, who holds its memory.
//!
//! NVIDIA's management library (NVML) tells it, for a GPU seen through CUDA and through `OpenCL` alike. It
//! is opened at run time, needs no context on the device and takes none of its memory.

mod load;
mod nvml;
mod readings;

pub use load::{Load, least_used};
pub use readings::{Process, Readings};

use crate::{Error, Identity, Result};

/// What can be asked about the GPUs of this machine. NVML here; recorded values in tests.
trait Sensors {
    /// Every GPU, in the library's own order.
    fn gpus(&self) -> Result<Vec<Identity>>;
    /// The readings of the GPU at this place of [`gpus`](Self::gpus).
    fn read(&self, index: usize) -> Result<Readings>;
}

/// Every GPU NVML knows with its readings now, in NVML's order, which is not CUDA's.
///
/// # Errors
/// [`Error::Unavailable`] without NVML; [`Error::DeviceLost`] when a GPU has fallen off the bus.
pub fn gpus() -> Result<Vec<(Identity, Readings)>> {
    let sensors = nvml::open()?;
    let gpus = sensors.gpus()?.into_iter().enumerate();
    gpus.map(|(index, identity)| Ok((identity, sensors.read(index)?))).collect()
}

/// The versions of NVML and of the driver it belongs to, as `(nvml, driver)`.
///
/// # Errors
/// [`Error::Unavailable`] without NVML.
pub fn versions() -> Result<(String, String)> {
    nvml::open()?.versions()
}

/// The readings of the GPU with this identity; `device` is its name in errors.
pub(crate) fn read(device: &str, identity: &Identity) -> Result<Readings> {
    find_and_read(nvml::open()?, device, identity)
}

fn find_and_read(sensors: &dyn Sensors, device: &str, identity: &Identity) -> Result<Readings> {
    let known = sensors.gpus()?;
    let index = known.iter().position(|gpu| gpu.matches(identity));
    let index = index.ok_or_else(|| Error::Unsupported {
        device: device.into(),
        what: format!("reading its sensors: it is none of the {} GPUs of NVML", known.len()),
    })?;
    sensors.read(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PciAddress;

    /// Two GPUs as NVML lists them: by place, whatever CUDA shows.
    struct Recorded;

    const PLACES: [PciAddress; 2] =
        [PciAddress { domain: 0, bus: 1, device: 0 }, PciAddress { domain: 0, bus: 2, device: 0 }];

    impl Sensors for Recorded {
        fn gpus(&self) -> Result<Vec<Identity>> {
            let gpu = |(n, pci)| Identity { uuid: Some([n; 16]), pci: Some(pci) };
            Ok([10, 20].into_iter().zip(PLACES).map(gpu).collect())
        }

        fn read(&self, index: usize) -> Result<Readings> {
            Ok(Readings { temperature: Some(40 + index as u32), ..Readings::default() })
        }
    }

    #[test]
    fn a_gpu_is_found_by_uuid_and_not_by_number() {
        // `CUDA_VISIBLE_DEVICES=1` makes NVML's second GPU CUDA's first.
        let cuda_0 = Identity { uuid: Some([20; 16]), pci: None };
        let readings = find_and_read(&Recorded, "cuda:0", &cuda_0);
        assert_eq!(readings.map(|r| r.temperature).ok(), Some(Some(41)));
    }

    #[test]
    fn a_gpu_without_uuid_is_found_by_place() {
        let opencl = Identity { uuid: None, pci: Some(PLACES[0]) };
        let readings = find_and_read(&Recorded, "opencl:3", &opencl);
        assert_eq!(readings.map(|r| r.temperature).ok(), Some(Some(40)));
    }

    #[test]
    fn a_device_nvml_does_not_know_is_named_in_the_error() {
        let pocl = find_and_read(&Recorded, "opencl:1", &Identity::default());
        let error = pocl.map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(error.contains("opencl:1") && error.contains("2 GPUs"), "{error}");
    }
}
