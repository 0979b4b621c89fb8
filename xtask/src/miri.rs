//! `cargo xtask miri`: the bridge's tests on the CPU, run by an interpreter that knows the rules of memory.
//!
//! Provenance is permissive: a block of memory has an address that is a pointer, a `cl_mem` or a `CUDA` address,
//! hence a number, and other libraries hand over their pointers as such. Whoever makes a number of a
//! pointer exposes it, as Rust asks for.

use crate::Result;
use crate::nightly::{cargo, has};
use crate::process::run as show;

/// What Miri needs, or what is missing.
pub(crate) fn available() -> Result<(), String> {
    has("miri", "rustup +nightly component add miri rust-src")
}

/// Runs all tests that it can run.
pub(crate) fn run() -> Result {
    available()?;
    show(
        cargo(&["miri", "test", "--package", "arrayspan-bridge", "--lib", "--tests"])
            .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance")
            .env("ARRAYSPAN_DISABLE", "cuda,opencl"),
    )
}
