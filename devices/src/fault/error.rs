//! The errors that injected failures come as.

use super::{Class, Fault, FaultKind};
use crate::driver::Codes;
use crate::{Device, Error};

/// The error that the driver's code for it would become.
pub(super) fn of(fault: Fault, device: Device, bytes: usize) -> Error {
    let call = match fault.kind {
        FaultKind::Allocation => "an injected allocation",
        FaultKind::Launch => "an injected launch",
        FaultKind::Copy => "an injected copy",
        FaultKind::Pinned => "an injected allocation of page-locked memory",
        FaultKind::Plan => "an injected build of a kernel",
        FaultKind::Wait => "an injected wait for an event",
        FaultKind::Context => "an injected context",
    };
    let Codes { memory, lost, refused } = device.0.driver.codes();
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
            let (code, name) = refused;
            Error::Driver { device: device.to_string(), call, name: name.into(), code }
        }
    }
}
