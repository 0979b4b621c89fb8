//! `FFT`: along every axis, in every norm, padded and cut, shifted, of lengths with small and large factors.

use arrayspan_bridge::DType;
use arrayspan_operators::{FFT, FourierAxis, FourierNorm, Spectrum};

use super::fourier::{NORMS, moves, of_points, spectra, turned};
use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads each sample and writes each bin once; two where a length has large factors, with lines between them.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let [ortho, none, over_n] = NORMS.map(|(_, norm)| norm);
    let axis = FourierAxis::new;
    let mut cases = Vec::new();
    for (name, spectrum) in spectra(dtype) {
        let golden = |key: &str| format!("fft/{key}_{name}");
        let case = |shape: &[usize], axis, norm| case(dtype, shape, axis, spectrum, norm);
        cases.push(case(&[12], axis(-1), ortho).golden(golden("vector")));
        for at in 0..3 {
            let case = case(&[5, 4, 7], axis(at), none);
            cases.push(case.golden(golden(&format!("axis{at}"))));
        }
        cases.push(case(&[3, 7], of_points(1, 10), over_n).golden(golden("padded")));
        cases.push(case(&[3, 9], of_points(1, 6), ortho).golden(golden("cut")));
        cases.push(case(&[9, 2], turned(axis(0), true, true), ortho).golden(golden("turned")));
        let padded = turned(of_points(1, 10), true, true);
        cases.push(case(&[2, 7], padded, none).golden(golden("turned_padded")));
        let cut = turned(of_points(-1, 5), true, false);
        cases.push(case(&[2, 8], cut, ortho).golden(golden("turned_cut")));
        cases.push(case(&[2, 17], axis(-1), over_n).golden(golden("prime")));
        cases.push(case(&[1, 3], axis(0), ortho).golden(golden("single")));
        cases.push(case(&[3, 286], axis(1), ortho));
        cases.push(case(&[23, 5], axis(0), ortho));
        cases.push(case(&[1, 1], of_points(0, 2), none));
    }
    cases
}

fn case(
    dtype: DType,
    shape: &[usize],
    axis: FourierAxis,
    spectrum: Spectrum,
    norm: FourierNorm,
) -> Case {
    let name = format!("{shape:?} {axis:?} {spectrum:?} {norm:?}");
    let at = if axis.axis < 0 { shape.len() - 1 } else { axis.axis as usize };
    let points = axis.points.unwrap_or(shape[at]);
    let bins = if spectrum == Spectrum::Half { points / 2 + 1 } else { points };
    let (models, lines) = (shape.iter().product::<usize>(), shape.iter().product::<usize>() / shape[at]);
    let [mut forward, mut adjoint] = moves(dtype, &[models, lines * bins]);
    // 17 and 23 have no butterflies: lines are convolved, by two transforms of a longer one.
    if let Some(length) = [(17, 40), (23, 48)].into_iter().find(|(prime, _)| *prime == points) {
        let between = lines * length.1;
        let wide = if dtype.is_complex() { 1 } else { 2 };
        forward = forward.then(Moves { launches: 1, ..Moves::one(wide * between, between) });
        adjoint = adjoint.then(Moves { launches: 1, ..Moves::one(between, wide * between) });
    }
    let shape = shape.to_vec();
    let make = move |cell: &_| FFT::new(space(cell, &shape)?, axis, spectrum, norm);
    Case::new(name, make).moves(forward, adjoint)
}
