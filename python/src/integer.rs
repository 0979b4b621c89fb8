//! Integers as Python writes them: counts, axes, seeds.
//!
//! What `PyO3` reads by itself takes `True` for 1, and raises a bare `OverflowError` for what does not fit.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::error::{Class, refuse};

/// What [`integer`] reads: an integer, or several in the shape of the type.
pub(crate) trait Integer: Sized {
    /// Errors call what they find `what`, if that is not empty.
    fn read(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self>;
}

/// Reads an argument of a function: with `#[pyo3(from_py_with = integer)]` it keeps its type, and its default in the signature. Which argument it is
/// stands in a note that `PyO3` adds.
pub(crate) fn integer<T: Integer>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    T::read(given, "")
}

macro_rules! plain {
    ($($integer:ty),*) => {$(
        impl Integer for $integer {
            fn read(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
                one(given, what, "an integer")
            }
        }
    )*};
}

plain!(usize, isize, u64);

impl<T: Integer> Integer for Option<T> {
    fn read(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if given.is_none() { Ok(None) } else { T::read(given, what).map(Some) }
    }
}

impl<T: Integer, U: Integer> Integer for (T, U) {
    fn read(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let [first, second] = pair(given, what)?;
        Ok((T::read(&first, what)?, U::read(&second, what)?))
    }
}

impl<T: Integer> Integer for [T; 2] {
    fn read(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let [first, second] = pair(given, what)?;
        Ok([T::read(&first, what)?, T::read(&second, what)?])
    }
}

impl<T: Integer> Integer for Vec<T> {
    fn read(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let items = several(given, what, "a sequence")?;
        items.iter().map(|item| T::read(item, what)).collect()
    }
}

/// Two of a sequence that has as many.
fn pair<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<[Bound<'py, PyAny>; 2]> {
    <[_; 2]>::try_from(several(given, what, "two integers")?).or_else(|items| {
        let why = format!("{}expected two integers, not {}", prefix(what), items.len());
        refuse(Class::Parameter, why)
    })
}

/// What a sequence has.
fn several<'py>(
    given: &Bound<'py, PyAny>,
    what: &str,
    expected: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    given.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyTypeError>(given.py()) {
            unfit(given, what, expected).unwrap_or_else(|error| error)
        } else {
            error
        }
    })
}

/// The error of what is of another kind.
fn unfit(given: &Bound<'_, PyAny>, what: &str, expected: &str) -> PyResult<PyErr> {
    let class = given.get_type();
    let class = class.name()?;
    Ok(PyTypeError::new_err(format!("{}expected {expected}, not {class}", prefix(what))))
}

fn prefix(what: &str) -> String {
    if what.is_empty() { String::new() } else { format!("{what}: ") }
}

/// One integer, which is what has `__index__`, but neither `True` nor `False`. Errors say that `expected` was expected.
pub(crate) fn one<'py, T>(given: &Bound<'py, PyAny>, what: &str, expected: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    if !given.is_instance_of::<PyBool>() {
        let py = given.py();
        match given.extract() {
            Ok(number) => return Ok(number),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                let why = format!("{}{given} is below zero, or too large", prefix(what));
                return refuse(Class::Parameter, why);
            }
            // What `__index__` itself has raised is raised.
            Err(error) if !error.is_instance_of::<PyTypeError>(py) => return Err(error),
            Err(_) => {}
        }
    }
    Err(unfit(given, what, expected)?)
}
