//! Small results on the host.

use arrayspan_bridge::{DType, View};
use num_complex::{Complex32, Complex64};

use crate::Result;

/// The real parts of an array's elements, on the host. Waits for the work that writes them.
pub(crate) fn reals(view: &View<'_>) -> Result<Vec<f64>> {
    Ok(match view.dtype() {
        DType::Float32 => view.to_vec::<f32>()?.into_iter().map(f64::from).collect(),
        DType::Complex64 => view.to_vec::<Complex32>()?.iter().map(|z| f64::from(z.re)).collect(),
        DType::Complex128 => view.to_vec::<Complex64>()?.iter().map(|z| z.re).collect(),
        _ => view.to_vec::<f64>()?,
    })
}
