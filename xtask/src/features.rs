//! Features that are left out or chosen alone: what users build has no warning without one of the back ends, without any, or
//! with the features that are off by default.

use crate::Result;
use crate::process::{cargo, run as show};

/// What is on where not all is.
const CHOICES: [&str; 4] = ["", "cuda", "opencl", "progress"];

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
