//! `ChirpRadon2D`: odd and even extents, its adjoint and its inverse.

use arrayspan_bridge::DType;
use arrayspan_operators::ChirpRadon2D;

use super::{fourier, space};
use crate::suite::{Case, Moves};

/// To spectra, to slopes by a convolution between phases, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let mut cases = vec![
        case(dtype, [11, 7], 0.75, false, Some("odd")),
        case(dtype, [6, 5], -1.5, false, Some("even")),
        case(dtype, [11, 7], 0.75, true, Some("inverse")),
        case(dtype, [1, 3], 0.5, false, None),
    ];
    if !dtype.is_complex() {
        cases.push(case(dtype, [5, 8], 1.25, false, Some("even_time")));
    }
    cases
}

fn case(dtype: DType, shape: [usize; 2], pmax: f64, inverse: bool, key: Option<&str>) -> Case {
    let name = format!("{shape:?} up to {pmax}, inverse: {inverse}");
    let make = move |cell: &_| {
        let space = space(cell, &shape)?;
        if inverse { ChirpRadon2D::inverse(space, pmax) } else { ChirpRadon2D::new(space, pmax) }
    };
    let [forward, adjoint] = moves(dtype, &shape, inverse);
    let case = Case::new(name, make).moves(forward, adjoint);
    match key {
        Some(key) => case.golden(format!("chirp_radon2d/{key}")),
        None => case,
    }
}

/// The transform along time, the last axis, chirps along the others, and for an inverse weights of the frequencies.
pub(super) fn moves(dtype: DType, shape: &[usize], inverse: bool) -> [Moves; 2] {
    let len: usize = shape.iter().product();
    let time = shape[shape.len() - 1];
    let frequencies = if dtype.is_complex() { time } else { time / 2 + 1 };
    let bins = len / time * frequencies;
    let [there, back] = fourier::spectra_of(dtype, &[len, bins]);
    let mut steps = vec![[there, back], [back, there]];
    for (axis, &count) in shape.iter().enumerate().take(shape.len() - 1) {
        let others = bins / (count * frequencies);
        steps.push(fourier::chirp(dtype, [count; 2], frequencies, others));
        // Beside the frequencies, and back.
        if axis + 2 < shape.len() {
            steps.extend([fourier::step(fourier::wide(dtype) * bins, fourier::wide(dtype) * bins); 2]);
        }
    }
    if inverse {
        let [weights, _] = fourier::weighted(dtype, bins, 0);
        let table = frequencies * (dtype.real().bytes() + 4);
        steps.push([Moves { table, ..weights }; 2]);
    }
    let [forward, adjoint] = fourier::chain(steps);
    // An inverse goes the other way through the chirps.
    if inverse { [adjoint, forward] } else { [forward, adjoint] }
}
