//! Sets up what the tests need beside cargo: an `OpenCL` device and CUDA's kernel compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::environment::Environment;
use crate::process::{local, succeeds};
use crate::{libtorch, python};

const NVRTC: &str = "nvidia-cuda-nvrtc==13.0.88";
// The second one for its loader only, so any version does.
const POCL_WHEELS: [&str; 2] = ["pocl-binary-distribution==3.0", "pyopencl>=2023.1"];
/// Whether `PoCL` compiles each kernel once more for every number of work groups.
const SPECIALIZE: &str = "POCL_WORK_GROUP_SPECIALIZATION";
const POCL_PACKAGES: [&str; 2] = ["pocl-opencl-icd", "ocl-icd-libopencl1"];

/// Sets up what is not there yet, libtorch included. A thing that cannot be had is named and left out.
pub(crate) fn everything() -> Result {
    if let Err(error) = libtorch::set_up(&run()?) {
        eprintln!("setup: {}", libtorch::missing(&*error));
    }
    Ok(())
}

/// Sets up what is not there yet, save libtorch, which few need, and says what tests must be told to find it.
pub(crate) fn run() -> Result<Environment> {
    fs::create_dir_all(local(""))?;
    let mut environment = Environment::default();
    if python::is_there() {
        nvrtc(&mut environment);
        opencl(&mut environment);
    } else {
        let why = "python3 is not installed, so neither PoCL nor NVRTC can be set up";
        environment.missing.push(why.into());
    }
    caches(&mut environment)?;
    // A third of the time of the OpenCL tests.
    if std::env::var_os(SPECIALIZE).is_none() {
        environment.set(SPECIALIZE, "0");
    }
    for missing in &environment.missing {
        eprintln!("setup: {missing}");
    }
    Ok(environment)
}

/// Compiled kernels stay where every program of the user finds them, so that a new clone has them: in
/// `~/.cache/arrayspan` and `~/.cache/pocl`, or where variables say. Who has no home has them here.
fn caches(environment: &mut Environment) -> Result {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("XDG_CACHE_HOME") || set("HOME") {
        return Ok(());
    }
    for (name, folder) in
        [("POCL_CACHE_DIR", "cache/pocl"), ("ARRAYSPAN_CACHE_DIR", "cache/kernels")]
    {
        if std::env::var_os(name).is_none() {
            fs::create_dir_all(local(folder))?;
            environment.set(name, local(folder));
        }
    }
    Ok(())
}

/// The compiler of CUDA kernels, which needs no GPU.
fn nvrtc(environment: &mut Environment) {
    let folder = local("nvrtc-13.0.88");
    match python::packages_in(&folder, &[NVRTC]) {
        Ok(()) => {
            environment.add_library_path(&folder.join("nvidia/cu13/lib"));
            eprintln!("setup: NVRTC 13.0.88 is in .arrayspan/nvrtc-13.0.88");
        }
        Err(error) => {
            let why = format!("no NVRTC, so no CUDA kernel is compiled: {error}");
            environment.missing.push(why);
        }
    }
}

/// An `OpenCL` device: one that is there, else `PoCL` from the system's packages, else from wheels.
fn opencl(environment: &mut Environment) {
    if opencl_works(environment) {
        eprintln!("setup: an OpenCL device is there");
        return;
    }
    let packages = python::system_packages(&POCL_PACKAGES);
    if packages.is_ok() && opencl_works(environment) {
        eprintln!("setup: installed PoCL");
        return;
    }
    match pocl_wheels(environment) {
        Ok(with_wheels) => {
            eprintln!("setup: PoCL is in .arrayspan/pocl-3.0");
            *environment = with_wheels;
        }
        Err(error) => {
            let why = packages.err().map_or("it has no device".into(), |error| error.to_string());
            let install = POCL_PACKAGES.join(" ");
            environment.missing.push(format!(
                "no OpenCL device, so OpenCL tests are skipped; install {install} ({why}; {error})"
            ));
        }
    }
}

/// `PoCL` and a loader from Python wheels, which need no root.
fn pocl_wheels(environment: &Environment) -> Result<Environment> {
    let folder = local("pocl-3.0");
    python::packages_in(&folder, &POCL_WHEELS)?;
    let libraries = folder.join("pyopencl/.libs");
    let (loader, driver) = (library(&libraries, "libOpenCL")?, library(&libraries, "libpocl")?);
    let vendors = local("pocl-3.0/vendors");
    fs::create_dir_all(&vendors)?;
    fs::write(vendors.join("pocl.icd"), format!("{}\n", driver.display()))?;
    let mut with_wheels = environment.clone();
    with_wheels.set("OPENCL_DYLIB_PATH", loader);
    with_wheels.set("OCL_ICD_VENDORS", &vendors);
    // This loader insists on the variable, and would list the driver twice if it led to it.
    with_wheels.set("PYOPENCL_HOME", &vendors);
    if opencl_works(&with_wheels) {
        Ok(with_wheels)
    } else {
        Err("the PoCL of the wheel does not know this processor".into())
    }
}

fn library(folder: &Path, name: &str) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let named = |file: &PathBuf| {
        file.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name))
    };
    files.find(named).ok_or_else(|| format!("no {name} in {}", folder.display()).into())
}

fn opencl_works(environment: &Environment) -> bool {
    let mut probe = Command::new("python3");
    probe.args(["-c", include_str!("opencl_probe.py")]);
    succeeds(environment.apply(&mut probe))
}
