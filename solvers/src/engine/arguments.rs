//! What is found out about arguments before anything is computed.

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::Executor;
use arrayspan_operators::{LinearMap, Space};

use super::fit::Fit;
use super::run::Method;
use super::workspace::{Scalars, SolverWorkspace};
use crate::Result;
use crate::parameters::{self, not_negative, wrong};

/// As [`Solver::workspace`], with scalars of that dtype.
pub(crate) fn workspace_with<M: Method>(
    method: &M,
    a: &dyn LinearMap,
    on: &dyn Executor,
    scalars: Scalars,
) -> Result<SolverWorkspace<M::Vectors>> {
    check(method, a)?;
    let [rows, state] = method.rows();
    let inner = method.preconditioner().map(|inner| inner as &dyn LinearMap);
    let sizes = [check_every(method), rows, state];
    SolverWorkspace::new(a, on, sizes, scalars, inner, |make| method.vectors(make))
}

/// The iterations that a history has room for.
pub(super) fn check_every(method: &impl Method) -> usize {
    method.check_every().min(method.stop().iterations).max(1)
}

/// Fails unless all arguments fit together. Nothing has been written then.
pub(super) fn fit<M: Method>(
    method: &M,
    workspace: &SolverWorkspace<M::Vectors>,
    on: &dyn Executor,
    a: &dyn LinearMap,
    y: &View<'_>,
    start: Option<&Array>,
) -> Result<()> {
    let fit = Fit { solver: M::NAME, device: on.device() };
    // First, so that what is said of the operator is true of the data, too.
    fit.array("data", a.range(), y)?;
    fit.operator(a)?;
    let inner = method.preconditioner();
    if let Some(inner) = inner {
        fit.operator(inner)?;
        fit.space("the preconditioner's model", a.range(), inner.domain())?;
        fit.space("the preconditioner's result", a.domain(), inner.range())?;
    }
    if let Some(beside) = method.beside() {
        fit.operator(beside)?;
    }
    if let Some(start) = start {
        fit.array("start", a.domain(), &start.view())?;
        method.check_start()?;
    }
    workspace.check(fit, a, inner.map(|inner| inner as &dyn LinearMap), on)
}

/// Fails if a parameter is out of its range.
pub(super) fn check<M: Method>(method: &M, a: &dyn LinearMap) -> Result<()> {
    not_negative(M::NAME, "damping", method.damping())?;
    parameters::check_every(M::NAME, method.check_every())?;
    method.stop().check().or_else(|why| wrong(M::NAME, why))?;
    method.check(a)
}

/// Fails where the damping is beyond what can be scaled in that dtype.
pub(super) fn check_damping<M: Method>(method: &M, dtype: DType) -> Result<()> {
    let largest = if dtype.real() == DType::Float32 { f32::MAX.into() } else { f64::MAX };
    let damping = method.damping();
    if damping <= largest / 2.0 {
        return Ok(());
    }
    wrong(M::NAME, format!("damping {damping:e} is too large to be computed with in {dtype}"))
}

/// An array of a space, with unspecified content.
pub(super) fn empty(space: &Space, on: &dyn Executor) -> Result<Array> {
    Ok(on.empty(space.shape(), space.dtype())?)
}
