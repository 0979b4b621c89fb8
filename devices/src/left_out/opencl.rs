//! `OpenCL`, where the feature `opencl` is off: a kind of device of which there is none.

use crate::driver::{DeviceDriver, Driver};
use crate::probe::Library;
use crate::{Backend, DeviceKind, Result};

/// What stands where the `OpenCL` driver would.
#[derive(Debug)]
pub(crate) struct OpenCl;

impl DeviceKind {
    /// `OpenCL` devices, of which there are none.
    #[allow(non_upper_case_globals, reason = "kinds read like variants")]
    pub const OpenCl: Self = Self::new("opencl", 4);
}

impl Driver for OpenCl {
    fn kind(&self) -> DeviceKind {
        DeviceKind::OpenCl
    }

    fn backend(&self) -> Option<Backend> {
        Some(Backend::OpenCl)
    }

    fn has_pointers(&self) -> bool {
        false
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(include_str!("../opencl/dialect.h"))
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        Err(Backend::OpenCl.left_out())
    }
}

/// None that could be used.
pub(crate) fn installed() -> Result<(Library, Vec<String>)> {
    Err(Backend::OpenCl.left_out())
}
