//! Shapes as Python writes them.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyIterator, PySet, PyString, PyTuple};
use smallvec::SmallVec;

use crate::error::{Class, refuse};
use crate::integer::{self, Integer};

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

/// What may be said of an axis: integers, and whether something is done.
pub(crate) trait OfAxis: Sized {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self>;
}

impl<T: Integer> OfAxis for T {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        T::read(given, "")
    }
}

impl OfAxis for bool {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        given.extract()
    }
}

impl<T: OfAxis> FromPyObject<'_, '_> for PerAxis<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match (T::read(&given), items(&given)) {
            (Ok(one), _) => Ok(Self::All(one)),
            (Err(_), Some(items)) => {
                let each: PyResult<_> = items.map(|item| T::read(&item?)).collect();
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

/// One of several integers, or the only one.
fn number<'py, T>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    integer::one(given, what, "an integer or several")
}

/// Goes through what has several, in an order: not what can be gone through, but has none, or is a text.
fn items<'py>(given: &Bound<'py, PyAny>) -> Option<Bound<'py, PyIterator>> {
    let other = given.is_instance_of::<PyString>()
        || given.is_instance_of::<PyBytes>()
        || given.is_instance_of::<PyByteArray>()
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
