//! Tools that need a nightly compiler. Where there is none, what they check is skipped, visibly.

use std::process::Command;

use crate::process::{repository, succeeds};

/// Cargo of the nightly toolchain, in the repository.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).args(words).current_dir(repository());
    command
}

/// Whether a tool of the nightly toolchain is installed, or why not.
pub(crate) fn has(tool: &str, how: &str) -> Result<(), String> {
    if !succeeds(&mut cargo(&["--version"])) {
        return Err("no nightly toolchain (rustup toolchain install nightly)".into());
    }
    if !succeeds(&mut cargo(&[tool, "--version"])) {
        return Err(format!("no cargo {tool} ({how})"));
    }
    Ok(())
}
