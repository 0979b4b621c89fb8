//! What runs are told by keywords: when they stop, and where they work.

use std::time::Duration;

use arrayspan::solvers::{Stagnation, Stop, Stopped};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::workspace::PyWorkspace;
use crate::error::{Class, Result, refuse};
use crate::integer::Integer;

/// When a run stops, how often the host looks, and where it works, by the names that all solvers share.
pub(crate) struct Stopping {
    pub(crate) stop: Stop,
    pub(crate) check_every: usize,
    pub(crate) workspace: Option<Py<PyWorkspace>>,
}

impl Stopping {
    /// What the caller of a solver has said by keywords, and the defaults of what was not said.
    pub(crate) fn of(solver: &str, options: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let (mut stop, mut check_every, mut workspace) = (Stop::default(), 10, None);
        for (name, value) in options.into_iter().flatten() {
            let name = name.cast_into::<PyString>().map_err(PyErr::from)?;
            let given = Argument { name: name.to_str()?, value };
            match given.name {
                "iterations" => stop.iterations = given.integer()?,
                "residual" => stop.residual = given.read()?,
                "absolute" => stop.absolute = given.read()?,
                "gradient" => stop.gradient = given.read()?,
                "stagnation" => {
                    let pair = given.read::<Option<(Bound<'_, PyAny>, f64)>>()?;
                    stop.stagnation = pair
                        .map(|(iterations, decrease)| -> PyResult<_> {
                            let iterations = usize::read(&iterations, given.name)?;
                            Ok(Stagnation { iterations, decrease })
                        })
                        .transpose()?;
                }
                "time" => stop.time = given.read::<Option<f64>>()?.map(seconds).transpose()?,
                "check_every" => check_every = given.integer()?,
                "workspace" => workspace = given.read()?,
                other => return Err(unexpected(name.py(), solver, other)?.into()),
            }
        }
        Ok(Self { stop, check_every, workspace })
    }
}

/// The names that all solvers share, of what stops them and of where they work.
const SHARED: [&str; 8] = [
    "iterations",
    "residual",
    "absolute",
    "gradient",
    "stagnation",
    "time",
    "check_every",
    "workspace",
];

/// The error of a keyword that a solver does not have, which says those that it has.
fn unexpected(py: Python<'_>, solver: &str, keyword: &str) -> PyResult<PyErr> {
    let text = py.import("arrayspan._keywords")?.getattr("unexpected")?;
    let why: String = text.call1((solver, keyword, SHARED))?.extract()?;
    Ok(PyTypeError::new_err(why))
}

/// What the caller has said by a keyword.
struct Argument<'a, 'py> {
    name: &'a str,
    value: Bound<'py, PyAny>,
}

impl<'py> Argument<'_, 'py> {
    /// As the type that it is to have; what cannot be is refused by its name.
    fn read<T: FromPyObjectOwned<'py>>(&self) -> PyResult<T> {
        let Self { name, value } = self;
        value.extract::<T>().map_err(|error| {
            let error: PyErr = error.into();
            let py = value.py();
            if error.is_instance_of::<PyTypeError>(py) {
                PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)))
            } else {
                error
            }
        })
    }

    /// As integers.
    fn integer<T: Integer>(&self) -> PyResult<T> {
        T::read(&self.value, self.name)
    }
}

fn seconds(seconds: f64) -> PyResult<Duration> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) => Ok(time),
        Err(_) => refuse(Class::Parameter, format!("time = {seconds} is no number of seconds")),
    }
}

/// The name of a reason.
pub(crate) fn name(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Residual => "residual",
        Stopped::Gradient => "gradient",
        Stopped::Precision => "precision",
        Stopped::Stagnation => "stagnation",
        Stopped::Iterations => "iterations",
        Stopped::Time => "time",
        Stopped::Condition => "condition",
        Stopped::Observer => "callback",
        Stopped::NotFinite => "not finite",
        Stopped::Indefinite => "indefinite",
        Stopped::Singular => "singular",
        Stopped::Breakdown => "breakdown",
        Stopped::Underflow => "underflow",
        _ => "unknown",
    }
}
