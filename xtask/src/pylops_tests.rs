//! `PyLops`' own tests, of its source distribution, on `arrayspan.pylops` in its place.
//!
//! The numbers of `pylops_tests/record.tsv` may not get worse, and each test that fails has its reason there. The files say
//! `import pylops`: `pylops_tests/shim` is a package of that name.

mod record;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread::{self, available_parallelism};

use crate::Result;
use crate::environment::Environment;
use crate::process::{local, repository, run as show, succeeds};
use crate::report::Report;
use crate::{python, python_package, setup};
use record::{Outcomes, Record};

/// What the tests import. With torch, which takes 5 GB, they run where `ARRAYSPAN_PYTHON` has it.
const PACKAGES: [&str; 6] = ["numpy>=2.1", "scipy", "pytest", "sympy", "jax>=0.5", "pytensor"];

/// Whose tests these are.
const VERSION: &str = "2.8.0";

/// What is done with the numbers.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Only these files: `test_combine.py`; nothing is compared then
    files: Vec<String>,
    /// Writes the numbers, and the table in docs/pylops.md, anew
    #[arg(long, conflicts_with = "files")]
    write: bool,
    /// Builds nothing: tests the package that Python imports, by PYTHONPATH or because it is installed
    #[arg(long)]
    installed: bool,
}

/// Runs the tests and prints the table.
pub(crate) fn run(arguments: &Arguments) -> Result {
    let environment = setup::run()?;
    let python = interpreter()?;
    let package = if arguments.installed { None } else { Some(python_package::built()?) };
    let outcomes = outcomes(&environment, &python, package, &arguments.files)?;
    let mut record = Record::read()?;
    print!("{}", outcomes.table());
    if !arguments.files.is_empty() {
        let failures = outcomes.failures();
        return if failures.is_empty() { Ok(()) } else { Err(failures.into()) };
    }
    if arguments.write {
        record.take(&outcomes);
        return record.write();
    }
    let worse = record.worse(&outcomes);
    if worse.is_empty() { Ok(()) } else { Err(worse.join("\n").into()) }
}

/// Runs the tests that this machine can; whether nothing got worse.
pub(crate) fn all(environment: &Environment, report: &mut Report) -> Result<bool> {
    let made = interpreter().and_then(|python| Ok((sources(&python)?, python)));
    let python = match made {
        Ok((_, python)) => python,
        Err(error) => {
            report.skip_step("pylops-tests", &format!("no tests of PyLops: {error}"));
            return Ok(true);
        }
    };
    let package = Some(python_package::built()?);
    let worse = Record::read()?.worse(&outcomes(environment, &python, package, &[])?);
    for line in &worse {
        println!("{line}");
    }
    Ok(worse.is_empty())
}

fn interpreter() -> Result<PathBuf> {
    match std::env::var_os("ARRAYSPAN_PYTHON") {
        Some(given) => Ok(PathBuf::from(given)),
        None => python::environment(python_package::ENVIRONMENT, &PACKAGES),
    }
}

/// Runs files, all if none is named, as many at once as there are cores.
fn outcomes(
    environment: &Environment,
    python: &Path,
    package: Option<PathBuf>,
    only: &[String],
) -> Result<Outcomes> {
    let sources = sources(python)?;
    let path = search_path(package)?;
    let mut files = Vec::new();
    for entry in fs::read_dir(sources.join("pytests"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let asked = only.is_empty() || only.contains(&name);
        if asked
            && name.strip_prefix("test_").is_some_and(|rest| rest.strip_suffix(".py").is_some())
        {
            files.push(name);
        }
    }
    files.sort();
    let results = local("pylops-outcomes");
    fs::create_dir_all(&results)?;
    let (queue, failed) = (Mutex::new(files.iter()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(file) = queue.lock().ok().and_then(|mut files| files.next()) {
            let run = Run { environment, python, sources: &sources, path: &path };
            if let Err(error) = run.file(file, &results.join(file).with_extension("tsv"))
                && let Ok(mut failed) = failed.lock()
            {
                failed.push(error.to_string());
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    if let Some(error) = failed.into_inner().ok().and_then(|mut failed| failed.pop()) {
        return Err(error.into());
    }
    let mut outcomes = Outcomes::default();
    for file in &files {
        outcomes.read(file, &fs::read_to_string(results.join(file).with_extension("tsv"))?);
    }
    Ok(outcomes)
}

/// The package, what stands for `pylops`, and the plug-in.
fn search_path(package: Option<PathBuf>) -> Result<OsString> {
    let here = repository().join("xtask/src/pylops_tests");
    let given = std::env::var_os("PYTHONPATH").unwrap_or_default();
    let own = [here.join("shim"), here];
    Ok(std::env::join_paths(package.into_iter().chain(own).chain(std::env::split_paths(&given)))?)
}

/// What the files of tests are run with.
struct Run<'a> {
    environment: &'a Environment,
    python: &'a Path,
    sources: &'a Path,
    /// Where it finds modules.
    path: &'a OsStr,
}

impl Run<'_> {
    /// Runs a file, whose outcomes the plug-in writes.
    fn file(&self, file: &str, into: &Path) -> Result {
        if into.exists() {
            fs::remove_file(into)?;
        }
        let mut pytest = Command::new(self.python);
        // Nothing of the folder that it runs in is imported, and none of PyLops' options are taken.
        pytest.args(["-B", "-P", "-m", "pytest", "-c", "/dev/null", "--rootdir", "."]);
        pytest.args(["-p", "no:cacheprovider", "-p", "outcomes", "-q", "-W", "ignore"]);
        pytest.arg(format!("pytests/{file}")).current_dir(self.sources);
        pytest.env("PYTHONPATH", self.path).env("ARRAYSPAN_OUTCOMES", into);
        for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
            pytest.env(threads, "1");
        }
        // It fails where a test does; a process that ends otherwise writes nothing.
        succeeds(self.environment.apply(&mut pytest));
        if into.exists() { Ok(()) } else { Err(format!("pytest did not run {file}").into()) }
    }
}

/// The folder with `pytests/` and `testdata/`, downloaded unless it is there.
fn sources(python: &Path) -> Result<PathBuf> {
    let folder = local(&format!("pylops-{VERSION}-tests"));
    if folder.exists() {
        return Ok(folder);
    }
    let part = folder.with_extension("part");
    if part.exists() {
        fs::remove_dir_all(&part)?;
    }
    fs::create_dir_all(&part)?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--no-binary", "pylops"]).arg(format!("pylops=={VERSION}")).arg("--dest").arg(&part);
    show(&mut pip)?;
    let archive = part.join(format!("pylops-{VERSION}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).arg("-C").arg(&part).arg("--strip-components=1");
    show(tar.args(["pytests", "testdata"].map(|folder| format!("pylops-{VERSION}/{folder}"))))?;
    fs::remove_file(archive)?;
    fs::rename(&part, &folder)?;
    Ok(folder)
}
