//! Small matrices on their way between a device and the host.

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::Executor;
use num_complex::{Complex32, Complex64};

use super::Small;
use crate::Result;

/// Numbers on the host. Waits for them.
pub(crate) fn numbers(view: &View<'_>) -> Result<Vec<Complex64>> {
    let wide = |v: &Complex32| Complex64::new(v.re.into(), v.im.into());
    Ok(match view.dtype() {
        DType::Float32 => view.to_vec::<f32>()?.iter().map(|&v| f64::from(v).into()).collect(),
        DType::Float64 => view.to_vec::<f64>()?.iter().map(|&v| v.into()).collect(),
        DType::Complex64 => view.to_vec::<Complex32>()?.iter().map(wide).collect(),
        _ => view.to_vec::<Complex64>()?,
    })
}

/// A small matrix, of an array with two axes. Waits for it.
pub(crate) fn download(view: &View<'_>) -> Result<Small<Complex64>> {
    let (rows, columns) = (view.shape()[0], view.shape()[1]);
    Ok(Small::from_row_iterator(rows, columns, numbers(view)?))
}

/// A small matrix on the device.
pub(crate) fn upload(on: &dyn Executor, small: &Small<Complex64>, dtype: DType) -> Result<Array> {
    let (rows, columns) = small.shape();
    let entry = |at: usize| small[(at / columns, at % columns)];
    let all = (0..rows * columns).map(entry);
    let narrow = |v: Complex64| Complex32::new(v.re as f32, v.im as f32);
    let shape = [rows, columns];
    let host = match dtype {
        DType::Float32 => Array::from_vec(all.map(|v| v.re as f32).collect(), shape)?,
        DType::Complex64 => Array::from_vec(all.map(narrow).collect(), shape)?,
        DType::Complex128 => Array::from_vec(all.collect(), shape)?,
        _ => Array::from_vec(all.map(|v| v.re).collect(), shape)?,
    };
    let mut there = on.empty(&shape, dtype)?;
    on.transfer(host.view(), there.view_mut())?;
    Ok(there)
}
