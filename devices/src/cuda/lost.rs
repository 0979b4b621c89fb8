//! Which codes of the CUDA driver mean that the device is gone for this process.

use std::sync::OnceLock;

use cudarc::driver::sys::CUresult;

use crate::Error;

/// The codes after which, by the driver's manual, every further call fails the same way until the process
/// ends, and those of hardware that has failed or cannot be had.
const LOST: [CUresult; 16] = [
    CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE,
    CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
    CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
    CUresult::CUDA_ERROR_CONTAINED,
    CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
    CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
    CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUresult::CUDA_ERROR_ASSERT,
    CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
    CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
    CUresult::CUDA_ERROR_INVALID_PC,
    CUresult::CUDA_ERROR_LAUNCH_FAILED,
    CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK,
    CUresult::CUDA_ERROR_EXTERNAL_DEVICE,
];

/// The error for a call that returned `code`, which the driver calls `name`.
pub(super) fn failure(device: String, call: &'static str, name: String, code: i32) -> Error {
    if LOST.iter().any(|lost| *lost as i32 == code) {
        Error::DeviceLost { device, call, name, code }
    } else {
        Error::Driver { device, call, name, code }
    }
}

/// The first loss of this process.
static FIRST: OnceLock<Error> = OnceLock::new();

/// Records the loss of a device.
pub(super) fn remember(lost: &Error) {
    FIRST.get_or_init(|| lost.clone());
}

/// The error of a call on a device that still works, which has failed as if that were lost: the loss of the device that is,
/// if one is known.
pub(super) fn elsewhere(error: Error) -> Error {
    match (FIRST.get(), error) {
        (Some(lost), _) => lost.clone(),
        (None, Error::DeviceLost { device, call, name, code }) => {
            Error::Driver { device, call, name, code }
        }
        (None, other) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_works_is_not_lost_by_what_another_does_to_its_calls() {
        let call = |device: &str, call| failure(device.into(), call, "NAME".into(), 700);
        let before = elsewhere(call("cuda:8", "cuMemHostAlloc"));
        assert!(
            matches!(before, Error::Driver { code: 700, ref device, .. } if device == "cuda:8")
        );
        remember(&call("cuda:9", "cuEventSynchronize"));
        let after = elsewhere(call("cuda:8", "cuMemHostAlloc"));
        assert!(matches!(after, Error::DeviceLost { ref device, .. } if device == "cuda:9"));
    }

    fn is_lost(code: i32) -> bool {
        let error = failure("cuda:1".into(), "cuStreamSynchronize", "NAME".into(), code);
        assert!(
            error.to_string().contains(&format!("cuStreamSynchronize failed with NAME ({code})"))
        );
        matches!(error, Error::DeviceLost { .. })
    }

    #[test]
    fn sticky_failures_and_failed_hardware_lose_the_device() {
        for code in [46, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 911]
        {
            assert!(is_lost(code), "{code}");
        }
    }

    #[test]
    fn failures_of_one_call_do_not_lose_the_device() {
        // Invalid value, out of memory, invalid context, no binary, peer access already enabled, not
        // found, not ready, launch out of resources, not permitted, not supported, unknown.
        for code in [1, 2, 201, 209, 704, 500, 600, 701, 800, 801, 999] {
            assert!(!is_lost(code), "{code}");
        }
    }
}
