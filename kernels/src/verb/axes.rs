//! The axes that a reduction goes over.

use super::check;
use crate::Result;

/// The axes in rising order.
///
/// # Errors
/// When one is not there or named twice.
pub(crate) fn sorted(verb: &'static str, shape: &[usize], axes: &[usize]) -> Result<Vec<usize>> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let rising = axes.windows(2).all(|pair| pair[0] < pair[1]);
    if !rising || axes.last().is_some_and(|&axis| axis >= shape.len()) {
        return check::argument(verb, format!("axes {axes:?} of shape {shape:?}"));
    }
    Ok(axes)
}

/// The extents of the other axes.
pub(crate) fn kept(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    (0..shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect()
}
