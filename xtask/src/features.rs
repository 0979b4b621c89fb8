//! Back ends that are left out: what users build has no warning without one of them, or without any.

use crate::Result;
use crate::process::{cargo, run as show};

/// What is on where not all is.
const CHOICES: [&str; 3] = ["", "cuda", "opencl"];

/// The facade, whose features choose those of all crates below it, and the command.
pub(crate) fn check() -> Result {
    for features in CHOICES {
        let packages = ["clippy", "--package", "arrayspan", "--package", "arrayspan-cli"];
        let mut clippy = cargo(&packages);
        clippy.args(["--no-default-features", "--features", features, "--", "-D", "warnings"]);
        show(&mut clippy)?;
    }
    Ok(())
}
