//! `DWT2D`: the last axes, others, in another order; several levels, more than an axis has room for.

use arrayspan_bridge::DType;
use arrayspan_operators::{DWT2D, Wavelet};

use super::{dwtnd, space};
use crate::suite::{Case, Cell};

/// A launch for each axis of a level, and copies beside the corners.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |shape: &'static [usize], axes: [isize; 2], wavelet: &'static str, levels| {
        let name = format!("{levels} levels of {wavelet} along {axes:?} of {shape:?}");
        let make = move |cell: &Cell| {
            DWT2D::new(space(cell, shape)?, axes, &Wavelet::named(wavelet)?, levels)
        };
        let [forward, adjoint] = dwtnd::moves(dtype, shape, &axes, wavelet, levels);
        Case::new(name, make).moves(forward, adjoint)
    };
    vec![
        case(&[7, 8], [0, 1], "db2", 1).golden("dwt2d/plane"),
        case(&[8, 5], [-2, -1], "bior3.3", 2).golden("dwt2d/levels"),
        case(&[5, 2, 4], [2, 0], "haar", 2).golden("dwt2d/first_last"),
        case(&[3, 16], [0, 1], "sym3", 3).golden("dwt2d/deep"),
        case(&[1, 11], [0, 1], "haar", 1),
    ]
}
