//! Codes of the CUDA driver as results.

use cudarc::driver::sys::CUresult;

use super::{library, lost};
use crate::{Error, Result};

/// `code` as a result.
pub(crate) fn check(gpu_id: usize, call: &'static str, code: CUresult) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(failure(gpu_id, call, code)) }
}

/// The error of a call that returned `code`.
pub(crate) fn failure(gpu_id: usize, call: &'static str, code: CUresult) -> Error {
    lost::failure(format!("cuda:{gpu_id}"), call, library::name(code), code as i32)
}

/// `CUDA_ERROR_OUT_OF_MEMORY`.
const DRIVER: i32 = 2;
/// `CUBLAS_STATUS_ALLOC_FAILED`.
const CUBLAS: i32 = 3;
/// `CUFFT_ALLOC_FAILED`.
const CUFFT: i32 = 2;
/// `NVRTC_ERROR_OUT_OF_MEMORY`.
const NVRTC: i32 = 1;

/// Whether a code means that memory ran out. Libraries on top of the driver have codes of their own.
pub(super) fn means_no_memory(call: &str, code: i32) -> bool {
    code == match call {
        _ if call.starts_with("cublas") => CUBLAS,
        _ if call.starts_with("cufft") => CUFFT,
        _ if call.starts_with("nvrtc") => NVRTC,
        _ => DRIVER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_alone_tell_a_lack_of_memory() {
        let found = |call: &str| -> Vec<i32> {
            (-100..1000).filter(|code| means_no_memory(call, *code)).collect()
        };
        assert_eq!(found("cuLaunchKernel"), [2]);
        assert_eq!(found("cublasCreate"), [3]);
        assert_eq!(found("cufftMakePlanMany"), [2]);
        assert_eq!(found("nvrtcCompileProgram"), [1]);
    }
}
