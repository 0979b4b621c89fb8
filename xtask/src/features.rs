//! Features that are left out or chosen alone: what users build has no warning without one of the back ends, without any, or
//! with the features that are off by default.

use crate::environment::Environment;
use crate::process::{cargo, run as show};
use crate::report::Report;
use crate::{Result, sample};

/// What is on where not all is, nothing among them: one of them for each commit, by its seed.
const CHOICES: [&str; 4] = ["", "cuda", "opencl", "progress"];

/// Runs the step alone, with every choice.
pub(crate) fn run() -> Result {
    check(&Environment::default(), &mut Report::default())
}

/// The facade, whose features choose those of all crates below it, and the command.
pub(crate) fn check(environment: &Environment, report: &mut Report) -> Result {
    for (at, features) in CHOICES.into_iter().enumerate() {
        if sample::has(environment, at, CHOICES.len() as u64) {
            lints(features)?;
        } else {
            let name = if features.is_empty() { "no features" } else { features };
            let why = "each commit is checked with one choice, by its seed; with each with --full";
            report.skip_step(&format!("features: {name}"), why);
        }
    }
    Ok(())
}

fn lints(features: &str) -> Result {
    let packages = ["clippy", "--package", "arrayspan", "--package", "arrayspan-cli"];
    let mut clippy = cargo(&packages);
    show(clippy.args(["--no-default-features", "--features", features, "--", "-D", "warnings"]))
}
