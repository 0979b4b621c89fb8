//! What is of spectra.
#![allow(clippy::doc_markdown, reason = "docstrings of Python, in reStructuredText")]

use arrayspan::bridge::Array;
use arrayspan::devices::Device;
use arrayspan::operators::{LinearMap, Operator};
use arrayspan::solvers as of;
use arrayspan::solvers::Which;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::argument::{maybe, operator};
use crate::constructors::choice::{Choice, Named};
use crate::device::OnDevice;
use crate::error::Result;
use crate::integer::integer;
use crate::interrupt;
use crate::kind::Kind;
use crate::operator::PyOperator;
use crate::solvers::stop;

impl Named for Which {
    const WHAT: &str = "which";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("largest magnitude", Self::LargestMagnitude),
        ("largest", Self::Largest),
        ("smallest", Self::Smallest),
        ("both ends", Self::BothEnds),
    ];
}

/// Where it is computed: where the caller says, or where the operator's models are, or on the CPU.
fn place(a: &Operator, device: Option<OnDevice>) -> Device {
    let own = a.devices().map_or_else(Device::cpu, |devices| devices.domain);
    device.map_or(own, |device| device.0)
}

/// Arrays of the host are those of `NumPy`; others are ours.
fn give(py: Python<'_>, array: Array) -> Result<Bound<'_, PyAny>> {
    Kind::NumPy.give(py, array)
}

/// Facts with names, as attributes.
fn facts<'py>(py: Python<'py>, facts: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    py.import("types")?.getattr("SimpleNamespace")?.call((), Some(facts))
}

/// Eigenvalues and eigenvectors of a self-adjoint operator, by a restarted Lanczos method.
///
#[doc = include_str!("../docs/solvers/eigs.txt")]
#[pyfunction]
#[pyo3(signature = (a, count=6, *, which=Choice(Which::LargestMagnitude), basis=None, tolerance=1e-10, restarts=300, seed=1, device=None))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn eigs<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    #[pyo3(from_py_with = integer)] count: usize,
    which: Choice<Which>,
    #[pyo3(from_py_with = integer)] basis: Option<usize>,
    tolerance: f64,
    #[pyo3(from_py_with = integer)] restarts: usize,
    #[pyo3(from_py_with = integer)] seed: u64,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let solver = of::Eigs { count, which: which.0, basis, tolerance, restarts, seed };
    let device = place(&a.0, device);
    pairs(py, interrupt::within(py, device, |on| solver.of_on(&a.0, on))?)
}

/// As ``eigs``, of a few at one end, with a preconditioner: an operator that is nearly the inverse.
///
#[doc = include_str!("../docs/solvers/lobpcg.txt")]
#[pyfunction]
#[pyo3(signature = (a, count=4, *, which=Choice(Which::Smallest), preconditioner=None, tolerance=1e-8, iterations=500, seed=1, device=None))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn lobpcg<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    #[pyo3(from_py_with = integer)] count: usize,
    which: Choice<Which>,
    #[pyo3(from_py_with = maybe)] preconditioner: Option<&PyOperator>,
    tolerance: f64,
    #[pyo3(from_py_with = integer)] iterations: usize,
    #[pyo3(from_py_with = integer)] seed: u64,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let preconditioner = preconditioner.map(|operator| operator.0.clone());
    let solver = of::Lobpcg { count, which: which.0, preconditioner, tolerance, iterations, seed };
    let device = place(&a.0, device);
    pairs(py, interrupt::within(py, device, |on| solver.of_on(&a.0, on))?)
}

fn pairs(py: Python<'_>, found: of::Eigenpairs) -> Result<Bound<'_, PyAny>> {
    let named = PyDict::new(py);
    named.set_item("values", found.values)?;
    named.set_item("vectors", give(py, found.vectors)?)?;
    named.set_item("residuals", found.residuals)?;
    named.set_item("applications", found.applications)?;
    named.set_item("stopped", stop::name(found.stopped))?;
    Ok(facts(py, &named)?)
}

/// Singular values and vectors, by a restarted Golub-Kahan bidiagonalisation.
///
#[doc = include_str!("../docs/solvers/svds.txt")]
#[pyfunction]
#[pyo3(signature = (a, count=6, *, which=Choice(Which::Largest), basis=None, tolerance=1e-10, restarts=300, seed=1, device=None))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn svds<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    #[pyo3(from_py_with = integer)] count: usize,
    which: Choice<Which>,
    #[pyo3(from_py_with = integer)] basis: Option<usize>,
    tolerance: f64,
    #[pyo3(from_py_with = integer)] restarts: usize,
    #[pyo3(from_py_with = integer)] seed: u64,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let solver = of::Svds { count, which: which.0, basis, tolerance, restarts, seed };
    let device = place(&a.0, device);
    let found = interrupt::within(py, device, |on| solver.of_on(&a.0, on))?;
    let named = PyDict::new(py);
    named.set_item("left", give(py, found.left)?)?;
    named.set_item("values", found.values)?;
    named.set_item("right", give(py, found.right)?)?;
    named.set_item("residuals", found.residuals)?;
    named.set_item("applications", found.applications)?;
    named.set_item("stopped", stop::name(found.stopped))?;
    Ok(facts(py, &named)?)
}

