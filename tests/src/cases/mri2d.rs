//! `MRI2D`: a mask, lines, points on and between samples.

use arrayspan_bridge::DType;
use arrayspan_operators::{KSpace, MRI2D};

use super::fourier::{numbers, spectra_of, step, to_spectra, wide};
use super::{golden_array, space, table};
use crate::suite::{Case, Cell, Moves};

/// A launch for each axis, and one for what is measured.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let spokes: &[[f64; 2]] = &[
        [0.0, 3.0],
        [1.0, 3.0],
        [2.0, 3.0],
        [3.0, 0.0],
        [3.0, 1.0],
        [3.0, 2.0],
        [3.0, 3.0],
        [3.0, 4.0],
        [3.0, 5.0],
        [4.0, 3.0],
        [5.0, 3.0],
    ];
    let between: &[[f64; 2]] = &[[0.25, 1.5], [3.5, 0.0], [2.0, 2.0], [1.125, 2.75]];
    vec![
        mask(dtype),
        lines(dtype, [5, 13], &[0, 3, 6, 9]).golden("mri2d/regular"),
        lines(dtype, [7, 11], &[1, 4, 5, 6, 10]).golden("mri2d/lines"),
        points(dtype, [7, 7], spokes).golden("mri2d/spokes"),
        points(dtype, [5, 4], between).golden("mri2d/points"),
        lines(dtype, [1, 13], &[12, 0, 12]),
        points(dtype, [13, 1], &[[12.0, 0.0], [0.5, 0.0]]),
    ]
}

fn mask(dtype: DType) -> Case {
    let key = "mri2d/mask";
    let make = move |cell: &Cell| {
        let single = cell.dtype.real() == DType::Float32;
        let dtype = if single { DType::Complex64 } else { DType::Complex128 };
        let spectra = Cell { dtype, ..*cell };
        let weights = spectra.array(&golden_array(&spectra, key, "mask")?)?;
        MRI2D::new(space(cell, &[5, 6])?, &KSpace::Mask(weights.into_shared()))
    };
    let bins = 30 * wide(dtype);
    let weighted = [Moves::one(2 * bins, bins); 2];
    let [forward, adjoint] = to_spectra(dtype, [spectra_of(dtype, &[30; 3]), weighted]);
    Case::new("mask", make).moves(forward, adjoint).golden(key)
}

fn lines(dtype: DType, shape: [usize; 2], lines: &'static [usize]) -> Case {
    let [height, width] = shape;
    let rows: Vec<_> = lines.iter().map(|&line| vec![line]).collect();
    let kept = numbers(dtype, table::moves(&rows, width, height, None));
    let (all, some) = (height * width, wide(dtype) * height * lines.len());
    let steps = [spectra_of(dtype, &[all; 2]), kept, step(some, some)];
    let [forward, adjoint] = to_spectra(dtype, steps);
    case(shape, KSpace::Lines(lines.to_vec())).moves(forward, adjoint)
}

fn points(dtype: DType, shape: [usize; 2], positions: &'static [[f64; 2]]) -> Case {
    let [height, width] = shape;
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
    let kept = numbers(dtype, table::moves(&rows, height * width, 1, weights));
    let [forward, adjoint] = to_spectra(dtype, [spectra_of(dtype, &[height * width; 3]), kept]);
    case(shape, KSpace::Points(positions.to_vec())).moves(forward, adjoint)
}

fn case(shape: [usize; 2], k_space: KSpace) -> Case {
    let name = format!("{k_space:?} of {shape:?}");
    Case::new(name, move |cell: &_| MRI2D::new(space(cell, &shape)?, &k_space))
}
