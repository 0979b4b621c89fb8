//! `cargo xtask memcheck`: the bridge's tests on the CPU under valgrind, which needs no nightly compiler.

use std::process::Command;

use crate::Result;
use crate::process::{run as show, succeeds};
use crate::programs::{Program, built};

/// valgrind, or what is missing.
pub(crate) fn available() -> Result<(), String> {
    if succeeds(Command::new("valgrind").arg("--version")) {
        Ok(())
    } else {
        Err("no valgrind (apt-get install valgrind)".into())
    }
}

/// Runs every test program that a foreign array passes through. What is read before it is written, beside the
/// memory or after its end, and what is never given back, fails.
pub(crate) fn run() -> Result {
    available()?;
    let programs = built(
        &["test", "--package", "arrayspan-bridge", "--lib", "--tests", "--no-run"],
        |kind| kind == "test" || kind == "lib",
    )?;
    programs.iter().filter(|program| on_the_cpu(program)).try_for_each(check)
}

/// Programs that have no device to test with would only say what they skip.
fn on_the_cpu(program: &Program) -> bool {
    let names = ["arrayspan_bridge", "dlpack", "views", "layouts", "ndarrays"];
    let own = program.name.trim_start_matches("bridge-");
    names.iter().any(|name| own.starts_with(name)) && !["dlpack_cuda", "dlpack_docs"].contains(&own)
}

fn check(program: &Program) -> Result {
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
    command.args(["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
    command.arg(&program.path).args(["--quiet", "--test-threads=1"]).current_dir(&program.package);
    // Drivers have their own ways with memory, and some thousands of random tensors are enough here.
    show(command.env("ARRAYSPAN_DISABLE", "cuda,opencl").env("PROPTEST_CASES", "4000"))
}
