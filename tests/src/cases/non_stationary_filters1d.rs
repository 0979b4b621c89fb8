//! `NonStationaryFilters1D`: filters that are interpolated and those beyond the places, one place, one sample.

use arrayspan_bridge::DType;
use arrayspan_operators::NonStationaryFilters1D;

use super::non_stationary::Axis;
use super::{golden_array, space, table};
use crate::suite::{Case, Cell, Values};

/// One launch that reads each tap once, and a table of weights of the input.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    vec![
        golden(dtype, 11, &[1, 4, 7], 3, "several"),
        golden(dtype, 7, &[0, 6], 5, "ends"),
        golden(dtype, 13, &[2, 4], 11, "long"),
        given(dtype, 5, &[2], 3),
        given(dtype, 1, &[0], 1),
    ]
}

fn golden(dtype: DType, extent: usize, places: &'static [usize], taps: usize, key: &str) -> Case {
    let key = format!("non_stationary_filters1d/{key}");
    let of_key = key.clone();
    let input = move |cell: &Cell| golden_array(cell, &of_key, "input");
    case(dtype, extent, places, taps, input).golden(key)
}

fn given(dtype: DType, extent: usize, places: &'static [usize], taps: usize) -> Case {
    let input = move |cell: &Cell| Ok(Values::random(&space(cell, &[extent])?, 21));
    case(dtype, extent, places, taps, input)
}

fn case(
    dtype: DType,
    extent: usize,
    places: &'static [usize],
    taps: usize,
    input: impl Fn(&Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let along = Axis { extent, places, taps, points: 0 };
    let row = |row: usize| {
        let reached = along.reached(row);
        let taps = reached.flat_map(|(sample, tap)| {
            along.around(sample).into_iter().map(move |place| place * taps + tap)
        });
        taps.collect()
    };
    let rows: Vec<Vec<usize>> = (0..extent).map(row).collect();
    let [forward, adjoint] = table::moves(&rows, places.len() * taps, 1, Some(dtype));
    let name = format!("{taps} taps at {places:?} of {extent} samples");
    let make = move |cell: &Cell| {
        let input = cell.array(&input(cell)?)?.into_shared();
        NonStationaryFilters1D::new(input, taps, places)
    };
    Case::new(name, make).moves(forward, adjoint)
}
