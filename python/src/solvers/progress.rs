//! Python functions that watch solvers, and Ctrl-C.

use std::ops::ControlFlow;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use arrayspan::bridge::{Array, View};
use arrayspan::solvers::{Observer, Progress};
use pyo3::prelude::*;

use super::stop;
use crate::error::{Class, Result};
use crate::kind::Kind;

/// What a callback is told.
#[pyclass(frozen, name = "Progress", module = "arrayspan.solvers")]
pub(crate) struct PyProgress {
    /// The solver.
    #[pyo3(get)]
    solver: &'static str,
    /// Iterations done.
    #[pyo3(get)]
    iteration: usize,
    /// The most that there can be.
    #[pyo3(get)]
    most: usize,
    /// ``‖y - A x‖`` now.
    #[pyo3(get)]
    residual: f64,
    /// The norm of the gradient now.
    #[pyo3(get)]
    gradient: f64,
    /// ``‖y - A x‖`` at the start.
    #[pyo3(get)]
    initial: f64,
    /// ``‖y‖``
    #[pyo3(get)]
    data: f64,
    /// ``residual / data``
    #[pyo3(get)]
    relative_residual: f64,
    /// ``gradient`` beside that at the start.
    #[pyo3(get)]
    relative_gradient: f64,
    /// ``‖y - A x‖`` at the start and after each iteration.
    #[pyo3(get)]
    residuals: Vec<f64>,
    /// Seconds since the run began.
    #[pyo3(get)]
    elapsed: f64,
    /// Why the run is over, if it is.
    #[pyo3(get)]
    stopped: Option<&'static str>,
    kind: Kind,
    solution: Lent,
}

/// The present solution, as long as the callback runs.
struct Lent(Mutex<Option<NonNull<View<'static>>>>);

// SAFETY: views may be read on any thread; the pointer is followed with the lock only, and taken away with it before the view
// ends.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lent {
    /// A copy of the solution, while it is there.
    fn copied(&self) -> Result<Option<Array>> {
        let lent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(view) = *lent else { return Ok(None) };
        // SAFETY: the view lives as long as the pointer is there, which the lock keeps.
        Ok(Some(unsafe { view.as_ref() }.to_array()?))
    }

    /// Takes it away; waits for whoever copies it.
    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[pymethods]
impl PyProgress {
    /// A copy of the present solution, as the kind of array that the data are. Only while the callback runs.
    fn solution<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        // Without the interpreter's lock: who has the other one may wait for memory, whose owners want that of the interpreter.
        let lent = &self.solution;
        let Some(copy) = py.detach(|| lent.copied())? else {
            return Err(Class::Error
                .raise(py, "the solution is lent only while the callback runs")
                .into());
        };
        self.kind.give(py, copy)
    }

    fn __repr__(&self) -> String {
        format!(
            "Progress({} {} of {}, residual {:e})",
            self.solver, self.iteration, self.most, self.residual
        )
    }
}

/// Calls a function of Python, and looks for Ctrl-C.
pub(crate) struct Watch {
    callback: Option<Py<PyAny>>,
    kind: Kind,
    every: Option<usize>,
    raised: Option<PyErr>,
}

impl Watch {
    /// `often`: after each iteration, as those take long.
    pub(crate) fn new(callback: Option<Py<PyAny>>, kind: Kind, often: bool) -> Self {
        Self { callback, kind, every: often.then_some(1), raised: None }
    }

    /// The exception that ended the run, if one did.
    pub(crate) fn raise(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }

    fn look(&self, py: Python<'_>, progress: &Progress<'_>) -> PyResult<ControlFlow<()>> {
        py.check_signals()?;
        let Some(callback) = &self.callback else { return Ok(ControlFlow::Continue(())) };
        let view = NonNull::from(&progress.solution).cast::<View<'static>>();
        let told = PyProgress {
            solver: progress.solver,
            iteration: progress.iteration,
            most: progress.most,
            residual: progress.residual,
            gradient: progress.gradient,
            initial: progress.initial,
            data: progress.data,
            relative_residual: progress.relative_residual,
            relative_gradient: progress.relative_gradient,
            residuals: progress.residuals.to_vec(),
            elapsed: progress.elapsed.as_secs_f64(),
            stopped: progress.stopped.map(stop::name),
            kind: self.kind.clone(),
            solution: Lent(Mutex::new(Some(view))),
        };
        let told = Bound::new(py, told)?;
        let returned = callback.bind(py).call1((&told,));
        let lent = &told.get().solution;
        py.detach(|| lent.end());
        // Only `True` ends a run, be it Python's or NumPy's, and not whatever a function happens to return.
        let ends = returned?.extract::<bool>().unwrap_or(false);
        Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

impl Observer for Watch {
    fn observe(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let looked = Python::try_attach(|py| self.look(py, progress));
        match looked {
            Some(Ok(flow)) => flow,
            Some(Err(error)) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
            // The interpreter ends.
            None => ControlFlow::Break(()),
        }
    }

    fn every(&self) -> Option<usize> {
        self.every
    }
}
