//! CUDA, where the feature `cuda` is off: a kind of device of which there is none.

use crate::driver::{DeviceDriver, Driver};
use crate::probe::Library;
use crate::{Backend, DeviceKind, Error, Result};

/// What stands where the CUDA driver would.
#[derive(Debug)]
pub(crate) struct Cuda;

impl DeviceKind {
    /// CUDA devices, of which there are none.
    #[allow(non_upper_case_globals, reason = "kinds read like variants")]
    pub const Cuda: Self = Self::new("cuda", 2);
}

impl Driver for Cuda {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cuda
    }

    fn backend(&self) -> Option<Backend> {
        Some(Backend::Cuda)
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(include_str!("../cuda/dialect.h"))
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        Err(left_out())
    }
}

/// Refuses to compile.
///
/// # Errors
/// [`Error::Unavailable`], always.
pub fn compile_cubin(_kernel: &str, _source: &str, _arch: &str) -> Result<Vec<u8>> {
    Err(left_out())
}

/// What [`libraries`] tells of.
pub(crate) const LIBRARIES: [&str; 2] = ["CUDA driver", "NVRTC"];

/// None that could be used.
pub(crate) fn libraries() -> [(&'static str, Result<Library>); 2] {
    LIBRARIES.map(|name| (name, Err(left_out())))
}

pub(crate) mod library {
    /// None are looked for.
    pub(crate) fn candidates(_stem: &str) -> Vec<String> {
        Vec::new()
    }
}

fn left_out() -> Error {
    Backend::Cuda.left_out()
}
