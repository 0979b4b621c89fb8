//! Which shared libraries of others are installed, and in which version.
//!
//! Asking opens them, as using them would. So a driver that hangs or crashes does so here, too:
//! `arrayspan info` asks in a process of its own.

mod probe;

use std::path::PathBuf;

use cudarc::get_lib_name_candidates;

use crate::{Backend, Result, cuda, opencl};
use probe::{Ask, find};

/// A shared library that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// Its version in its own counting, where it tells.
    pub version: Option<String>,
    /// The file it was loaded from, where the system tells.
    pub path: Option<PathBuf>,
}

/// CUDA's driver, compiler and libraries, each with its name and, where it cannot be used, the reason.
/// None of them needs a GPU to be found.
#[must_use]
pub fn cuda() -> Vec<(&'static str, Result<Library>)> {
    let library = |name, stem, ask| {
        let found = Backend::Cuda.enabled().and_then(|()| find(name, &candidates(stem), &ask));
        (name, found)
    };
    let driver = Backend::Cuda.enabled().and_then(|()| cuda::driver_version());
    let driver = driver
        .map(|version| Library { version: Some(version), path: probe::loaded_from("libcuda.so") });
    vec![
        ("CUDA driver", driver),
        library("NVRTC", "nvrtc", Ask::Pair("nvrtcVersion")),
        library("cuBLAS", "cublas", Ask::Property("cublasGetProperty")),
        library("cuFFT", "cufft", Ask::Property("cufftGetProperty")),
        library("cuSPARSE", "cusparse", Ask::Property("cusparseGetProperty")),
        library("cuSOLVER", "cusolver", Ask::Property("cusolverGetProperty")),
        library("NCCL", "nccl", Ask::Number("ncclGetVersion")),
    ]
}

/// The platforms behind the `OpenCL` loader, each described by name, vendor and version, also those
/// without a device; and the loader itself.
///
/// # Errors
/// [`Error::Unavailable`](crate::Error::Unavailable) without a loader or a platform.
pub fn opencl() -> Result<(Library, Vec<String>)> {
    Backend::OpenCl.enabled()?;
    let platforms = opencl::platforms()?;
    Ok((Library { version: None, path: probe::loaded_from("libOpenCL.so") }, platforms))
}

/// The names under which CUDA's libraries are looked for, in that order.
pub(crate) fn candidates(stem: &str) -> Vec<String> {
    let mut names = get_lib_name_candidates(stem);
    // Names with the size of a pointer in them are those of Windows.
    names.retain(|name| cfg!(windows) || !name.contains("64"));
    if stem == "nccl" {
        names.push("libnccl.so.2".into());
    }
    names
}
