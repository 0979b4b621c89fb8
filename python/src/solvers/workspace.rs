//! What solvers work in, kept from one call to the next.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, TryLockError};

use arrayspan::bridge::{Array, View};
use arrayspan::operators::Operator;
use arrayspan::solvers::{Observer, Solution, Solver, SolverWorkspace};
use pyo3::prelude::*;

use crate::error::{Class, Result, refuse};

/// What a solver works in, to be given to several calls. Results are those without it.
///
/// The first call allocates it. Later ones reuse its memory and, on CUDA, the kernel launches that were recorded, if the solver, the spaces
/// of the operator and what sizes the workspace are the same (``check_every``, ``restart``, whether there is a preconditioner or a basis);
/// otherwise it is allocated again. One call at a time may use it: another one raises `ParameterError`, as does `clear`.
#[pyclass(frozen, name = "Workspace", module = "arrayspan.solvers")]
#[derive(Default)]
pub(crate) struct PyWorkspace(Mutex<Made>);

/// What a call has made, for the next one.
pub(super) type Made = Option<Box<dyn Any + Send>>;

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
pub(super) type Own<V> = Option<Box<SolverWorkspace<V>>>;

/// Solves in a workspace, which is made if there is none that fits.
pub(super) fn solve_in<S: Solver>(
    made: &mut Own<S::Vectors>,
    solver: &S,
    a: &Operator,
    y: View<'_>,
    start: Option<Array>,
    observer: &mut dyn Observer,
) -> Result<Solution> {
    let on = arrayspan::kernels::on(y.device()).map_err(arrayspan::solvers::Error::from)?;
    // One that does not fit is given up before another is made.
    *made = made.take().filter(|workspace| solver.fits(workspace, &*on, a));
    let workspace = match made {
        Some(workspace) => workspace,
        None => made.insert(Box::new(solver.workspace(a, &*on)?)),
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
