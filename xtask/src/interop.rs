//! Python's libraries against the bridge: builds the C interface of `tests/interop` and runs its cases.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::environment::Environment;
use crate::process::{Stream, cargo, lines, output, repository};
use crate::programs::text_of;
use crate::report::Report;
use crate::{python, setup};

/// What can be had without a GPU and its libraries. `ARRAYSPAN_PYTHON` names an interpreter that has more.
const PACKAGES: [&str; 3] = ["numpy>=2.1", "jax>=0.5", "ml_dtypes"];

/// Enough for a leak of one block each to show; a GPU run takes ten times as many.
const HAND_OVERS: &str = "100000";

/// Libraries and tests of all packages, by the profile of the tests: what was built for these is not built again, as a
/// choice of packages would be, or one without the features that tests need.
pub(crate) const BUILD: [&str; 6] =
    ["build", "--workspace", "--lib", "--tests", "--profile", "test"];

/// Runs every case and sums up.
pub(crate) fn run() -> Result {
    let mut report = Report::default();
    let passed = all(&setup::run()?, &mut report)?;
    for (reason, count) in &report.skipped {
        println!("skipped {count:>5}: {reason}");
    }
    if passed { Ok(()) } else { Err("not every case passed".into()) }
}

/// Runs every case that this machine can; whether all pass.
pub(crate) fn all(environment: &Environment, report: &mut Report) -> Result<bool> {
    let interpreter = match std::env::var_os("ARRAYSPAN_PYTHON") {
        Some(given) => PathBuf::from(given),
        None => match python::environment("interop", &PACKAGES) {
            Ok(made) => made,
            Err(error) => {
                report.take_error(&format!("skipped: no NumPy and JAX for Python: {error}"));
                return Ok(true);
            }
        },
    };
    let mut cases = Command::new(interpreter);
    cases.arg("-B").arg(folder().join("run.py")).arg(library(&BUILD)?);
    cases.args(["--handovers", HAND_OVERS]);
    report.begin();
    lines(environment.apply(&mut cases), |stream, line| {
        let shown = match stream {
            Stream::Output => report.take(line),
            Stream::Errors => report.take_error(line),
        };
        if shown {
            println!("{line}");
        }
    })
}

/// Puts the library with its cases, and the peers' benchmarks, into an archive for a machine without cargo.
pub(crate) fn pack(archive: &Path) -> Result {
    let into = archive.join("interop");
    scripts(&folder(), &into)?;
    let library = library(&["build", "--release", "--package", "arrayspan-interop"])?;
    fs::copy(&library, into.join("libarrayspan_interop.so"))?;
    scripts(&repository().join("benches/peers"), &archive.join("peers"))
}

/// Copies the Python files of a folder.
fn scripts(from: &Path, into: &Path) -> Result {
    fs::create_dir_all(into)?;
    for entry in fs::read_dir(from)? {
        let file = entry?.path();
        if let Some(name) = file.file_name().filter(|_| file.extension() == Some("py".as_ref())) {
            fs::copy(&file, into.join(name))?;
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    repository().join("tests/interop")
}

/// Builds the library; where it is.
fn library(words: &[&str]) -> Result<PathBuf> {
    let mut build = cargo(words);
    build.arg("--message-format=json-render-diagnostics");
    let messages = output(&mut build)?;
    let ours = messages.lines().filter(|line| line.contains("\"name\":\"arrayspan_interop\""));
    let file = ours.filter_map(|line| text_of(line, "\"filenames\":[\"")).next_back();
    Ok(file.ok_or("cargo built no interop library")?.into())
}
