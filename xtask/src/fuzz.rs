//! `cargo xtask fuzz`: looks for a tensor that the bridge takes for something else than it is.
//!
//! The fuzzer starts from nothing: what bytes mean changes with the description of a tensor, and within
//! seconds it has found again what a kept corpus would hold. What it finds lies in `.arrayspan/fuzz/`.

use std::fs;

use crate::Result;
use crate::nightly::{cargo, set_up};
use crate::process::{local, run as show};

/// How to fuzz.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// For how long.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// Installs what the fuzzer needs, or says what is missing.
pub(crate) fn available() -> Result<(), String> {
    set_up("fuzz", &[])
}

/// Fuzzes for as long as asked, with `AddressSanitizer` watching.
pub(crate) fn run(arguments: &Arguments) -> Result {
    available()?;
    let (corpus, artifacts) = (local("fuzz/corpus"), local("fuzz/artifacts"));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let folder = ["--fuzz-dir", "bridge/fuzz", "--target-dir", "target/fuzz"];
    show(
        cargo(&["fuzz", "run", "import"])
            .args(folder)
            .arg(corpus)
            .arg("--")
            .arg(format!("-max_total_time={}", arguments.seconds))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .args(["-max_len=700", "-print_final_stats=1"]),
    )
}

/// A short run, for CI.
pub(crate) fn briefly() -> Result {
    run(&Arguments { seconds: 30 })
}
