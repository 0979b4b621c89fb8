//! `Bilinear`: on samples, between those of one axis and of both, on the last ones, repeated, close to each other.

use arrayspan_bridge::DType;
use arrayspan_operators::Bilinear;

use super::{space, table};
use crate::suite::Case;

/// One launch that reads each sample that is used, once, and the table.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let golden = |key: &str| format!("bilinear/{key}");
    let plane = &[[0.25, 3.5], [9.0, 1.75], [9.75, 0.0], [4.0, 2.0], [4.125, 2.25]];
    let close = &[[1.5, 0.5], [1.25, 0.5], [1.5, 0.25], [1.75, 0.75], [1.0, 0.0]];
    let last = &[[4.0, 2.0], [4.0, 0.75], [0.5, 2.0], [4.0, 0.75]];
    vec![
        case(dtype, &[11, 5], plane).golden(golden("plane")),
        case(dtype, &[5, 3, 7], &[[3.5, 0.5], [0.0, 1.25], [3.25, 0.75]]).golden(golden("volume")),
        case(dtype, &[3, 4, 2], close).golden(golden("close")),
        case(dtype, &[5, 3], last).golden(golden("last")),
        case(dtype, &[1, 4, 3], &[[0.0, 2.5], [0.0, 3.0]]),
        case(dtype, &[1, 1, 5], &[[0.0, 0.0]]),
    ]
}

fn case(dtype: DType, shape: &[usize], positions: &'static [[f64; 2]]) -> Case {
    let name = format!("at {positions:?} of {shape:?}");
    let [height, width] = [shape[0], shape[1]];
    let others = shape[2..].iter().product();
    let around = |position: f64| {
        let first = position as usize;
        first..=first + usize::from(position.fract() > 0.0)
    };
    let row = |position: &[f64; 2]| {
        let places = around(position[0]).flat_map(|i| around(position[1]).map(move |j| (i, j)));
        places.map(|(i, j)| i * width + j).collect()
    };
    let rows: Vec<Vec<_>> = positions.iter().map(row).collect();
    let weighted = rows.iter().any(|row| row.len() > 1);
    let weights = weighted.then_some(dtype.real());
    let [forward, adjoint] = table::moves(&rows, height * width, others, weights);
    let shape = shape.to_vec();
    let make = move |cell: &_| Bilinear::new(space(cell, &shape)?, positions);
    Case::new(name, make).moves(forward, adjoint)
}
