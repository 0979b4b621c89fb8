//! `FFT2D`: in every norm, along axes in either order, padded and cut, shifted.

use arrayspan_bridge::DType;
use arrayspan_operators::{FFT2D, FourierAxis, FourierNorm, Spectrum};

use super::fourier::{NORMS, moves, of_points, spectra, turned};
use super::space;
use crate::suite::Case;

/// A launch for each axis.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let axis = FourierAxis::new;
    let mut cases = Vec::new();
    for (name, spectrum) in spectra(dtype) {
        let golden = |key: &str| format!("fft2d/{key}_{name}");
        let case = |shape: &[usize], axes, norm| case(dtype, shape, axes, spectrum, norm);
        for (key, norm) in NORMS {
            let case = case(&[5, 6], [-2, -1].map(axis), norm);
            cases.push(case.golden(golden(&format!("norm_{key}"))));
        }
        let ortho = FourierNorm::Ortho;
        cases.push(case(&[4, 3, 5], [2, 0].map(axis), ortho).golden(golden("axes")));
        let padded = [of_points(0, 8), of_points(1, 7)];
        cases.push(case(&[5, 4], padded, ortho).golden(golden("padded")));
        let cut = [of_points(0, 4), of_points(1, 6)];
        cases.push(case(&[5, 7], cut, FourierNorm::Unscaled).golden(golden("cut")));
        let first = turned(axis(0), true, true);
        cases.push(case(&[5, 4, 3], [first, axis(1)], ortho).golden(golden("turned")));
        cases.push(case(&[1, 13], [0, 1].map(axis), ortho));
    }
    cases
}

fn case(
    dtype: DType,
    shape: &[usize],
    axes: [FourierAxis; 2],
    spectrum: Spectrum,
    norm: FourierNorm,
) -> Case {
    let name = format!("{shape:?} {axes:?} {spectrum:?} {norm:?}");
    let mut extents = shape.to_vec();
    let mut lens = vec![extents.iter().product()];
    for (number, axis) in axes.iter().enumerate().rev() {
        let at = axis.axis.rem_euclid(shape.len() as isize) as usize;
        let points = axis.points.unwrap_or(shape[at]);
        let half = number == 1 && spectrum == Spectrum::Half;
        extents[at] = if half { points / 2 + 1 } else { points };
        lens.push(extents.iter().product());
    }
    let [forward, adjoint] = moves(dtype, &lens);
    let shape = shape.to_vec();
    let make = move |cell: &_| FFT2D::new(space(cell, &shape)?, axes, spectrum, norm);
    Case::new(name, make).moves(forward, adjoint)
}