/// Singular values and vectors of nearly low rank, from random samples of the range.
///
#[doc = include_str!("../docs/solvers/randomized_svd.txt")]
#[pyfunction]
#[pyo3(signature = (a, count=6, *, oversampling=10, powers=2, tolerance=None, seed=1, device=None))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn randomized_svd<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    #[pyo3(from_py_with = integer)] count: usize,
    #[pyo3(from_py_with = integer)] oversampling: usize,
    #[pyo3(from_py_with = integer)] powers: usize,
    tolerance: Option<f64>,
    #[pyo3(from_py_with = integer)] seed: u64,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let solver = of::RandomizedSvd { count, oversampling, powers, tolerance, seed };
    let device = place(&a.0, device);
    let found = interrupt::within(py, device, |on| solver.of_on(&a.0, on))?;
    let named = PyDict::new(py);
    named.set_item("left", give(py, found.left)?)?;
    named.set_item("values", found.values)?;
    named.set_item("right", give(py, found.right)?)?;
    named.set_item("error", found.error)?;
    named.set_item("applications", found.applications)?;
    named.set_item("stopped", stop::name(found.stopped))?;
    Ok(facts(py, &named)?)
}

/// The eigenvalue of largest magnitude of a square operator, and its vector.
///
#[doc = include_str!("../docs/solvers/power_iteration.txt")]
#[pyfunction]
#[pyo3(signature = (a, *, tolerance=1e-6, iterations=1000, seed=1, check_every=10, device=None))]
pub(crate) fn power_iteration<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    tolerance: f64,
    #[pyo3(from_py_with = integer)] iterations: usize,
    #[pyo3(from_py_with = integer)] seed: u64,
    #[pyo3(from_py_with = integer)] check_every: usize,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let solver = of::PowerIteration { tolerance, iterations, seed, check_every };
    let device = place(&a.0, device);
    let found = interrupt::within(py, device, |on| solver.of_on(&a.0, on))?;
    let named = PyDict::new(py);
    named.set_item("value", found.value)?;
    named.set_item("vector", give(py, found.vector)?)?;
    named.set_item("residual", found.residual)?;
    named.set_item("iterations", found.iterations)?;
    named.set_item("stopped", stop::name(found.stopped))?;
    Ok(facts(py, &named)?)
}

/// The ratio of the largest to the smallest singular value.
#[pyfunction]
#[pyo3(signature = (a, *, device=None))]
pub(crate) fn cond<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let device = place(&a.0, device);
    let found = interrupt::within(py, device, |on| of::cond_on(&a.0, on))?;
    let named = PyDict::new(py);
    named.set_item("value", found.value)?;
    named.set_item("largest", found.largest)?;
    named.set_item("smallest", found.smallest)?;
    named.set_item("residuals", found.residuals.to_vec())?;
    named.set_item("stopped", stop::name(found.stopped))?;
    Ok(facts(py, &named)?)
}

/// Bounds of the norm, the largest singular value; the upper one fails with the probability ``failure``.
///
#[doc = include_str!("../docs/solvers/norm_estimate.txt")]
#[pyfunction]
#[pyo3(signature = (a, *, tolerance=0.1, failure=1e-6, iterations=30, seed=1, check_every=5, device=None))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn norm_estimate<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    tolerance: f64,
    failure: f64,
    #[pyo3(from_py_with = integer)] iterations: usize,
    #[pyo3(from_py_with = integer)] seed: u64,
    #[pyo3(from_py_with = integer)] check_every: usize,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let solver = of::NormEstimator { tolerance, failure, iterations, seed, check_every };
    let device = place(&a.0, device);
    let found = interrupt::within(py, device, |on| solver.of_on(&a.0, on))?;
    let named = PyDict::new(py);
    named.set_item("lower", found.lower)?;
    named.set_item("upper", found.upper)?;
    named.set_item("iterations", found.iterations)?;
    named.set_item("stopped", stop::name(found.stopped))?;
    Ok(facts(py, &named)?)
}

/// The logarithm of the determinant of a self-adjoint positive operator, with the error of an estimate.
///
#[doc = include_str!("../docs/solvers/log_det.txt")]
#[pyfunction]
#[pyo3(signature = (a, *, probes=20, steps=30, exact=128, seed=1, device=None))]
pub(crate) fn log_det<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    #[pyo3(from_py_with = integer)] probes: usize,
    #[pyo3(from_py_with = integer)] steps: usize,
    #[pyo3(from_py_with = integer)] exact: usize,
    #[pyo3(from_py_with = integer)] seed: u64,
    device: Option<OnDevice>,
) -> Result<Bound<'py, PyAny>> {
    let solver = of::LogDet { probes, steps, exact, seed };
    let device = place(&a.0, device);
    let found = interrupt::within(py, device, |on| solver.of_on(&a.0, on))?;
    let named = PyDict::new(py);
    named.set_item("value", found.value)?;
    named.set_item("error", found.error)?;
    named.set_item("applications", found.applications)?;
    named.set_item("stopped", stop::name(found.stopped))?;
    Ok(facts(py, &named)?)
}
