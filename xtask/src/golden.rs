//! `cargo xtask golden`: writes the golden data anew.

use std::process::Command;

use crate::Result;
use crate::process::{repository, run as show};
use crate::python;

/// The versions that the committed data were made with.
const PACKAGES: [&str; 10] = [
    "pylops==2.8.0",
    "pyproximal==0.13.0",
    "spgl1==0.0.3",
    "numpy==2.4.2",
    "scipy==1.17.0",
    "pywavelets==1.8.0",
    "astra-toolbox==2.5.0",
    "dtcwt==0.14.0",
    "curvelets==1.2",
    // Curvelets need it and do not say so.
    "typing-extensions==4.15.0",
];

/// Writes `tests/golden/` anew with `PyLops` in an environment of its own.
pub(crate) fn run() -> Result {
    let python = python::environment("golden", &PACKAGES)?;
    let folder = repository().join("tests/golden");
    show(Command::new(python).arg(folder.join("generate.py")).arg(&folder))
}
