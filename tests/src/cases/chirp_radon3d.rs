//! `ChirpRadon3D`: odd and even extents, its adjoint and its inverse.

use arrayspan_bridge::DType;
use arrayspan_operators::ChirpRadon3D;

use super::chirp_radon2d::moves;
use super::space;
use crate::suite::Case;

/// To spectra, to slopes along both axes, and back.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    vec![
        case(dtype, [5, 4, 11], [0.75, -0.5], false, Some("slopes")),
        case(dtype, [5, 4, 11], [0.75, -0.5], true, Some("inverse")),
        case(dtype, [1, 2, 3], [0.5, 1.0], false, None),
    ]
}

fn case(
    dtype: DType,
    shape: [usize; 3],
    pmax: [f64; 2],
    inverse: bool,
    key: Option<&str>,
) -> Case {
    let name = format!("{shape:?} up to {pmax:?}, inverse: {inverse}");
    let make = move |cell: &_| {
        let space = space(cell, &shape)?;
        if inverse { ChirpRadon3D::inverse(space, pmax) } else { ChirpRadon3D::new(space, pmax) }
    };
    let [forward, adjoint] = moves(dtype, &shape, inverse);
    let case = Case::new(name, make).moves(forward, adjoint);
    match key {
        Some(key) => case.golden(format!("chirp_radon3d/{key}")),
        None => case,
    }
}
