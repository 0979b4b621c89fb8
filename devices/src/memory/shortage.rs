//! How an error says that memory ran out.

use super::recovered::Recovered;
use crate::{Device, DeviceKind, Error};

/// Memory that was asked for and not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortage {
    /// Where, if the error tells.
    pub device: Option<Device>,
    /// How many bytes were asked for, if the error tells.
    pub bytes: Option<usize>,
}

/// An error that knows whether it means that memory ran out, or that a device did.
pub trait OutOfMemory {
    /// What was missing, if that is what the error means. Decided by codes and types, never by text.
    fn shortage(&self) -> Option<Shortage>;

    /// The name of the device that has failed for good, if that is what the error means.
    fn lost_device(&self) -> Option<&str> {
        None
    }
}

impl OutOfMemory for Error {
    fn shortage(&self) -> Option<Shortage> {
        match *self {
            Self::OutOfMemory { device, bytes, .. } | Self::ScopeLimit { device, bytes, .. } => {
                let bytes = (bytes > 0).then_some(bytes);
                Some(Shortage { device: Some(device), bytes })
            }
            _ => None,
        }
    }

    fn lost_device(&self) -> Option<&str> {
        if let Self::DeviceLost { device, .. } = self { Some(device) } else { None }
    }
}

/// `CUDA_ERROR_OUT_OF_MEMORY`.
const CUDA: i32 = 2;
/// `CUBLAS_STATUS_ALLOC_FAILED`.
const CUBLAS: i32 = 3;
/// `NVRTC_ERROR_OUT_OF_MEMORY`.
const NVRTC: i32 = 1;
/// `CL_MEM_OBJECT_ALLOCATION_FAILURE`, `CL_OUT_OF_HOST_MEMORY`.
const OPENCL: [i32; 2] = [-4, -6];

impl Error {
    /// The error of a call on `device`, known as a lack of memory where the driver's code says so: launches and
    /// copies need some, too, and how much no driver tells.
    pub(crate) fn recognised(self, device: Device) -> Self {
        match self {
            Self::Driver { call, code, .. } if means_no_memory(device.kind(), call, code) => {
                Self::out_of_memory(device, 0, code)
            }
            other => other,
        }
    }

    /// A lack of memory, with what was tried against it.
    pub(crate) fn after(self, steps: Vec<Recovered>) -> Self {
        match self {
            Self::OutOfMemory { device, bytes, code, refusal, .. } => {
                Self::OutOfMemory { device, bytes, code, refusal, tried: steps }
            }
            other => other,
        }
    }
}

fn means_no_memory(kind: DeviceKind, call: &str, code: i32) -> bool {
    match kind {
        DeviceKind::Cpu => false,
        // Libraries on top of the driver have error codes of their own.
        DeviceKind::Cuda if call.starts_with("cublas") => code == CUBLAS,
        DeviceKind::Cuda if call.starts_with("nvrtc") => code == NVRTC,
        DeviceKind::Cuda => code == CUDA,
        DeviceKind::OpenCl => OPENCL.contains(&code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_alone_tell_a_lack_of_memory() {
        let found = |kind, call: &str| -> Vec<i32> {
            (-100..1000).filter(|code| means_no_memory(kind, call, *code)).collect()
        };
        assert!(found(DeviceKind::Cpu, "copy").is_empty());
        assert_eq!(found(DeviceKind::Cuda, "cuLaunchKernel"), [2]);
        assert_eq!(found(DeviceKind::Cuda, "cublasCreate"), [3]);
        assert_eq!(found(DeviceKind::Cuda, "nvrtcCompileProgram"), [1]);
        assert_eq!(found(DeviceKind::OpenCl, "clEnqueueNDRangeKernel"), [-6, -4]);
    }

    #[test]
    fn a_size_nobody_knows_is_not_taken_for_none() {
        let device = Device::cpu();
        let shortage = Error::out_of_memory(device, 0, 2).shortage();
        assert_eq!(shortage, Some(Shortage { device: Some(device), bytes: None }));
    }
}
