//! Krylov solvers.

use arrayspan::solvers as of;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Asked;
use super::solution::PySolution;
use super::stop::Stopping;
use crate::argument::{maybe, operator};
use crate::error::Result;
use crate::integer::integer;
use crate::operator::PyOperator;

/// Least squares ``min ‖y - A x‖² + damping² ‖x‖²`` by conjugate gradients (CGLS).
///
#[doc = include_str!("../../docs/solvers/cgls.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, damping=0.0, callback=None, **stop))]
pub(crate) fn cgls<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    damping: f64,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("cgls", stop)?;
    Asked { a, y, start, callback, workspace }.solve(&of::Cgls { damping, stop, check_every })
}

/// As ``cgls``, with one reduction an iteration.
///
#[doc = include_str!("../../docs/solvers/single_reduction_cgls.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, damping=0.0, callback=None, **stop))]
pub(crate) fn single_reduction_cgls<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    damping: f64,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("single_reduction_cgls", stop)?;
    Asked { a, y, start, callback, workspace }.solve(&of::SingleReductionCgls {
        damping,
        stop,
        check_every,
    })
}

/// Least squares ``min ‖y - A x‖² + damping² ‖x‖²`` by bidiagonalisation (LSQR).
///
#[doc = include_str!("../../docs/solvers/lsqr.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, damping=0.0, callback=None, **stop))]
pub(crate) fn lsqr<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    damping: f64,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("lsqr", stop)?;
    Asked { a, y, start, callback, workspace }.solve(&of::Lsqr { damping, stop, check_every })
}

/// Least squares ``min ‖y - A x‖² + damping² ‖x‖²`` with gradients that never grow (LSMR).
///
#[doc = include_str!("../../docs/solvers/lsmr.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, damping=0.0, callback=None, **stop))]
pub(crate) fn lsmr<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    damping: f64,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("lsmr", stop)?;
    Asked { a, y, start, callback, workspace }.solve(&of::Lsmr { damping, stop, check_every })
}

/// ``A x = y`` with ``A`` self-adjoint and positive, by conjugate gradients.
///
#[doc = include_str!("../../docs/solvers/cg.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, preconditioner=None, callback=None, **stop))]
pub(crate) fn cg<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = maybe)] preconditioner: Option<&PyOperator>,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("cg", stop)?;
    let preconditioner = preconditioner.map(|operator| operator.0.clone());
    Asked { a, y, start, callback, workspace }.solve(&of::Cg { preconditioner, stop, check_every })
}

/// As ``cg``, with one reduction an iteration.
///
#[doc = include_str!("../../docs/solvers/single_reduction_cg.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, preconditioner=None, callback=None, **stop))]
pub(crate) fn single_reduction_cg<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = maybe)] preconditioner: Option<&PyOperator>,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("single_reduction_cg", stop)?;
    let preconditioner = preconditioner.map(|operator| operator.0.clone());
    Asked { a, y, start, callback, workspace }.solve(&of::SingleReductionCg {
        preconditioner,
        stop,
        check_every,
    })
}

/// ``A x = y`` with ``A`` self-adjoint, of any sign.
///
#[doc = include_str!("../../docs/solvers/minres.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, callback=None, **stop))]
pub(crate) fn minres<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("minres", stop)?;
    Asked { a, y, start, callback, workspace }.solve(&of::Minres { stop, check_every })
}

/// ``A x = y`` with any square ``A``, in cycles of ``restart`` iterations that keep as many vectors.
///
#[doc = include_str!("../../docs/solvers/gmres.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, restart=30, preconditioner=None, callback=None, **stop))]
pub(crate) fn gmres<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = integer)] restart: usize,
    #[pyo3(from_py_with = maybe)] preconditioner: Option<&PyOperator>,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("gmres", stop)?;
    let preconditioner = preconditioner.map(|operator| operator.0.clone());
    Asked { a, y, start, callback, workspace }.solve(&of::Gmres {
        restart,
        preconditioner,
        stop,
        check_every,
    })
}

/// ``A x = y`` with any square ``A``, in few vectors.
///
#[doc = include_str!("../../docs/solvers/bicgstab.txt")]
#[pyfunction]
#[pyo3(signature = (a, y, start=None, *, preconditioner=None, callback=None, **stop))]
pub(crate) fn bicgstab<'py>(
    #[pyo3(from_py_with = operator)] a: &PyOperator,
    y: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = maybe)] preconditioner: Option<&PyOperator>,
    callback: Option<Py<PyAny>>,
    stop: Option<&Bound<'py, PyDict>>,
) -> Result<PySolution> {
    let Stopping { stop, check_every, workspace } = Stopping::of("bicgstab", stop)?;
    let preconditioner = preconditioner.map(|operator| operator.0.clone());
    Asked { a, y, start, callback, workspace }.solve(&of::BiCgStab {
        preconditioner,
        stop,
        check_every,
    })
}
