//! `FFTND`: along one, two and three axes in any order, in every norm, padded, shifted.

use arrayspan_bridge::DType;
use arrayspan_operators::{FFTND, FourierAxis, FourierNorm, Spectrum};

use super::fourier::{moves, of_points, spectra, turned};
use super::space;
use crate::suite::Case;

/// A launch for each axis.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let axis = FourierAxis::new;
    let mut cases = Vec::new();
    for (name, spectrum) in spectra(dtype) {
        let golden = |key: &str| format!("fftnd/{key}_{name}");
        let case = |shape: &[usize], axes: &[FourierAxis], norm| case(dtype, shape, axes, spectrum, norm);
        let ortho = FourierNorm::Ortho;
        // Each axis takes kernels of its own, and neighbours run together: those along three axes stand apart.
        cases.push(case(&[3, 4, 5], &[-3, -2, -1].map(axis), ortho).golden(golden("norm_ortho")));
        let outer = [0, 2].map(axis);
        cases.push(case(&[3, 4, 5], &outer, FourierNorm::Unscaled).golden(golden("norm_none")));
        let shifted =
            [turned(of_points(1, 5), true, true), turned(of_points(2, 4), false, true)];
        cases.push(case(&[3, 5, 4], &shifted, ortho).golden(golden("turned")));
        cases.push(case(&[3, 4, 5], &outer, FourierNorm::OverN).golden(golden("norm_1n")));
        cases.push(case(&[4, 3, 2, 5], &[3, 0, 1].map(axis), ortho).golden(golden("axes")));
        let padded = [of_points(0, 3), of_points(2, 4)];
        cases.push(case(&[2, 5, 3], &padded, ortho).golden(golden("padded")));
        cases.push(case(&[4, 3], &[axis(0)], ortho).golden(golden("one_axis")));
        cases.push(case(&[11, 1, 2], &[2, 0].map(axis), ortho));
    }
    cases
}

fn case(
    dtype: DType,
    shape: &[usize],
    axes: &[FourierAxis],
    spectrum: Spectrum,
    norm: FourierNorm,
) -> Case {
    let name = format!("{shape:?} {axes:?} {spectrum:?} {norm:?}");
    let mut extents = shape.to_vec();
    let mut lens = vec![extents.iter().product()];
    for (number, axis) in axes.iter().enumerate().rev() {
        let at = axis.axis.rem_euclid(shape.len() as isize) as usize;
        let points = axis.points.unwrap_or(shape[at]);
        let half = number + 1 == axes.len() && spectrum == Spectrum::Half;
        extents[at] = if half { points / 2 + 1 } else { points };
        lens.push(extents.iter().product());
    }
    let [forward, adjoint] = moves(dtype, &lens);
    let (shape, axes) = (shape.to_vec(), axes.to_vec());
    let make = move |cell: &_| FFTND::new(space(cell, &shape)?, &axes, spectrum, norm);
    Case::new(name, make).moves(forward, adjoint)
}
