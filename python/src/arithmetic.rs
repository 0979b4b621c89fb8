//! Arithmetic of `arrayspan.Array`, computed where the arrays are.

use arrayspan::bridge::{Array, Conversion, Elementwise};
use arrayspan::kernels::Vector;
use num_complex::Complex64;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::array::PyArray;
use crate::error::{Class, Result, refuse};
use crate::incoming::{self, Given};
use crate::protocol;

/// What is made of two arrays, or of an array and a number, element by element.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    fn of<'a>(self, a: Elementwise<'a>, b: Elementwise<'a>) -> Elementwise<'a> {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
        }
    }
}

/// Which operand an array is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// What stands on the other side.
enum Other {
    Array(Given),
    Number(Complex64),
}

impl Other {
    /// `None` of what is neither an array nor a number.
    fn read(given: &Bound<'_, PyAny>) -> Result<Option<Self>> {
        if incoming::is_near(given) || protocol::is_spoken_by(given)? {
            return Ok(Some(Self::Array(incoming::read(given, "operand")?)));
        }
        match given.extract() {
            Ok(number) => Ok(Some(Self::Number(number))),
            Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => Ok(None),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
                Ok(refuse(Class::Parameter, format!("operand: {given} is too large"))?)
            }
            // What the object itself has raised.
            Err(error) => Err(error.into()),
        }
    }

    fn value(&self) -> Elementwise<'_> {
        match self {
            Self::Array(given) => given.view().into(),
            // So that nothing of real arrays is complex.
            Self::Number(number) if number.im == 0.0 => number.re.into(),
            Self::Number(number) => (*number).into(),
        }
    }

    fn settle(&self) -> Result<()> {
        match self {
            Self::Array(given) => given.settle(),
            Self::Number(_) => Ok(()),
        }
    }
}

/// An array and something else, in one pass; `None` if that is neither an array nor a number.
pub(crate) fn of_two(
    array: &PyArray,
    operation: Operation,
    other: &Bound<'_, PyAny>,
    side: Side,
) -> Result<Option<PyArray>> {
    let Some(other_read) = Other::read(other)? else { return Ok(None) };
    let result = other.py().detach(|| {
        let own = array.lent();
        let (own, other) = (Elementwise::from(own.view()), other_read.value());
        let (a, b) = if side == Side::Left { (own, other) } else { (other, own) };
        let result = operation.of(a, b).compute()?;
        other_read.settle()?;
        array.settle()?;
        Ok(result)
    });
    result.map(|result: Array| Some(PyArray::new(result)))
}

/// What is made of an array alone.
pub(crate) fn of_one(
    py: Python<'_>,
    array: &PyArray,
    make: impl FnOnce(Elementwise<'_>) -> arrayspan::kernels::Result<Array> + Send,
) -> Result<PyArray> {
    py.detach(|| {
        let result = make(array.lent().view().into())?;
        array.settle()?;
        Ok(PyArray::new(result))
    })
}

/// The absolute values of an array, which are real.
pub(crate) fn absolute(py: Python<'_>, array: &PyArray) -> Result<PyArray> {
    of_one(py, array, |value| {
        let result = value.abs().compute()?;
        let dtype = result.dtype();
        if !dtype.is_complex() {
            return Ok(result);
        }
        let stream = result.device().stream()?;
        let parts = Conversion::WRAP.dropping_imaginary();
        Ok(result.view().convert(dtype.real(), &parts, &stream)?)
    })
}

/// `Σ conj(array) · other`.
pub(crate) fn dot(array: &PyArray, other: &Bound<'_, PyAny>) -> Result<PyArray> {
    let given = incoming::read(other, "other")?;
    other.py().detach(|| {
        let result = array.lent().view().dot(given.view())?;
        given.settle()?;
        array.settle()?;
        Ok(PyArray::new(result))
    })
}
