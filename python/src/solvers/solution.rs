//! What solvers return.

use arrayspan::solvers::Solution;
use pyo3::prelude::*;

use super::stop;
use crate::error::Result;
use crate::kind::Kind;

/// What a solver returns.
#[pyclass(frozen, get_all, name = "Solution", module = "arrayspan.solvers")]
pub(crate) struct PySolution {
    /// The solution, as the kind of array that the data are, where they are.
    x: Py<PyAny>,
    /// Iterations done.
    iterations: usize,
    /// ``‖y - A x‖`` before the first iteration and after each one.
    residuals: Vec<f64>,
    /// Why it stopped: ``"residual"``, ``"gradient"``, ``"precision"``, ``"iterations"`` and others.
    stopped: &'static str,
    /// How iterations were launched: so many ``"iterations several at once"``, or ``"one by one: "`` and why.
    launched: String,
}

impl PySolution {
    pub(crate) fn new(py: Python<'_>, solution: Solution, kind: &Kind) -> Result<Self> {
        let Solution { x, iterations, residuals, stopped, launched } = solution;
        let (x, stopped) = (kind.give(py, x)?.unbind(), stop::name(stopped));
        Ok(Self { x, iterations, residuals, stopped, launched: launched.to_string() })
    }
}

#[pymethods]
impl PySolution {
    fn __repr__(&self) -> String {
        let last = self.residuals.last().copied().unwrap_or(f64::NAN);
        format!(
            "Solution(iterations={}, residual={last:e}, stopped='{}')",
            self.iterations, self.stopped
        )
    }
}
