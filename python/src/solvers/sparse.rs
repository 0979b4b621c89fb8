//! Solvers for models that are sparse.

use arrayspan::bridge::SharedArray;
use arrayspan::solvers::sparse::{
    Constraint, Fista, Irls, Ista, Omp, Reweighted, Shrunk, Smoothed, Spgl1, SplitBregman,
};
use arrayspan::solvers::{Cgls, Lsqr, Sparsity, Stop, Threshold};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Asked;
use super::solution::PySolution;
use super::stop::Stopping;
use crate::argument::{maybe, operator};
use crate::error::{Class, Result, refuse};
use crate::incoming;
use crate::integer::integer;
use crate::operator::PyOperator;

/// What is sparse, and how much that counts.
fn sparsity(
    weight: f64,
    (threshold, keep): (&str, Option<f64>),
    basis: Option<&PyOperator>,
    decay: Option<Vec<f64>>,
) -> Result<Sparsity> {
    let threshold = match (threshold, keep) {
        ("soft", None) => Threshold::Soft,
        ("hard", None) => Threshold::Hard,
        ("half", None) => Threshold::Half,
        ("soft", Some(percent)) => Threshold::SoftKeeping(percent),
        ("hard", Some(percent)) => Threshold::HardKeeping(percent),
        ("half", Some(percent)) => Threshold::HalfKeeping(percent),
        _ => refuse(
            Class::Parameter,
            format!("threshold '{threshold}': expected one of soft, hard, half"),
        )?,
    };
    let (basis, decay) = (basis.map(|basis| basis.0.clone()), decay.unwrap_or_default());
    Ok(Sparsity { weight, threshold, basis, decay })
}

/// ``min ‖y - A x‖² + weight ‖x‖₁`` and the like by thresholded gradient steps (ISTA). ``keep`` percent of the elements are kept where it is
/// said. With ``backtracking`` steps that are too long are noticed and halved, from ``step`` on.
///
#[doc = include_str!("../../docs/solvers/ista.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, weight=0.1, threshold="soft", keep=None, basis=None, decay=None, step=None, backtracking=false, callback=None, **stop))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn ista<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    weight: f64,
    threshold: &str,
    keep: Option<f64>,
    #[pyo3(from_py_with = maybe)] basis: Option<&PyOperator>,
    decay: Option<Vec<f64>>,
    step: Option<f64>,
    backtracking: bool,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("ista", stop)?;
    let sparsity = sparsity(weight, (threshold, keep), basis, decay)?;
    let solver = Ista { sparsity, step, backtracking, restart: false, stop, check_every };
    Asked { a, y, start, callback, workspace }.solve(&solver)
}

/// As ``ista``, accelerated (FISTA); with ``restart`` it begins anew with its momentum whenever the objective has risen.
///
#[doc = include_str!("../../docs/solvers/fista.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, weight=0.1, threshold="soft", keep=None, basis=None, decay=None, step=None, backtracking=false, restart=false, callback=None, **stop))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn fista<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    weight: f64,
    threshold: &str,
    keep: Option<f64>,
    #[pyo3(from_py_with = maybe)] basis: Option<&PyOperator>,
    decay: Option<Vec<f64>>,
    step: Option<f64>,
    backtracking: bool,
    restart: bool,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("fista", stop)?;
    let sparsity = sparsity(weight, (threshold, keep), basis, decay)?;
    let solver = Fista { sparsity, step, backtracking, restart, stop, check_every };
    Asked { a, y, start, callback, workspace }.solve(&solver)
}

/// Least squares with the norm 1 of the residual (``kind="data"``), of the model (``"model"``) or of both (``"datamodel"``), by least-squares
/// problems with new weights, ``iterations`` of them, each of ``inner`` iterations.
///
#[doc = include_str!("../../docs/solvers/irls.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, *, kind="data", iterations=10, tolerance=1e-10, epsilon=1e-10, clipped=false, damping=1e-10, warm=false, inner=100, inner_residual=1e-8, inner_gradient=1e-8))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn irls(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'_, PyAny>,
    kind: &str,
    #[pyo3(from_py_with = integer)] iterations: usize,
    tolerance: f64,
    epsilon: f64,
    clipped: bool,
    damping: f64,
    warm: bool,
    #[pyo3(from_py_with = integer)] inner: usize,
    inner_residual: f64,
    inner_gradient: f64,
) -> Result<PySolution> {
    let kind = match kind {
        "data" => Reweighted::Data,
        "model" => Reweighted::Model,
        "datamodel" => Reweighted::DataModel,
        _ => refuse(
            Class::Parameter,
            format!("kind '{kind}': expected one of data, model, datamodel"),
        )?,
    };
    let stop = inner_stop(inner, inner_residual, inner_gradient);
    let least_squares = Cgls { stop, ..Cgls::default() };
    let solver =
        Irls { kind, iterations, tolerance, epsilon, clipped, damping, warm, least_squares };
    Asked { a, y, start: None, callback: None, workspace: None }
        .solve_by(|a, y, watch| solver.solve_with(a, y, watch))
}

