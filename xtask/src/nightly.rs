//! Tools that need a nightly compiler, and how they get here.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::process::{cargo as stable, output, repository, run, succeeds};

/// Cargo of the nightly toolchain, in the repository.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).args(words).current_dir(repository());
    command
}

/// Installs the toolchain with these components, unless it is there with the tool that they make.
///
/// # Errors
/// What could not be had, and how a person gets it.
pub(crate) fn set_up(tool: &str, components: &[&str]) -> Result<(), String> {
    let works = |words: &[&str]| succeeds(&mut cargo(words));
    let tool_works = || works(&[tool, "--version"]);
    if tool_works() && has_sources(components) {
        return Ok(());
    }
    if !succeeds(Command::new("rustup").arg("--version")) {
        return Err(format!("no rustup, which would install the nightly toolchain for {tool}"));
    }
    toolchain(components, works(&["--version"]))
        .map_err(|error| format!("no nightly toolchain: {error}"))?;
    if tool == "fuzz" && !tool_works() {
        let fuzzer = ["install", "cargo-fuzz", "--locked"];
        run(&mut stable(&fuzzer)).map_err(|error| format!("no cargo-fuzz: {error}"))?;
    }
    if tool_works() { Ok(()) } else { Err(format!("cargo {tool} does not run")) }
}

/// Installs the toolchain with these components. One that is there stays, unless its version has no such components.
fn toolchain(components: &[&str], is_there: bool) -> Result {
    if is_there && components.is_empty() {
        return Ok(());
    }
    let mut add = Command::new("rustup");
    add.args(["component", "add", "--toolchain", "nightly"]).args(components);
    if is_there && run(&mut add).is_ok() {
        return Ok(());
    }
    let mut install = Command::new("rustup");
    install.args(["toolchain", "install", "nightly", "--profile", "minimal", "--no-self-update"]);
    for component in components {
        install.args(["--component", component]);
    }
    run(&mut install)
}

/// Whether the toolchain has the sources that Miri builds its standard library from, where they are asked for.
fn has_sources(components: &[&str]) -> bool {
    if !components.contains(&"rust-src") {
        return true;
    }
    let mut sysroot = Command::new("rustup");
    sysroot.args(["run", "nightly", "rustc", "--print", "sysroot"]);
    let library = "lib/rustlib/src/rust/library/Cargo.lock";
    output(&mut sysroot).is_ok_and(|folder| Path::new(folder.trim()).join(library).is_file())
}
