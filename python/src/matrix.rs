//! Operators as matrices, and traces.

use arrayspan::bridge::{Array, DType};
use arrayspan::operators::{LinearMap, Operator, Sampler, Sparse, TraceEstimator, TraceMethod};
use num_complex::Complex64;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyTuple};

use crate::constructors::choice::{Choice, Named};
use crate::error::Result;
use crate::kind::Kind;

impl Named for TraceMethod {
    const WHAT: &str = "method";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("hutchinson", Self::Hutchinson),
        ("hutch++", Self::HutchPlusPlus),
        ("na-hutch++", Self::NaHutchPlusPlus),
    ];
}

impl Named for Sampler {
    const WHAT: &str = "sampler";
    const NAMES: &'static [(&'static str, Self)] =
        &[("rademacher", Self::Rademacher), ("gaussian", Self::Gaussian)];
}

/// The matrix of an operator, as `NumPy`'s if it is in the memory of the host.
pub(crate) fn dense<'py>(py: Python<'py>, a: &Operator) -> Result<Bound<'py, PyAny>> {
    let matrix = py.detach(|| a.to_dense())?;
    Kind::NumPy.give(py, matrix)
}

/// ``((values, indices, indptr), shape)`` of compressed sparse rows, as SciPy's ``csr_array`` takes them.
pub(crate) fn sparse<'py>(py: Python<'py>, a: &Operator) -> Result<Bound<'py, PyTuple>> {
    let complex = a.range().dtype().is_complex();
    let Sparse { shape, indptr, indices, values, .. } = py.detach(|| a.to_sparse())?;
    let integers = |numbers: Vec<usize>| -> Result<Array> {
        let numbers: Vec<i64> = numbers.into_iter().map(|number| number as i64).collect();
        Ok(Array::from(numbers))
    };
    let values = if complex {
        Array::from(values)
    } else {
        Array::from(values.into_iter().map(|value| value.re).collect::<Vec<_>>())
    };
    let parts = [values, integers(indices)?, integers(indptr)?];
    let parts: Vec<_> =
        parts.into_iter().map(|part| Kind::NumPy.give(py, part)).collect::<Result<_>>()?;
    let shape = PyTuple::new(py, shape)?;
    Ok(PyTuple::new(py, [PyTuple::new(py, parts)?.into_any(), shape.into_any()])?)
}

/// How a trace is found.
pub(crate) struct Estimate {
    pub(crate) method: Choice<TraceMethod>,
    pub(crate) sampler: Choice<Sampler>,
    pub(crate) evaluations: usize,
    pub(crate) seed: u64,
}

/// The sum of the diagonal: exact, or estimated.
pub(crate) fn trace<'py>(
    py: Python<'py>,
    a: &Operator,
    estimate: Option<Estimate>,
) -> Result<Bound<'py, PyAny>> {
    let trace = py.detach(|| match estimate {
        None => a.trace(),
        Some(Estimate { method, sampler, evaluations, seed }) => {
            TraceEstimator { method: method.0, sampler: sampler.0, evaluations, seed }.of(a)
        }
    })?;
    Ok(number(py, trace, a.range().dtype()))
}

/// A number of the dtype, as Python's.
fn number(py: Python<'_>, number: Complex64, dtype: DType) -> Bound<'_, PyAny> {
    if dtype.is_complex() {
        PyComplex::from_doubles(py, number.re, number.im).into_any()
    } else {
        PyFloat::new(py, number.re).into_any()
    }
}
