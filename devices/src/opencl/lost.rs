//! Which codes of `OpenCL` mean that the device is gone for this process.

use cl3::error_codes::{CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES};

use crate::Error;

/// NVIDIA's own code for a kernel that read or wrote where it must not.
const ILLEGAL_ACCESS: i32 = -9999;

/// The calls that report how earlier work ended.
const WAITING: [&str; 4] = ["clFinish", "clFlush", "clWaitForEvents", "clGetEventInfo"];

/// Whether `code` from `call` says that the device's context is gone.
///
/// Out of resources is a refusal of a launch or an allocation, and says the device died only where
/// nothing was asked for but the end of earlier work. So does an invalid queue: queues are valid as long
/// as they are ours, until NVIDIA's library takes them away with a context that failed.
fn is_lost(call: &str, code: i32) -> bool {
    match code {
        CL_DEVICE_NOT_AVAILABLE | ILLEGAL_ACCESS => true,
        CL_OUT_OF_RESOURCES | CL_INVALID_COMMAND_QUEUE => WAITING.contains(&call),
        _ => false,
    }
}

/// The error for a call that returned `code`, which the standard calls `name`.
pub(super) fn failure(device: String, call: &'static str, name: String, code: i32) -> Error {
    if is_lost(call, code) {
        Error::DeviceLost { device, call, name, code }
    } else {
        Error::Driver { device, call, name, code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(call: &'static str, code: i32) -> bool {
        let error = failure("opencl:1".into(), call, "NAME".into(), code);
        assert!(error.to_string().contains(&format!("{call} failed with NAME ({code})")));
        matches!(error, Error::DeviceLost { .. })
    }

    #[test]
    fn an_absent_device_and_an_illegal_access_lose_the_device_in_every_call() {
        for call in ["clFinish", "clCreateBuffer", "clEnqueueNDRangeKernel"] {
            assert!(lost(call, -2) && lost(call, -9999), "{call}");
        }
    }

    #[test]
    fn missing_resources_lose_the_device_only_where_earlier_work_is_awaited() {
        assert!(lost("clFinish", -5) && lost("clWaitForEvents", -5) && lost("clFinish", -36));
        assert!(!lost("clEnqueueNDRangeKernel", -5) && !lost("clCreateBuffer", -5));
        assert!(!lost("clSetKernelArg", -36));
    }

    #[test]
    fn failures_of_one_call_do_not_lose_the_device() {
        for code in [-1, -4, -6, -11, -30, -38, -48, -54, -61] {
            assert!(!lost("clFinish", code), "{code}");
        }
    }
}
