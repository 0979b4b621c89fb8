//! What runs are told by keywords: when they stop, and where they work.

use std::time::Duration;

use arrayspan::solvers::{Stagnation, Stop, Stopped};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::workspace::PyWorkspace;
use crate::error::{Class, Result, refuse};

/// When a run stops, how often the host looks, and where it works, by the names that all solvers share.
pub(crate) struct Stopping {
    pub(crate) stop: Stop,
    pub(crate) check_every: usize,
    pub(crate) workspace: Option<Py<PyWorkspace>>,
}

impl Stopping {
    /// What the caller has said by keywords, and the defaults of what was not said.
    pub(crate) fn of(options: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let (mut stop, mut check_every, mut workspace) = (Stop::default(), 10, None);
        for (name, value) in options.into_iter().flatten() {
            let name = name.cast_into::<PyString>().map_err(PyErr::from)?;
            let given = Argument { name: name.to_str()?, value };
            match given.name {
                "iterations" => stop.iterations = given.read()?,
                "residual" => stop.residual = given.read()?,
                "absolute" => stop.absolute = given.read()?,
                "gradient" => stop.gradient = given.read()?,
                "stagnation" => {
                    stop.stagnation = given
                        .read::<Option<(usize, f64)>>()?
                        .map(|(iterations, decrease)| Stagnation { iterations, decrease });
                }
                "time" => stop.time = given.read::<Option<f64>>()?.map(seconds).transpose()?,
                "check_every" => check_every = given.read()?,
                "workspace" => workspace = given.read()?,
                other => {
                    let known =
                        "iterations, residual, absolute, gradient, stagnation, time, check_every";
                    let why = format!(
                        "unexpected keyword argument '{other}'; a run is stopped by {known}, and works in workspace"
                    );
                    return Err(PyTypeError::new_err(why).into());
                }
            }
        }
        Ok(Self { stop, check_every, workspace })
    }
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
            if error.is_instance_of::<PyOverflowError>(py) {
                Class::Parameter.raise(py, format!("{name} = {value} is negative, or too large"))
            } else if error.is_instance_of::<PyTypeError>(py) {
                PyTypeError::new_err(format!("argument '{name}': {}", error.value(py)))
            } else {
                error
            }
        })
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
