//! Which of CUDA's own libraries are installed.

use super::device::driver_version;
use super::library::candidates;
use crate::Result;
use crate::probe::{Ask, Library, find, loaded_from};

/// What [`libraries`] tells of, in its order.
pub(crate) const LIBRARIES: [&str; 2] = ["CUDA driver", "NVRTC"];

/// Driver and compiler, each with its name and, where it cannot be used, the reason.
pub(crate) fn libraries() -> [(&'static str, Result<Library>); 2] {
    let path = || loaded_from("libcuda.so");
    let driver = driver_version().map(|version| Library { version: Some(version), path: path() });
    let compiler = find("NVRTC", &candidates("nvrtc"), &Ask::Pair("nvrtcVersion"));
    let [driver_name, compiler_name] = LIBRARIES;
    [(driver_name, driver), (compiler_name, compiler)]
}
