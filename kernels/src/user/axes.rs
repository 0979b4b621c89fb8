//! The axes that a reduction goes over.

use crate::Result;
use crate::verb::check;

/// The axes in rising order; all of them if none are named.
pub(super) fn sorted(
    verb: &'static str,
    shape: &[usize],
    axes: Option<&[usize]>,
) -> Result<Vec<usize>> {
    let Some(axes) = axes else { return Ok((0..shape.len()).collect()) };
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let rising = axes.windows(2).all(|pair| pair[0] < pair[1]);
    if !rising || axes.last().is_some_and(|&axis| axis >= shape.len()) {
        return check::argument(verb, format!("axes {axes:?} of shape {shape:?}"));
    }
    Ok(axes)
}

/// The extents of the other axes.
pub(super) fn kept(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    (0..shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect()
}
