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
