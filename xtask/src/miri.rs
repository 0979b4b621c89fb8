//! `cargo xtask miri`: the tests of the bridge, and those of the pipeline's library, on the CPU, run by an interpreter that knows the rules of memory.
//!
//! Provenance is permissive: a block of memory has an address that is a pointer, a `cl_mem` or a `CUDA` address,
//! hence a number, and other libraries hand over their pointers as such. Whoever makes a number of a
//! pointer exposes it, as Rust asks for.

use std::fs;

use crate::Result;
use crate::nightly::{cargo, set_up};
use crate::process::{repository, run as show};

/// How the files of those tests begin that a foreign array passes through on the CPU. Others start programs or
/// load drivers, which Miri cannot.
const BEGIN: [&str; 5] = ["convert", "dlpack", "layouts", "ndarrays", "views"];

/// Files that begin so and would only say that they skip.
const LEFT_OUT: [&str; 3] = ["convert_torch", "dlpack_cuda", "dlpack_docs"];

/// Installs what Miri needs, or says what is missing.
pub(crate) fn available() -> Result<(), String> {
    set_up("miri", &["miri", "rust-src"])
}

/// Runs all tests that it can run.
pub(crate) fn run() -> Result {
    available()?;
    let packages = ["--package", "arrayspan-bridge", "--package", "arrayspan-pipeline"];
    let mut command = cargo(&["miri", "test", "--lib"]);
    command.args(packages);
    for test in tests()? {
        command.args(["--test", &test]);
    }
    show(
        command
            .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance")
            .env("ARRAYSPAN_DISABLE", "cuda,opencl"),
    )
}

/// The names of those test files.
fn tests() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in fs::read_dir(repository().join("bridge/tests"))? {
        let name = file?.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".rs") else { continue };
        if BEGIN.iter().any(|begin| name.starts_with(begin)) && !LEFT_OUT.contains(&name) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}
