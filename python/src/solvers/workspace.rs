//! What solvers work in, kept from one call to the next.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, TryLockError};

use arrayspan::bridge::{Array, View};
use arrayspan::operators::Operator;
use arrayspan::solvers::{Observer, Solution, Solver, SolverWorkspace};
use pyo3::prelude::*;

use crate::error::{Class, Result, refuse};

/// What a solver works in: given to several calls, it is made by the first one, and others need not allocate, nor, on CUDA, record their
/// iterations again.
///
/// It fits calls of one solver with the same parameters, for operators of the same spaces; a call that it does not fit makes it anew. One
/// call at a time has it.
#[pyclass(frozen, name = "Workspace", module = "arrayspan.solvers")]
#[derive(Default)]
pub(crate) struct PyWorkspace(Mutex<Made>);

/// What a call has made, for the next one, and the bytes that a run like that takes: one of other parameters takes others.
pub(super) type Made = Option<(usize, Box<dyn Any + Send>)>;

impl PyWorkspace {
    /// What was made before, as long as nobody else has it.
    pub(super) fn lent(&self) -> Result<MutexGuard<'_, Made>> {
        match self.0.try_lock() {
            Ok(made) => Ok(made),
            // What a run that panicked has left is made anew.
            Err(TryLockError::Poisoned(made)) => {
                let mut made = made.into_inner();
                *made = None;
                Ok(made)
            }
            Err(TryLockError::WouldBlock) => {
                Ok(refuse(Class::Parameter, "workspace: another call is using it")?)
            }
        }
    }
}

/// That of a solver with these vectors.
pub(super) type Own<V> = Option<(usize, Box<SolverWorkspace<V>>)>;

/// Solves in a workspace, which is made if there is none for such a run.
pub(super) fn solve_in<S: Solver>(
    made: &mut Own<S::Vectors>,
    solver: &S,
    a: &Operator,
    y: View<'_>,
    start: Option<Array>,
    observer: &mut dyn Observer,
) -> Result<Solution> {
    let on = arrayspan::kernels::on(y.device()).map_err(arrayspan::solvers::Error::from)?;
    let bytes = solver.memory(a, &*on)?;
    if made.as_ref().is_some_and(|(other, _)| *other != bytes) {
        *made = None;
    }
    let (_, workspace) = match made {
        Some(made) => made,
        None => made.insert((bytes, Box::new(solver.workspace(a, &*on)?))),
    };
    Ok(solver.solve_in(workspace, &*on, a, y, start, observer)?)
}

#[pymethods]
impl PyWorkspace {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Gives up the memory; the next call makes it anew.
    fn clear(&self) -> Result<()> {
        *self.lent()? = None;
        Ok(())
    }
}
