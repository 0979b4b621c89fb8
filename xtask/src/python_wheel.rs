//! What users of Python install: the source distribution, and the wheel that is built of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process::{local, repository, run as show};
use crate::python;

/// What runs where nothing but the wheel and `NumPy` is installed.
const TRIED: &str = "
import arrayspan, numpy, arrayspan.pylops
from importlib.metadata import files
a = arrayspan.operators.FirstDerivative((5,), scheme='forward')
assert (a @ numpy.arange(5, dtype='float32')).tolist() == [1, 1, 1, 1, 0]
names = {path.name for path in files('arrayspan')}
assert {'py.typed', '_native.pyi', 'LICENSE-MIT', 'LICENSE-APACHE'} <= names, names
print('the wheel of arrayspan', arrayspan.__version__, 'works')
";

/// Builds both into `.arrayspan/wheels`, installs the wheel into an environment of its own, and tries it there.
pub(crate) fn run() -> Result {
    let maturin = python::environment("maturin", &["maturin>=1.9,<2"])?;
    let into = local("wheels");
    if into.exists() {
        fs::remove_dir_all(&into)?;
    }
    let mut archive = Command::new(&maturin);
    archive.args(["-m", "maturin", "sdist", "--out"]).arg(&into);
    show(archive.current_dir(repository().join("python")))?;
    // Of the archive, so that what is missing there is noticed; by the same compiler as everything else.
    let mut wheel = Command::new(&maturin);
    wheel.args(["-m", "pip", "wheel", "--no-deps", "--disable-pip-version-check", "--wheel-dir"]);
    wheel.arg(&into).arg(only(&into, "gz")?).env("CARGO_TARGET_DIR", local("wheel-target"));
    show(&mut wheel)?;
    let bare = python::environment("wheel", &["numpy>=1.26"])?;
    let mut install = Command::new(&bare);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    show(install.args(["--no-index", "--force-reinstall"]).arg(only(&into, "whl")?))?;
    let mut tried = Command::new(&bare);
    tried.args(["-P", "-c", TRIED]).env_remove("PYTHONPATH").current_dir(&into);
    show(&mut tried)
}

/// Whether this machine can, or why not.
pub(crate) fn available() -> Result<(), String> {
    if python::is_there() { Ok(()) } else { Err("there is no python3".to_owned()) }
}

/// The only file of a kind in a folder.
fn only(folder: &Path, kind: &str) -> Result<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == kind) {
            found.push(path);
        }
    }
    match (found.pop(), found.is_empty()) {
        (Some(path), true) => Ok(path),
        _ => Err(format!("not one file *.{kind} in {}", folder.display()).into()),
    }
}
