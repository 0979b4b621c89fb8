//! Operators of operators.

use arrayspan::operators::{self as of, Operator};
use pyo3::prelude::*;

use crate::error::Result;
use crate::operator::PyOperator;

/// Several operators, as any iterable of them gives.
fn parts(operators: Vec<PyRef<'_, PyOperator>>) -> Vec<Operator> {
    operators.iter().map(|operator| operator.0.clone()).collect()
}

/// The data of several operators on one model, one after the other.
#[pyfunction]
pub(crate) fn vstack(operators: Vec<PyRef<'_, PyOperator>>) -> Result<PyOperator> {
    Ok(of::vstack(parts(operators))?.into())
}

/// The data of several models, added up.
#[pyfunction]
pub(crate) fn hstack(operators: Vec<PyRef<'_, PyOperator>>) -> Result<PyOperator> {
    Ok(of::hstack(parts(operators))?.into())
}

/// The data of several operators on one model, along a new first axis.
#[pyfunction]
pub(crate) fn stack(operators: Vec<PyRef<'_, PyOperator>>) -> Result<PyOperator> {
    Ok(of::stack(parts(operators))?.into())
}

/// Each operator on its own part of the model.
#[pyfunction]
pub(crate) fn block_diagonal(operators: Vec<PyRef<'_, PyOperator>>) -> Result<PyOperator> {
    Ok(of::block_diagonal(parts(operators))?.into())
}

/// ``A`` along the first axes and ``B`` along the last ones.
///
#[doc = include_str!("../../docs/operators/Kronecker.txt")]
#[pyfunction(name = "Kronecker")]
pub(crate) fn kronecker(a: &PyOperator, b: &PyOperator) -> Result<PyOperator> {
    Ok(of::Kronecker::new(&a.0, &b.0)?.into())
}
