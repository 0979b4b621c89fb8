//! CUDA devices, through the driver API.
//!
//! The driver and NVRTC are opened at run time by `cudarc`, of which only the raw level is used. Work runs in
//! each device's primary context, which other libraries of the process (torch, `CuPy`) share; every call
//! makes it current for its own duration only, so that theirs stays as it was.

mod check;
pub(crate) mod context;
mod device;
mod event;
mod graph;
mod installed;
mod kernel;
pub(crate) mod library;
mod lost;
mod memory;
mod nvrtc;
mod peer;
mod pinned;
mod pool;
mod primary;
pub(crate) mod queue;
pub(crate) mod stream;

pub(crate) use installed::{LIBRARIES, libraries};
pub use nvrtc::compile_cubin;

use crate::driver::{DeviceDriver, Driver};
use crate::{Backend, DeviceKind, Result};

/// The CUDA driver.
#[derive(Debug)]
pub(crate) struct Cuda;

impl DeviceKind {
    /// NVIDIA GPUs through the CUDA driver.
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
        Some(include_str!("dialect.h"))
    }

    fn open(&self) -> Result<Vec<Box<dyn DeviceDriver>>> {
        library::driver()?;
        let open = |gpu_id| {
            let device = device::CudaDevice::new(gpu_id)?;
            Ok(Box::new(device) as Box<dyn DeviceDriver>)
        };
        (0..device::count()?).map(open).collect()
    }
}
