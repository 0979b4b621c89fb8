//! The Python package: builds its library, and runs its tests by pytest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::Environment;
use crate::process::{cargo, local, output, repository, run as show};
use crate::programs::text_of;
use crate::report::Report;
use crate::{Result, interop, python, python_wheel, setup};

/// The environment that the tests of the bridge, which use some of it, and those of PyLops share.
pub(crate) const ENVIRONMENT: &str = "interop";

/// What the tests use, beside what those of the bridge do, in the same environment.
const PACKAGES: [&str; 6] = ["numpy>=2.1", "jax>=0.5", "ml_dtypes", "scipy", "pytest", "mypy"];

/// The library by the name that Python imports.
const LIBRARY: &str = "_native.abi3.so";

/// What is done with the package.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Only builds the library, optimised, and puts it into python/arrayspan/, from where Python imports the package
    #[arg(long)]
    develop: bool,
    /// With --develop: compiles in a fraction of the time, and runs slower
    #[arg(long, requires = "develop")]
    quick: bool,
    /// Builds the source distribution and the wheel, and tries the wheel where nothing else is installed
    #[arg(long, conflicts_with = "develop")]
    wheel: bool,
    /// What pytest is told beside that
    #[arg(last = true)]
    pytest: Vec<String>,
}

/// Runs the tests, or puts the library in place.
pub(crate) fn run(arguments: &Arguments) -> Result {
    if arguments.wheel {
        return python_wheel::run();
    }
    if arguments.develop {
        let profile = if arguments.quick { "test" } else { "release" };
        let library = library(&["build", "--package", "arrayspan-python", "--profile", profile])?;
        let place = sources().join(LIBRARY);
        replace(&library, &place)?;
        println!("{}", place.display());
        return Ok(());
    }
    let passed = test(&setup::run()?, &mut Report::default(), &arguments.pytest)?;
    if passed { Ok(()) } else { Err("not every test of the Python package passed".into()) }
}

/// Runs the tests that this machine can; whether all pass.
pub(crate) fn all(environment: &Environment, report: &mut Report) -> Result<bool> {
    test(environment, report, &[])
}

fn test(environment: &Environment, report: &mut Report, words: &[String]) -> Result<bool> {
    let interpreter = match std::env::var_os("ARRAYSPAN_PYTHON") {
        Some(given) => PathBuf::from(given),
        None => match python::environment(ENVIRONMENT, &PACKAGES) {
            Ok(made) => made,
            Err(error) => {
                report.skip_step("python", &format!("no pytest and NumPy: {error}"));
                return Ok(true);
            }
        },
    };
    let package = built()?;
    let mut pytest = Command::new(interpreter);
    pytest
        .args(["-B", "-m", "pytest", "-p", "no:cacheprovider"])
        .arg(repository().join("python/tests"));
    pytest.env("PYTHONPATH", package).args(words);
    Ok(show(environment.apply(&mut pytest)).is_ok())
}

/// Builds the library as the tests do; the folder that Python imports the package from.
pub(crate) fn built() -> Result<PathBuf> {
    staged(&library(&interop::BUILD)?)
}

/// The package as it is installed: a folder with its sources and the library.
fn staged(library: &Path) -> Result<PathBuf> {
    let folder = local("python-stage");
    let package = folder.join("arrayspan");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    copy_sources(&sources(), &package)?;
    replace(library, &package.join(LIBRARY))?;
    Ok(folder)
}

/// A new file, and not other bytes in one that a process may have loaded.
fn replace(from: &Path, to: &Path) -> Result {
    let part = to.with_extension("part");
    fs::copy(from, &part)?;
    Ok(fs::rename(&part, to)?)
}

fn copy_sources(from: &Path, into: &Path) -> Result {
    fs::create_dir_all(into)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = {
            let entry = entry?;
            (entry.path(), entry.file_name())
        };
        if path.is_dir() {
            if name != "__pycache__" {
                copy_sources(&path, &into.join(name))?;
            }
        } else if path
            .extension()
            .is_some_and(|kind| kind == "py" || kind == "pyi" || kind == "typed")
        {
            fs::copy(&path, into.join(name))?;
        }
    }
    Ok(())
}

fn sources() -> PathBuf {
    repository().join("python/arrayspan")
}

/// Builds the library; where it is.
fn library(words: &[&str]) -> Result<PathBuf> {
    let mut build = cargo(words);
    build.arg("--message-format=json-render-diagnostics");
    let messages = output(&mut build)?;
    let ours = messages.lines().filter(|line| line.contains("\"name\":\"_native\""));
    let file = ours.filter_map(|line| text_of(line, "\"filenames\":[\"")).next_back();
    Ok(file.ok_or("cargo built no library for Python")?.into())
}
