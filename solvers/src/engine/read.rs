//! Small results on the host.

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::{Executor, Vector};

use crate::Result;

/// Real numbers, on the host. Waits for the work that writes them.
pub(crate) fn reals(view: &View<'_>) -> Result<Vec<f64>> {
    Ok(match view.dtype() {
        DType::Float32 => view.to_vec::<f32>()?.into_iter().map(f64::from).collect(),
        _ => view.to_vec::<f64>()?,
    })
}

/// The largest absolute value; NaN if any is. Waits for it.
pub(crate) fn largest(on: &dyn Executor, scalar: &mut Array, x: &impl Vector) -> Result<f64> {
    x.abs().max_into(on, &mut *scalar)?;
    Ok(reals(&scalar.view())?[0])
}

/// The squared norm. Waits for it.
pub(crate) fn squared(on: &dyn Executor, scalar: &mut Array, x: &impl Vector) -> Result<f64> {
    x.norm_squared_into(on, &mut *scalar)?;
    Ok(reals(&scalar.view())?[0])
}
