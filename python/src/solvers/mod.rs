//! Solvers.
#![allow(clippy::doc_markdown, reason = "docstrings of Python, in reStructuredText")]

pub(crate) mod krylov;
pub(crate) mod progress;
pub(crate) mod solution;
pub(crate) mod sparse;
pub(crate) mod stop;
pub(crate) mod workspace;

use std::any::Any;

use arrayspan::operators::LinearMap;
use arrayspan::solvers::{Solution, Solver};
use pyo3::prelude::*;

use crate::error::Result;
use crate::incoming;
use crate::operator::PyOperator;
use progress::Watch;
use solution::PySolution;
use workspace::{Own, PyWorkspace, solve_in};

/// What a solver is asked: the operator, the data, where to begin, and who watches.
pub(crate) struct Asked<'a, 'py> {
    pub(crate) a: &'a PyOperator,
    pub(crate) y: &'a Bound<'py, PyAny>,
    pub(crate) start: Option<&'a Bound<'py, PyAny>>,
    pub(crate) callback: Option<Py<PyAny>>,
    /// What it works in, if that is kept from one call to the next.
    pub(crate) workspace: Option<Py<PyWorkspace>>,
}

impl Asked<'_, '_> {
    /// Runs a solver, without the interpreter's lock but where it is watched.
    fn solve<S: Solver<Vectors: Send + 'static> + Sync>(self, solver: &S) -> Result<PySolution> {
        let py = self.y.py();
        let y = incoming::read(self.y, "y")?;
        let start = self.start.map(|start| incoming::copied(start, "start")).transpose()?;
        let size = self.a.0.domain().len().max(self.a.0.range().len());
        let mut watch =
            Watch::new(self.callback, y.kind.clone(), y.device().is_cpu() && size > LONG);
        let solved = match &self.workspace {
            None => py.detach(|| {
                let solved = solver.solve_from(&self.a.0, y.view(), start, &mut watch);
                y.settle().and(Ok(solved?))
            }),
            Some(workspace) => {
                let mut lent = workspace.get().lent()?;
                // That of another solver is given up.
                let mut own: Own<S::Vectors> = lent.take().and_then(|made| made.downcast().ok());
                let solved = py.detach(|| {
                    let a = &self.a.0;
                    let solved = solve_in(&mut own, solver, a, y.view(), start, &mut watch);
                    y.settle().and(solved)
                });
                *lent = own.map(|own| own as Box<dyn Any + Send>);
                solved
            }
        };
        watch.raise()?;
        PySolution::new(py, solved?, &y.kind)
    }

    /// Runs what takes no start, and looks for Ctrl-C after each of its iterations.
    fn solve_by(
        self,
        solve: impl FnOnce(
            &arrayspan::operators::Operator,
            arrayspan::bridge::View<'_>,
            &mut Watch,
        ) -> arrayspan::solvers::Result<Solution>
        + Send,
    ) -> Result<PySolution> {
        let py = self.y.py();
        let y = incoming::read(self.y, "y")?;
        let mut watch = Watch::new(self.callback, y.kind.clone(), false);
        let solved = py.detach(|| {
            let solved = solve(&self.a.0, y.view(), &mut watch);
            y.settle().and(Ok(solved?))
        });
        watch.raise()?;
        PySolution::new(py, solved?, &y.kind)
    }
}

/// Vectors of the host with which an iteration takes long enough for a person who presses Ctrl-C: such runs are looked at after
/// each.
const LONG: usize = 1 << 22;
