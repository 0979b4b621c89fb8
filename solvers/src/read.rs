//! Small results on the host.

use arrayspan_bridge::{DType, View};

use crate::Result;

/// Real numbers, on the host. Waits for the work that writes them.
pub(crate) fn reals(view: &View<'_>) -> Result<Vec<f64>> {
    Ok(match view.dtype() {
        DType::Float32 => view.to_vec::<f32>()?.into_iter().map(f64::from).collect(),
        _ => view.to_vec::<f64>()?,
    })
}