fn inner_stop(iterations: usize, residual: f64, gradient: f64) -> Stop {
    Stop { iterations, residual, gradient, ..Stop::default() }
}

/// Orthogonal matching pursuit: one more column in each iteration.
///
#[doc = include_str!("../../docs/solvers/omp.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, *, iterations=10, residual=1e-8, absolute=0.0, normalize=false, inner=100, inner_residual=1e-8, inner_gradient=1e-8))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn omp(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] iterations: usize,
    residual: f64,
    absolute: f64,
    normalize: bool,
    #[pyo3(from_py_with = integer)] inner: usize,
    inner_residual: f64,
    inner_gradient: f64,
) -> Result<PySolution> {
    let stop = inner_stop(inner, inner_residual, inner_gradient);
    let least_squares = Lsqr { stop, ..Lsqr::default() };
    let solver = Omp { iterations, residual, absolute, normalize, least_squares };
    Asked { a, y, start: None, callback: None, workspace: None }
        .solve_by(|a, y, watch| solver.solve_with(a, y, watch))
}

/// ``min ‖x‖₁`` with ``‖y - A x‖ ≤ misfit``, or, with ``norm``, ``min ‖y - A x‖`` with ``‖x‖₁ ≤ norm`` (SPGL1).
///
#[doc = include_str!("../../docs/solvers/spgl1.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, *, misfit=None, norm=None, iterations=1000, tolerance=1e-6))]
pub(crate) fn spgl1(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'_, PyAny>,
    misfit: Option<f64>,
    norm: Option<f64>,
    #[pyo3(from_py_with = integer)] iterations: usize,
    tolerance: f64,
) -> Result<PySolution> {
    let constraint = match (misfit, norm) {
        (misfit, None) => Constraint::Misfit(misfit.unwrap_or(0.0)),
        (None, Some(norm)) => Constraint::Norm(norm),
        _ => refuse(Class::Parameter, "spgl1: either misfit or norm")?,
    };
    let solver = Spgl1 { constraint, iterations, tolerance };
    Asked { a, y, start: None, callback: None, workspace: None }
        .solve_by(|a, y, watch| solver.solve_with(a, y, watch))
}

/// An operator, its weight, and what its data are to be.
type SmoothedTerm<'py> = (PyRef<'py, PyOperator>, f64, Option<Bound<'py, PyAny>>);

/// Total variation and the like by split Bregman iterations: ``μ/2 ‖y - A x‖²`` beside norms 1 of ``l1``, triples of operator, weight and whether the
/// norm is isotropic, and squares of ``l2``, triples of operator, weight and target or ``None``.
///
#[doc = include_str!("../../docs/solvers/split_bregman.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, l1, l2=None, start=None, *, mu=1.0, relaxation=1.0, iterations=50, inner=3, tolerance=1e-8, restart=false, inner_iterations=100, inner_residual=1e-8, inner_gradient=1e-8))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn split_bregman<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    l1: Vec<(PyRef<'py, PyOperator>, f64, bool)>,
    l2: Option<Vec<SmoothedTerm<'py>>>,
    start: Option<&Bound<'py, PyAny>>,
    mu: f64,
    relaxation: f64,
    #[pyo3(from_py_with = integer)] iterations: usize,
    #[pyo3(from_py_with = integer)] inner: usize,
    tolerance: f64,
    restart: bool,
    #[pyo3(from_py_with = integer)] inner_iterations: usize,
    inner_residual: f64,
    inner_gradient: f64,
) -> Result<PySolution> {
    let shrunk = l1.into_iter().map(|(operator, weight, isotropic)| Shrunk {
        operator: operator.0.clone(),
        weight,
        isotropic,
    });
    let smoothed = l2.into_iter().flatten().map(|(operator, weight, target)| -> Result<_> {
        let target = target.map(|target| incoming::copied(&target, "target")).transpose()?;
        let (operator, target) = (operator.0.clone(), target.map(SharedArray::from));
        Ok(Smoothed { operator, weight, target })
    });
    let stop = inner_stop(inner_iterations, inner_residual, inner_gradient);
    let (l1, l2) = (shrunk.collect(), smoothed.collect::<Result<_>>()?);
    let least_squares = Lsqr { stop, ..Lsqr::default() };
    let solver = SplitBregman {
        l1,
        l2,
        mu,
        relaxation,
        iterations,
        inner,
        tolerance,
        restart,
        least_squares,
    };
    let start = start.map(|start| incoming::copied(start, "start")).transpose()?;
    Asked { a, y, start: None, callback: None, workspace: None }
        .solve_by(move |a, y, watch| solver.solve_with(a, y, start.as_ref(), watch))
}
