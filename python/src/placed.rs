//! Where elements lie that somebody says the first one of.

use arrayspan::bridge::{DType, Layout};

use crate::error::Result;

/// The lowest byte of elements whose first is at `first`, how many bytes they span, and how they lie in these.
pub(crate) fn placed(
    first: usize,
    shape: &[usize],
    strides: &[isize],
    dtype: DType,
) -> Result<(usize, usize, Layout)> {
    if shape.contains(&0) {
        return Ok((0, 0, Layout::contiguous(shape)?));
    }
    let below: usize = shape
        .iter()
        .zip(strides)
        .map(|(&extent, &stride)| (extent - 1) * stride.min(0).unsigned_abs())
        .sum();
    let layout = Layout::strided(shape, strides, below)?;
    let elements = layout.extent().map_or(0, |(_, last)| last + 1);
    Ok((first - below * dtype.bytes(), elements * dtype.bytes(), layout))
}
