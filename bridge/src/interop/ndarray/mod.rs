//! `ndarray`: its arrays become arrays on the CPU and come back, without a copy.

mod export;
mod import;

use crate::Layout;

/// The layout of an ndarray, counted from its lowest element.
pub(crate) fn layout_of(shape: &[usize], strides: &[isize]) -> Layout {
    let below = |(&extent, &stride): (&usize, &isize)| {
        if extent > 1 && stride < 0 { (extent - 1) * stride.unsigned_abs() } else { 0 }
    };
    let empty = shape.contains(&0);
    let offset = if empty { 0 } else { shape.iter().zip(strides).map(below).sum() };
    Layout::trusted(shape, strides, offset)
}
