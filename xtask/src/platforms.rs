//! Other platforms: what users build is checked for each of them by the compiler. Nothing is linked or run, so none of
//! their tools is needed.

use std::process::Command;

use crate::Result;
use crate::packages;
use crate::process::{cargo, output, run as show};

/// Those beside the one that the tests run on.
pub(crate) const PLATFORMS: [&str; 3] =
    ["aarch64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"];

/// All that can be checked here; says what cannot.
pub(crate) fn run() -> Result {
    for platform in PLATFORMS {
        match available(platform) {
            Ok(()) => check(platform)?,
            Err(why) => println!("skipped {platform}: {why}"),
        }
    }
    Ok(())
}

/// Installs the platform's standard library unless it is there, or says why it cannot be had.
pub(crate) fn available(platform: &str) -> Result<(), String> {
    let mut list = Command::new("rustup");
    let installed = output(list.args(["target", "list", "--installed"]));
    let installed = installed.map_err(|_| "no rustup, which would install the target")?;
    if installed.lines().any(|target| target == platform) {
        return Ok(());
    }
    let mut add = Command::new("rustup");
    show(add.args(["target", "add", platform])).map_err(|error| format!("no target: {error}"))
}

/// Libraries and programs of all published packages: what only tests use may want a compiler of C for the platform.
pub(crate) fn check(platform: &str) -> Result {
    let mut check = cargo(&["check", "--lib", "--bins", "--target", platform]);
    for package in packages::all()?.iter().filter(|package| package.is_published()) {
        check.args(["--package", &package.name]);
    }
    show(&mut check)
}
