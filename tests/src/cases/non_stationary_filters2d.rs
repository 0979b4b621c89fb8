//! `NonStationaryFilters2D`: several places along both axes, long filters, those of one row.

use arrayspan_bridge::DType;
use arrayspan_operators::NonStationaryFilters2D;

use super::non_stationary::{self, Axis};
use super::{fourier, golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// Filters' spectra, those of the input's windows, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let axis = |extent, places, taps, points| Axis { extent, places, taps, points };
    let golden = |axes, key| golden(dtype, axes, key);
    vec![
        golden([axis(11, &[1, 4, 7], 3, 8), axis(6, &[0, 5], 3, 7)], "several"),
        golden([axis(5, &[1, 3], 11, 14), axis(7, &[2, 3, 4], 3, 5)], "long"),
        case(dtype, [axis(5, &[1, 3], 1, 3), axis(5, &[2, 4], 3, 6)], |cell| {
            Ok(Values::random(&space(cell, &[5, 5])?, 21))
        }),
    ]
}

fn golden(dtype: DType, axes: [Axis; 2], key: &str) -> Case {
    let key = format!("non_stationary_filters2d/{key}");
    let of_key = key.clone();
    case(dtype, axes, move |cell| golden_array(cell, &of_key, "input")).golden(key)
}

fn case(
    dtype: DType,
    axes: [Axis; 2],
    input: impl Fn(&Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let make = move |cell: &Cell| {
        let input = cell.array(&input(cell)?)?.into_shared();
        let taps = axes.map(|axis| axis.taps);
        NonStationaryFilters2D::new(input, taps, axes.map(|axis| axis.places))
    };
    let [forward, adjoint] = moves(dtype, axes);
    Case::new(format!("{axes:?}"), make).moves(forward, adjoint)
}

/// Axes are turned, filters transformed between zeros, multiplied, and taken for windows.
fn moves(dtype: DType, axes: [Axis; 2]) -> [Moves; 2] {
    let [_, folded] = non_stationary::windows(dtype, &axes);
    let [taps, points] = [axes.map(|axis| axis.taps), axes.map(|axis| axis.points)];
    let places: usize = axes.iter().map(|axis| axis.places.len()).product();
    let half = if dtype.is_complex() { points[1] } else { points[1] / 2 + 1 };
    let (filters, bins) = (places * taps[0] * taps[1], places * points[0] * half);
    let there = fourier::spectra_of(dtype, &[filters, places * taps[0] * half, bins]);
    let windows = fourier::spectra_of(dtype, &[places * points[0] * points[1], bins, bins]);
    let wide = fourier::wide(dtype);
    let between = [Moves::one(2 * wide * bins, wide * bins); 2];
    let [back, again] = windows;
    fourier::chain([fourier::step(filters, filters), there, between, [again, back], folded])
}
