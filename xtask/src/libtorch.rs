//! libtorch, which the feature `torch` is built and tested with.

use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::environment::Environment;
use crate::process::{cargo, local};
use crate::python;

/// libtorch as the Python package has it, and what it cannot be opened without: 600 MB instead of the 5 GB with
/// all of CUDA.
const PACKAGES: [&str; 3] =
    ["torch==2.11.0", "nvidia-cuda-cupti==13.0.85", "nvidia-cuda-runtime==13.0.96"];

/// The whole workspace, as without the feature: another choice of packages has other features of theirs, and would
/// build everything anew.
const WITH_TORCH: [&str; 3] = ["--workspace", "--features", "arrayspan/torch"];

/// Installs libtorch unless it is there or the user names one by `LIBTORCH`, and adds what builds and programs must be
/// told to find it.
pub(crate) fn set_up(environment: &Environment) -> Result<Environment> {
    let folder = if let Some(folder) = std::env::var_os("LIBTORCH") {
        PathBuf::from(folder)
    } else {
        let folder = local("torch-2.11.0");
        python::packages_in(&folder, &PACKAGES)?;
        eprintln!("setup: libtorch 2.11.0 is in .arrayspan/torch-2.11.0");
        folder.join("torch")
    };
    let mut environment = environment.clone();
    environment.add_library_path(&folder.join("lib"));
    environment.set("LIBTORCH", folder);
    if std::env::var_os("LIBTORCH_CXX11_ABI").is_none() {
        environment.set("LIBTORCH_CXX11_ABI", "1");
    }
    Ok(environment)
}

/// What to say where it cannot be installed.
pub(crate) fn missing(error: &dyn std::error::Error) -> String {
    format!("no libtorch, so the feature `torch` is not tested: {error}")
}

/// A call of cargo with the feature: `["test", "--no-run"]`.
pub(crate) fn command(environment: &Environment, words: &[&str]) -> Command {
    let (verb, rest) = words.split_at(1);
    let mut command = cargo(verb);
    command.args(WITH_TORCH).args(rest);
    environment.apply(&mut command);
    command
}
