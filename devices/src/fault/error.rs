//! The errors that injected failures come as.

use super::{Class, Fault, FaultKind};
use crate::{Device, DeviceKind, Error};

/// The error that the driver's code for it would become.
pub(super) fn of(fault: Fault, device: Device, bytes: usize) -> Error {
    let call = match fault.kind {
        FaultKind::Allocation => "an injected allocation",
        FaultKind::Launch => "an injected launch",
        FaultKind::Copy => "an injected copy",
        FaultKind::Pinned => "an injected allocation of page-locked memory",
        FaultKind::Plan => "an injected build of a kernel",
        FaultKind::Context => "an injected context",
    };
    let (memory, lost, driver) = codes(device.kind());
    match fault.class {
        // It is the host that cannot lock more.
        Class::OutOfMemory if fault.kind == FaultKind::Pinned => {
            Error::out_of_memory(Device::cpu(), bytes, memory)
        }
        Class::OutOfMemory => Error::out_of_memory(device, bytes, memory),
        Class::DeviceLost => {
            let (code, name) = lost;
            Error::DeviceLost { device: device.to_string(), call, name: name.into(), code }
        }
        Class::Driver => {
            let (code, name) = driver;
            Error::Driver { device: device.to_string(), call, name: name.into(), code }
        }
    }
}

type Code = (i32, &'static str);

/// What the drivers say: no memory, device gone, not permitted.
fn codes(kind: DeviceKind) -> (i32, Code, Code) {
    match kind {
        DeviceKind::Cpu => (0, (0, "LOST"), (0, "REFUSED")),
        DeviceKind::Cuda => {
            (2, (46, "CUDA_ERROR_DEVICE_UNAVAILABLE"), (800, "CUDA_ERROR_NOT_PERMITTED"))
        }
        DeviceKind::OpenCl => (-4, (-2, "CL_DEVICE_NOT_AVAILABLE"), (-59, "CL_INVALID_OPERATION")),
    }
}
