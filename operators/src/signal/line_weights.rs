//! Weights of places along axes that are next to each other.

use arrayspan_bridge::devices::vectors::collected;
use arrayspan_kernels::Gather;
use num_complex::Complex64;

use crate::{Error, Form, Result};

/// A weight for each place of these extents from `axis` on, in a table on each device that it is used on.
pub(super) fn line_weights(
    name: &'static str,
    axis: usize,
    extents: &[usize],
    weights: Vec<Complex64>,
) -> Result<Form> {
    let count = weights.len();
    let (starts, indices) = (collected(count + 1, 0..)?, collected(count, 0..)?);
    let gather = Gather::new(axis, extents, extents, starts, indices, Some(weights));
    Ok(Form::Gather(gather.map_err(|error| Error::from(error).of(name))?))
}
