//! `FourierRadon3D`: lines and parabolas, even places and others, a band, zeros behind samples.

use arrayspan_bridge::DType;
use arrayspan_operators::{FourierAxis, FourierRadon3D, RadonKind};

use super::fourier::of_points;
use super::fourier_radon2d::{Line, moves, places};
use super::space;
use crate::suite::Case;

/// To spectra, to offsets along both axes by chirps or tables, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let (linear, parabolic) = (RadonKind::Linear, RadonKind::Parabolic);
    let golden = |key: &str, case: Case| case.golden(format!("fourier_radon3d/{key}"));
    vec![
        golden("planes", case(dtype, [3, 2, 11], [2, 4], [linear; 2], None)),
        golden("mixed", case(dtype, [3, 2, 11], [2, 4], [parabolic, linear], Some([1, 5]))),
        case(dtype, [3, 2, 1], [2, 3], [linear; 2], None),
    ]
}

fn case(
    dtype: DType,
    models: [usize; 3],
    offsets: [usize; 2],
    kinds: [RadonKind; 2],
    band: Option<[usize; 2]>,
) -> Case {
    let time = FourierAxis { step: 0.5, ..of_points(-1, 13) };
    let name = format!("{models:?} to {offsets:?}, {kinds:?}, {band:?}");
    let make = move |cell: &_| {
        let [y, x] = [0, 1].map(|axis| places([models[axis], offsets[axis]], true));
        let (from, to) = ([&y[0][..], &x[0]], [&y[1][..], &x[1]]);
        let band = band.map(|[first, end]| first..end);
        FourierRadon3D::new(space(cell, &models)?, time, band, from, to, kinds)
    };
    let line = |axis: usize| Line { models: models[axis], data: offsets[axis], even: true };
    let [forward, adjoint] = moves(dtype, models[2], 13, band, &[line(0), line(1)]);
    Case::new(name, make).moves(forward, adjoint)
}
