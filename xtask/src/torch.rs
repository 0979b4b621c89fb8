//! The tests of the feature `torch`.
//!
//! They are built with the features and the profile of all others, so that only what knows torch is built again.

use std::process::Command;
use std::sync::Arc;

use crate::Result;
use crate::environment::Environment;
use crate::libtorch::command;
use crate::process::{local, run as show};
use crate::programs::{Program, built_by};
use crate::report::Report;
use crate::run_tests::{self, Ran};

/// The examples, and with what arguments they take a moment only.
const EXAMPLES: [(&str, &[&str]); 2] =
    [("torch_operator", &["--size", "128"]), ("learned_prior", &["--steps", "5"])];

/// Test programs and the examples.
#[derive(Debug)]
pub(crate) struct Built {
    programs: Vec<Arc<Program>>,
    examples: Vec<Program>,
}

/// Builds all that needs the feature; the bridge's unit tests only if asked for, because other packages' are built
/// with them. Errors are text, for they come from another thread.
pub(crate) fn build(environment: &Environment, full: bool) -> Result<Built, String> {
    let build = || -> Result<Built> {
        let words: &[&str] =
            if full { &["--lib", "--test", "*torch*"] } else { &["--test", "*torch*"] };
        let programs = built_words(environment, words)?;
        let names = EXAMPLES.iter().flat_map(|(name, _)| ["--example", name]);
        let words: Vec<&str> = ["build", "--profile", "test"].into_iter().chain(names).collect();
        let examples = built_by(&mut command(environment, &words), |kind| kind == "example")?;
        Ok(Built { programs, examples })
    };
    build().map_err(|error| error.to_string())
}

/// Builds test programs by their names.
pub(crate) fn build_some(
    environment: &Environment,
    targets: &[String],
) -> Result<Vec<Arc<Program>>> {
    let words: Vec<&str> = targets.iter().flat_map(|target| ["--test", target]).collect();
    built_words(environment, &words)
}

fn built_words(environment: &Environment, words: &[&str]) -> Result<Vec<Arc<Program>>> {
    let words = [&["test", "--no-run"], words].concat();
    let programs = built_by(&mut command(environment, &words), |_| true)?;
    // Unit tests of other packages have run without the feature.
    let knows = |name: &str| ["bridge-", "operators-"].iter().any(|start| name.starts_with(start));
    let wanted = |program: &Program| program.tests && knows(&program.name);
    Ok(programs.into_iter().filter(wanted).map(Arc::new).collect())
}

/// Runs what was built; if asked for also the examples in the documentation.
pub(crate) fn run(
    environment: &Environment,
    built: &Built,
    full: bool,
    report: &mut Report,
) -> Result<Ran> {
    let shards = run_tests::dealt(&built.programs, None, environment)?;
    let mut ran = run_tests::run(shards, environment, report)?;
    // What examples write goes where the repository does not look.
    let pictures = local("pictures");
    std::fs::create_dir_all(&pictures)?;
    for example in &built.examples {
        let of_this = |(name, _): &&(&str, &[&str])| example.name.ends_with(name);
        let few = EXAMPLES.iter().find(of_this).map_or(&[][..], |(_, few)| *few);
        let mut small = Command::new(&example.path);
        small.args(few).current_dir(&pictures);
        ran.passed &= show(environment.apply(&mut small)).is_ok();
    }
    if full {
        let examples = command(environment, &["test", "--doc", "--no-fail-fast"]);
        ran.passed &= run_tests::examples(Some(examples), environment, report)?;
    } else {
        let why = "unit tests and documentation examples with the feature run only with --full";
        report.skip_step("torch", why);
    }
    Ok(ran)
}

/// clippy and rustdoc with the feature, by the profile of the tests, which has built torch's C++.
pub(crate) fn lints(environment: &Environment) -> Result {
    let clippy = ["clippy", "--profile", "test", "--all-targets", "--", "-D", "warnings"];
    show(&mut command(environment, &clippy))?;
    let doc = ["doc", "--profile", "test", "--no-deps"];
    show(command(environment, &doc).env("RUSTDOCFLAGS", "-D warnings"))
}
