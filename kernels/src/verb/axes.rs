//! The axes that a reduction goes over.

use std::fmt::{Debug, Display};

use super::check;
use crate::Result;

/// The axes in rising order.
///
/// # Errors
/// When one is not there or named twice.
pub(crate) fn sorted(verb: &'static str, shape: &[usize], axes: &[usize]) -> Result<Vec<usize>> {
    if let Some(axis) = axes.iter().find(|axis| **axis >= shape.len()) {
        return absent(verb, axis, shape);
    }
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => twice(verb, pair[0], axes, shape),
        None => Ok(sorted),
    }
}

/// The error for an axis that an array of `shape` does not have.
pub(crate) fn absent<T>(operation: &'static str, axis: impl Display, shape: &[usize]) -> Result<T> {
    check::argument(operation, format!("there is no axis {axis} in an array of shape {shape:?}"))
}

/// The error for an axis that is named twice among those given, be it from either end.
pub(crate) fn twice<T>(
    operation: &'static str,
    axis: usize,
    given: impl Debug,
    shape: &[usize],
) -> Result<T> {
    let why = format!("axis {axis} comes twice in {given:?}, of an array of shape {shape:?}");
    check::argument(operation, why)
}

/// The extents of the other axes.
pub(crate) fn kept(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    (0..shape.len()).filter(|axis| !axes.contains(axis)).map(|axis| shape[axis]).collect()
}
