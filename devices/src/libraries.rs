//! Which shared libraries of others are installed, and in which version.
//!
//! Asking opens them, as using them would. So a driver that hangs or crashes does so here, too:
//! `arrayspan info` asks in a process of its own.

pub use crate::probe::Library;
use crate::{Backend, Result, cuda, opencl, vendor};

/// CUDA's driver, compiler and libraries, each with its name and, where it cannot be used, the reason.
/// None of them needs a GPU to be found.
#[must_use]
pub fn cuda() -> Vec<(&'static str, Result<Library>)> {
    if let Err(disabled) = Backend::Cuda.enabled() {
        let names = cuda::LIBRARIES.into_iter().chain(vendor::names());
        return names.map(|name| (name, Err(disabled.clone()))).collect();
    }
    cuda::libraries().into_iter().chain(vendor::libraries()).collect()
}

/// The platforms behind the `OpenCL` loader, each described by name, vendor and version, also those
/// without a device; and the loader itself.
///
/// # Errors
/// [`Error::Unavailable`](crate::Error::Unavailable) without a loader or a platform.
pub fn opencl() -> Result<(Library, Vec<String>)> {
    Backend::OpenCl.enabled()?;
    opencl::installed()
}
