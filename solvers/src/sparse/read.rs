//! What methods with methods inside look at between their steps.

use arrayspan_bridge::{Array, AsView, View};
use arrayspan_kernels::{Executor, Update, Vector, widest_real};
use arrayspan_operators::Operator;

use crate::engine::Fit;
use crate::engine::read::squared;
use crate::{Result, Stopped};

/// The norm of a vector. Waits for it.
pub(super) fn norm(on: &dyn Executor, x: &impl Vector) -> Result<f64> {
    let mut number = on.empty(&[], widest_real(on.device()))?;
    Ok(squared(on, &mut number, x)?.sqrt())
}

/// A copy of an array.
pub(super) fn copy(on: &dyn Executor, x: &View<'_>) -> Result<Array> {
    let mut copy = on.empty(x.shape(), x.dtype())?;
    on.copy(x.clone(), copy.view_mut(), Update::set())?;
    Ok(copy)
}

/// Fails unless data and start fit the operator, and that has both where the data are.
pub(super) fn fit(
    solver: &'static str,
    a: &Operator,
    y: &View<'_>,
    start: Option<&Array>,
) -> Result<()> {
    use arrayspan_operators::LinearMap;
    let fit = Fit { solver, device: y.device() };
    fit.array("data", a.range(), y)?;
    fit.operator(a)?;
    start.map_or(Ok(()), |start| fit.array("start", a.domain(), &start.as_view()))
}

/// Whether a model of this norm and what it leaves of the data are the last ones, after a change of that norm.
pub(super) fn judge(residual: f64, [change, size]: [f64; 2], tolerance: f64) -> Option<Stopped> {
    if !(residual.is_finite() && change.is_finite() && size.is_finite()) {
        Some(Stopped::NotFinite)
    } else if change <= tolerance * size {
        Some(Stopped::Stagnation)
    } else {
        None
    }
}
