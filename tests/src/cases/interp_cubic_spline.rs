//! `InterpCubicSpline`: along each axis, on samples, between them, at both ends, repeated; of one and of two samples, and of so many that
//! those far away have no weight.

use arrayspan_bridge::DType;
use arrayspan_operators::InterpCubicSpline;

use super::{space, table};
use crate::suite::Case;

/// One launch that reads each sample that is used, once, and the table.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let golden = |key: &str| format!("interp_cubic_spline/{key}");
    vec![
        case(dtype, &[11], 0, &[0.25, 7.5, 2.0, 9.75, 4.125]).golden(golden("vector")),
        case(dtype, &[5, 3, 7], 0, &[3.5, 0.0, 1.25]).golden(golden("axis0")),
        case(dtype, &[5, 3, 7], 1, &[0.5, 1.75]).golden(golden("axis1")),
        case(dtype, &[5, 3, 7], -1, &[5.5, 1.0, 2.25, 4.75]).golden(golden("axis2")),
        case(dtype, &[97, 2], 0, &[0.125, 48.5, 33.0, 95.75, 31.25]).golden(golden("long")),
        case(dtype, &[3, 2], 1, &[0.25, 0.75, 0.0]).golden(golden("two")),
        case(dtype, &[7, 1], 0, &[3.25]).golden(golden("one_of_each")),
        case(dtype, &[5, 4], 0, &[4.0, 0.0, 3.999, 4.0, 2.5, 2.5]),
        case(dtype, &[1, 4], 0, &[0.0, 0.0]),
    ]
}

fn case(dtype: DType, shape: &[usize], axis: isize, positions: &'static [f64]) -> Case {
    let name = format!("at {positions:?} along axis {axis} of {shape:?}");
    let extent = shape[axis.rem_euclid(shape.len() as isize) as usize];
    let others = shape.iter().product::<usize>() / extent;
    let reach = if dtype.real().bytes() == 8 { 30 } else { 15 };
    let row = |position: &f64| match *position as usize {
        first if position.fract() == 0.0 => vec![first],
        first => (first.saturating_sub(reach)..=(first + 1 + reach).min(extent - 1)).collect(),
    };
    let rows: Vec<_> = positions.iter().map(row).collect();
    let weighted = rows.iter().any(|row| row.len() > 1);
    let weights = weighted.then_some(dtype.real());
    let [forward, adjoint] = table::moves(&rows, extent, others, weights);
    let shape = shape.to_vec();
    let make = move |cell: &_| InterpCubicSpline::new(space(cell, &shape)?, axis, positions);
    Case::new(name, make).moves(forward, adjoint)
}
