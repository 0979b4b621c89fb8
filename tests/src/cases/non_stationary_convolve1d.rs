//! `NonStationaryConvolve1D`: filters that are interpolated and those beyond the places, along every axis, one place, uneven places.

use arrayspan_bridge::DType;
use arrayspan_operators::NonStationaryConvolve1D;

use super::non_stationary::Axis;
use super::{golden_array, space, table};
use crate::suite::{Case, Cell, Values};

/// One launch that reads each sample once, and a table of taps.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    vec![
        golden(dtype, &[11], 0, &[1, 4, 7], 3, "vector"),
        golden(dtype, &[7, 3], 0, &[0, 6], 5, "axis0"),
        golden(dtype, &[2, 9, 3], 1, &[2, 4], 3, "middle"),
        golden(dtype, &[3, 8], -1, &[3, 5, 7], 7, "last"),
        golden(dtype, &[11], 0, &[1, 2, 7], 3, "uneven"),
        given(dtype, &[1, 5], 1, &[2], 3),
        given(dtype, &[1, 4], 0, &[0], 3),
    ]
}

fn golden(
    dtype: DType,
    shape: &[usize],
    axis: isize,
    places: &'static [usize],
    taps: usize,
    key: &str,
) -> Case {
    let key = format!("non_stationary_convolve1d/{key}");
    let of_key = key.clone();
    let filters = move |cell: &Cell| golden_array(cell, &of_key, "filters");
    case(dtype, shape, axis, places, taps, filters).golden(key)
}

fn given(dtype: DType, shape: &[usize], axis: isize, places: &'static [usize], taps: usize) -> Case {
    let extents = [places.len(), taps];
    let filters = move |cell: &Cell| Ok(Values::random(&space(cell, &extents)?, 21));
    case(dtype, shape, axis, places, taps, filters)
}

fn case(
    dtype: DType,
    shape: &[usize],
    axis: isize,
    places: &'static [usize],
    taps: usize,
    filters: impl Fn(&Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let extent = shape[axis.rem_euclid(shape.len() as isize) as usize];
    let along = Axis { extent, places, taps, points: 0 };
    let row = |row: usize| along.reached(row).map(|(sample, _)| sample).collect();
    let rows: Vec<Vec<usize>> = (0..extent).map(row).collect();
    let others = shape.iter().product::<usize>() / extent;
    let [forward, adjoint] = table::moves(&rows, extent, others, Some(dtype));
    let name = format!("{taps} taps at {places:?} along axis {axis} of {shape:?}");
    let shape = shape.to_vec();
    let make = move |cell: &Cell| {
        // Filters are those of the dtype that sums have.
        let wide = matches!(cell.dtype, DType::Float16 | DType::BFloat16);
        let held = Cell { dtype: if wide { DType::Float32 } else { cell.dtype }, ..*cell };
        let filters = held.array(&filters(cell)?)?.into_shared();
        NonStationaryConvolve1D::new(space(cell, &shape)?, axis, filters, places)
    };
    Case::new(name, make).moves(forward, adjoint)
}
