//! `Convolve1D`: odd and even filters, every position of time zero, every axis, complex filters.

use arrayspan_bridge::DType;
use arrayspan_operators::{Convolve1D, Result};
use num_complex::Complex64;

use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves};

/// One launch that reads and writes each value once; the filter is in the kernel.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let mut cases = vec![
        golden(&[11], 0, 1, "odd"),
        golden(&[11], 0, 2, "even"),
        golden(&[11], 0, 0, "causal"),
        golden(&[11], 0, 4, "anticausal"),
        golden(&[7, 5], 0, 1, "axis0"),
        golden(&[5, 7], 1, 1, "axis1"),
        golden(&[2, 7, 3], 1, 3, "middle"),
        golden(&[11], 0, 0, "one_tap"),
        golden(&[7], 0, 2, "as_long"),
        golden(&[1, 5], 0, 0, "single"),
        // A filter as long as the axis, an axis of one sample, a filter of one tap.
        given(&[5, 3], 0, 2, &[1.0, -2.0, 0.5, 4.0, 0.25]),
        given(&[3, 1], 1, 0, &[-1.5]),
        given(&[13, 17], 1, 0, &[2.0]),
    ];
    if dtype.is_complex() {
        cases.push(golden(&[11], 0, 1, "complex"));
    }
    cases
}

fn golden(shape: &[usize], axis: isize, offset: usize, key: &str) -> Case {
    let key = format!("convolve1d/{key}");
    let name = format!("{key} along axis {axis} of {shape:?}");
    let filter = {
        let key = key.clone();
        move |cell: &Cell| Ok(golden_array(cell, &key, "filter")?.numbers)
    };
    case(name, shape, axis, offset, filter).golden(key)
}

fn given(shape: &[usize], axis: isize, offset: usize, filter: &[f64]) -> Case {
    let name = format!("{} taps along axis {axis} of {shape:?}", filter.len());
    let filter: Vec<Complex64> = filter.iter().map(|&tap| tap.into()).collect();
    case(name, shape, axis, offset, move |_| Ok(filter.clone()))
}

fn case(
    name: String,
    shape: &[usize],
    axis: isize,
    offset: usize,
    filter: impl Fn(&Cell) -> Result<Vec<Complex64>> + Send + Sync + 'static,
) -> Case {
    let len = shape.iter().product();
    let shape = shape.to_vec();
    let make =
        move |cell: &Cell| Convolve1D::new(space(cell, &shape)?, axis, &filter(cell)?, offset);
    Case::new(name, make).moves(Moves::one(len, len), Moves::one(len, len))
}
