//! Constructors of operators, in the terms of the Rust library.
#![allow(clippy::doc_markdown, reason = "docstrings of Python, in reStructuredText")]

pub(crate) mod algebra;
pub(crate) mod basic;
pub(crate) mod choice;
pub(crate) mod curvelets;
pub(crate) mod curves;
pub(crate) mod derivative;
pub(crate) mod filters;
pub(crate) mod fourier;
pub(crate) mod functions;
pub(crate) mod medical;
pub(crate) mod signal;
pub(crate) mod slopes;
pub(crate) mod transforms;
pub(crate) mod windows;

use arrayspan::bridge::{Conversion, DType, SharedArray};
use arrayspan::operators::Space;
use pyo3::prelude::*;

use crate::dtype::Named;
use crate::error::Result;
use crate::incoming;
use crate::shape::Shape;
use crate::watch::PyInPlace;

/// The dtype of operators for which none is said.
pub(crate) const DTYPE: Named = Named(DType::Float32);

fn space(shape: Shape, dtype: Named) -> Result<Space> {
    Ok(Space::new(shape.0, dtype.0)?)
}

/// What an operator keeps of an array: a copy, so that nobody changes the operator by writing the array later, unless it is to be read where
/// it is.
fn kept(array: &Bound<'_, PyAny>, what: &str) -> Result<SharedArray> {
    if let Ok(array) = array.cast::<PyInPlace>() {
        return Ok(array.get().shared().clone());
    }
    Ok(incoming::copied(array, what)?.into_shared())
}

/// Numbers for a table of the host: a sequence, or an array of any dtype that `Float64` holds.
fn numbers(given: &Bound<'_, PyAny>, what: &str) -> Result<Vec<f64>> {
    if let Ok(numbers) = given.extract() {
        return Ok(numbers);
    }
    let array = incoming::copied(given, what)?;
    given.py().detach(|| {
        let stream = array.device().stream()?;
        let numbers = array.view().convert(DType::Float64, &Conversion::WRAP, &stream)?;
        Ok(numbers.to_vec()?)
    })
}
