//! `OpenCL` devices of every installed platform.
//!
//! The loader is opened at run time by `cl3`. Only raw handles are used: each is released once by
//! `handle::Handle`, whose drop reports a failure instead of panicking.

mod context;
mod device;
mod event;
mod handle;
mod installed;
mod kernel;
mod language;
mod lost;
mod memory;
mod pinned;
mod place;
mod platform;
mod program;
mod ptx;
mod query;
mod serial;
mod stream;

pub(crate) use installed::installed;
pub use serial::serial;

use crate::driver::{DeviceDriver, Driver};
use crate::{Backend, DeviceKind, Result};

/// The `OpenCL` driver.
#[derive(Debug)]
pub(crate) struct OpenCl;

impl DeviceKind {
    /// Devices of every installed `OpenCL` platform.
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

    /// Buffers are known by a handle.
    fn has_pointers(&self) -> bool {
        false
    }

    fn dialect(&self) -> Option<&'static str> {
        Some(include_str!("dialect.h"))
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        let found = platform::find()?;
        let open = |(gpu_id, found)| {
            let device = device::OpenClDevice::new(gpu_id, found);
            Box::new(device) as Box<dyn DeviceDriver>
        };
        Ok(found.into_iter().enumerate().map(open).collect())
    }
}
