//! Shapes as Python writes them.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyIterator, PySet, PyString, PyTuple};
use smallvec::SmallVec;

use crate::error::{Class, refuse};

/// Extents: a number, or several.
pub(crate) struct Shape(pub(crate) Vec<usize>);

impl<'py> FromPyObject<'_, 'py> for Shape {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        several(&given, "shape").map(Self)
    }
}

/// Indices along an axis, from 0 on.
pub(crate) struct Indices(pub(crate) Vec<usize>);

impl<'py> FromPyObject<'_, 'py> for Indices {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        several(&given, "indices").map(Self)
    }
}

/// Axes, or other numbers that may be below zero: one, or several.
pub(crate) struct Axes(pub(crate) SmallVec<[isize; 4]>);

impl<'py> FromPyObject<'_, 'py> for Axes {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        several(&given, "axes").map(Self)
    }
}

/// What is said of axes: the same of all, or something of each.
pub(crate) enum PerAxis<T> {
    All(T),
    Each(Vec<T>),
}

impl<'py, T> FromPyObject<'_, 'py> for PerAxis<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match (given.extract(), items(&given)) {
            (Ok(one), _) => Ok(Self::All(one)),
            (Err(_), Some(items)) => {
                let each: PyResult<_> = items.map(|item| item?.extract()).collect();
                Ok(Self::Each(each?))
            }
            // What is neither one nor several is refused in the words for one.
            (Err(error), None) => Err(error),
        }
    }
}

impl<T: Clone> PerAxis<T> {
    /// One for each of `count` axes.
    pub(crate) fn of(self, count: usize, operator: &str, what: &str) -> PyResult<Vec<T>> {
        match self {
            Self::All(one) => Ok(vec![one; count]),
            Self::Each(items) if items.len() == count => Ok(items),
            Self::Each(items) => {
                let why = format!("{operator}: {} {what} for {count} axes", items.len());
                refuse(Class::Parameter, why)
            }
        }
    }
}

/// One, or several in an order.
fn several<'py, T, C>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<C>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
    C: FromIterator<T>,
{
    match items(given) {
        Some(items) => items.map(|item| number(&item?, what)).collect(),
        None => Ok(std::iter::once(number(given, what)?).collect()),
    }
}

/// An integer, which neither `True` nor `False` is.
fn number<'py, T>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let number = if given.is_instance_of::<PyBool>() { None } else { Some(given.extract()) };
    match number {
        Some(Ok(number)) => Ok(number),
        Some(Err(error)) if error.is_instance_of::<PyOverflowError>(given.py()) => {
            refuse(Class::Parameter, format!("{what}: {given} is below zero, or too large"))
        }
        _ => {
            let class = given.get_type();
            let class = class.name().map_or_else(|_| String::new(), |name| name.to_string());
            let why = format!("{what}: expected an integer or several, not {class}");
            Err(PyTypeError::new_err(why))
        }
    }
}

/// Goes through what has several, in an order: not what can be gone through, but has none, or is a text.
fn items<'py>(given: &Bound<'py, PyAny>) -> Option<Bound<'py, PyIterator>> {
    let other = given.is_instance_of::<PyString>()
        || given.is_instance_of::<PyDict>()
        || given.is_instance_of::<PySet>();
    if other { None } else { given.try_iter().ok() }
}

/// Extents as Python shows them.
pub(crate) fn tuple<'py>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, shape)
}

impl Axes {
    /// The last one.
    pub(crate) fn last() -> Self {
        Self(SmallVec::from_slice(&[-1]))
    }

    /// The last two.
    pub(crate) fn last_two() -> Self {
        Self(SmallVec::from_slice(&[-2, -1]))
    }
}
