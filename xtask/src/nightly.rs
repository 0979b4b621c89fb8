//! Tools that need a nightly compiler, and how they get here.

use std::process::Command;

use crate::Result;
use crate::process::{cargo as stable, repository, run, succeeds};

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
    if tool_works() && succeeds(&mut has_components(components)) {
        return Ok(());
    }
    if !succeeds(Command::new("rustup").arg("--version")) {
        return Err(format!("no rustup, which would install the nightly toolchain for {tool}"));
    }
    let mut install = Command::new("rustup");
    install.args(["toolchain", "install", "nightly", "--profile", "minimal", "--no-self-update"]);
    for component in components {
        install.args(["--component", component]);
    }
    run(&mut install).map_err(|error| format!("no nightly toolchain: {error}"))?;
    if tool == "fuzz" && !tool_works() {
        let fuzzer = ["install", "cargo-fuzz", "--locked"];
        run(&mut stable(&fuzzer)).map_err(|error| format!("no cargo-fuzz: {error}"))?;
    }
    if tool_works() { Ok(()) } else { Err(format!("cargo {tool} does not run")) }
}

/// Fails unless the toolchain has the sources that Miri builds its standard library from.
fn has_components(components: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let path = "lib/rustlib/src/rust/library/Cargo.lock";
    let asked = components.contains(&"rust-src");
    let script = if asked {
        format!("test -f \"$(rustup run nightly rustc --print sysroot)/{path}\"")
    } else {
        "true".into()
    };
    command.args(["-c", &script]);
    command
}
