//! `NonStationaryConvolve2D`: several places along both axes or one, at the ends, long filters, uneven places.

use arrayspan_bridge::DType;
use arrayspan_operators::{Convolution, NonStationaryConvolve2D};

use super::non_stationary::{self, Axis};
use super::{fourier, golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// In one pass; windows, their spectra, the filters' ones, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let axis = |extent, places, taps, points| Axis { extent, places, taps, points };
    let several = [axis(11, &[1, 4, 7], 3, 8), axis(6, &[0, 5], 3, 7)];
    let long = [axis(5, &[1, 3], 5, 7), axis(7, &[2, 3, 4], 3, 5)];
    let uneven = [axis(11, &[1, 4, 7], 3, 8), axis(6, &[0, 1, 5], 3, 6)];
    let mut cases = Vec::new();
    for method in [Convolution::Direct, Convolution::Fourier] {
        cases.extend([
            golden(dtype, several, "several", method),
            golden(dtype, long, "long", method),
            golden(dtype, uneven, "uneven", method),
        ]);
    }
    let single = [axis(1, &[0], 1, 1), axis(5, &[2], 3, 7)];
    cases.push(case(dtype, single, Convolution::Auto, |cell| {
        Ok(Values::random(&space(cell, &[1, 1, 1, 3])?, 21))
    }));
    cases
}

fn golden(dtype: DType, axes: [Axis; 2], key: &str, method: Convolution) -> Case {
    let key = format!("non_stationary_convolve2d/{key}");
    let of_key = key.clone();
    case(dtype, axes, method, move |cell| golden_array(cell, &of_key, "filters")).golden(key)
}

fn case(
    dtype: DType,
    axes: [Axis; 2],
    method: Convolution,
    filters: impl Fn(&Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let name = format!("{axes:?}, {method:?}");
    let make = move |cell: &Cell| {
        let filters = cell.array(&filters(cell)?)?.into_shared();
        let shape = axes.map(|axis| axis.extent);
        let places = axes.map(|axis| axis.places);
        NonStationaryConvolve2D::by(space(cell, &shape)?, filters, places, method)
    };
    let [forward, adjoint] = moves(dtype, &axes, method);
    Case::new(name, make).moves(forward, adjoint)
}

/// What a convolution with filters at places moves, there and back.
pub(super) fn moves(dtype: DType, axes: &[Axis], method: Convolution) -> [Moves; 2] {
    if method != Convolution::Fourier {
        let len = axes.iter().map(|axis| axis.extent).product();
        return [Moves::one(len, len); 2];
    }
    let [taken, folded] = non_stationary::windows(dtype, axes);
    let mut extents: Vec<usize> = axes.iter().map(|axis| axis.places.len() * axis.points).collect();
    let mut lens = vec![extents.iter().product()];
    for (number, axis) in axes.iter().enumerate().rev() {
        if number + 1 == axes.len() && !dtype.is_complex() {
            extents[number] = axis.places.len() * (axis.points / 2 + 1);
        }
        lens.push(extents.iter().product());
    }
    let between = fourier::filtered(dtype, &lens, lens[lens.len() - 1]);
    let whole = |from: Moves, to: Moves| from.then(between).then(to);
    [whole(taken[0], folded[0]), whole(folded[1], taken[1])]
}
