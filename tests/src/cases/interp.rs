//! `Interp`: all kinds, along each axis, on samples, between them, at both ends, repeated.

use std::f64::consts::PI;

use arrayspan_bridge::DType;
use arrayspan_operators::{Interp, Interpolation};

use super::{space, table};
use crate::suite::Case;

/// One launch that reads each sample that is used, once, and the table.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    use Interpolation::{Linear, Nearest};
    let golden = |key: &str| format!("interp/{key}");
    vec![
        case(dtype, &[11], 0, &[0.25, 7.5, 2.0, 9.75, 4.125], Linear).golden(golden("vector")),
        case(dtype, &[5, 3, 7], 0, &[3.5, 0.0, 1.25], Linear).golden(golden("axis0")),
        case(dtype, &[5, 3, 7], 1, &[0.5, 1.75], Linear).golden(golden("axis1")),
        case(dtype, &[5, 3, 7], -1, &[5.5, 1.0, 2.25, 4.75], Linear).golden(golden("axis2")),
        case(dtype, &[11], 0, &[0.25, 7.75, 2.0, 4.5], Nearest).golden(golden("nearest")),
        case(dtype, &[5, 7], 1, &[5.25, 1.0, 2.75], Nearest).golden(golden("nearest_axis1")),
        case(dtype, &[5, 3, 7], 0, &[3.25, 0.0, 1.75], Nearest)
            .golden(golden("nearest_axis0_of_three")),
        case(dtype, &[5, 3, 7], 1, &[0.75], Nearest).golden(golden("nearest_axis1_of_three")),
        case(dtype, &[5, 3, 7], 2, &[5.25, 1.0, 2.75, 4.0], Nearest)
            .golden(golden("nearest_axis2_of_three")),
        case(dtype, &[5, 4], 0, &[4.0, 0.0, 3.999, 4.0, 2.5, 2.5], Linear),
        case(dtype, &[1, 4], 0, &[0.0, 0.0], Linear),
        sinc(dtype, &[11], 0, &[0.25, 7.5, 2.0, 9.75, 4.125], 0.0).golden(golden("sinc")),
        sinc(dtype, &[5, 3, 7], -1, &[5.5, 1.0, 2.25, 4.75], 0.15).golden(golden("sinc_least")),
    ]
}

fn sinc(
    dtype: DType,
    shape: &[usize],
    axis: isize,
    positions: &'static [f64],
    least: f64,
) -> Case {
    let name = format!("sinc from {least} on at {positions:?} along axis {axis} of {shape:?}");
    let extent = shape[axis.rem_euclid(shape.len() as isize) as usize];
    let others = shape.iter().product::<usize>() / extent;
    let weight = |position: f64, sample: usize| {
        let t = PI * (position - sample as f64);
        if t == 0.0 { 1.0 } else { (t.sin() / t).abs() }
    };
    let row = |position: &f64| {
        // The sine of a multiple of π is next to zero here.
        let kept = |sample: &usize| weight(*position, *sample) >= least.max(1e-15);
        (0..extent).filter(kept).collect()
    };
    let rows: Vec<Vec<_>> = positions.iter().map(row).collect();
    let [forward, adjoint] = table::moves(&rows, extent, others, Some(dtype.real()));
    let shape = shape.to_vec();
    let make = move |cell: &_| Interp::sinc(space(cell, &shape)?, axis, positions, least);
    Case::new(name, make).moves(forward, adjoint)
}

fn case(
    dtype: DType,
    shape: &[usize],
    axis: isize,
    positions: &'static [f64],
    interpolation: Interpolation,
) -> Case {
    let name = format!("{interpolation:?} at {positions:?} along axis {axis} of {shape:?}");
    let extent = shape[axis.rem_euclid(shape.len() as isize) as usize];
    let others = shape.iter().product::<usize>() / extent;
    let row = |position: &f64| match interpolation {
        Interpolation::Nearest => vec![position.round_ties_even() as usize],
        Interpolation::Linear if position.fract() > 0.0 => {
            vec![position.floor() as usize, position.floor() as usize + 1]
        }
        Interpolation::Linear => vec![*position as usize],
    };
    let rows: Vec<_> = positions.iter().map(row).collect();
    let weighted = rows.iter().any(|row| row.len() > 1);
    let weights = weighted.then_some(dtype.real());
    let [forward, adjoint] = table::moves(&rows, extent, others, weights);
    let shape = shape.to_vec();
    let make = move |cell: &_| Interp::new(space(cell, &shape)?, axis, positions, interpolation);
    Case::new(name, make).moves(forward, adjoint)
}
