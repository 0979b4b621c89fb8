//! `DWT`: every family along every axis, with zeros behind samples, several levels, filters around short axes, none.

use arrayspan_bridge::DType;
use arrayspan_operators::{DWT, Wavelet};

use super::{space, wavelets};
use crate::suite::{Case, Cell, Moves};

/// One launch: levels of short axes become one.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |shape: &'static [usize], axis, wavelet, levels| {
        case(dtype, shape, axis, wavelet, levels)
    };
    // The matrix of all three levels has more entries than those of one and of two.
    let apart = wavelets::first_apart("db3", [16, 16], 3, 3, dtype);
    // The inverse is the adjoint of the dual.
    let back = wavelets::at_once("rbio2.2", [7, 8], 2, 2, dtype);
    vec![
        case(&[8], 0, "haar", 1).golden("dwt/haar"),
        case(&[11], 0, "db2", 1).golden("dwt/padded"),
        case(&[7, 3], 0, "sym4", 1).golden("dwt/axis0"),
        case(&[2, 5, 3], 1, "bior2.2", 1).golden("dwt/axis1"),
        case(&[2, 3, 8], -1, "rbio1.3", 1).golden("dwt/last"),
        case(&[16, 3], 0, "db3", 3).golden("dwt/levels").moves(apart[0], apart[1]),
        case(&[3, 2], 0, "coif2", 2).golden("dwt/short"),
        case(&[13], 0, "dmey", 2).golden("dwt/meyer"),
        Case::new("no level", |cell: &Cell| {
            DWT::new(space(cell, &[5])?, 0, &Wavelet::named("db4")?, 0)
        })
        .golden("dwt/none")
        .moves(Moves::one(5, 8), Moves::one(5, 5))
        .moves_adding(Moves::one(10, 5), Moves::one(10, 5)),
        case(&[1, 3], 0, "db2", 1),
        Case::new("inverse", |cell: &Cell| {
            DWT::inverse(space(cell, &[7, 2])?, 0, &Wavelet::named("bior2.2")?, 2)
        })
        .moves(back[1], back[0]),
    ]
}

fn case(
    dtype: DType,
    shape: &'static [usize],
    axis: isize,
    wavelet: &'static str,
    levels: usize,
) -> Case {
    let name = format!("{levels} levels of {wavelet} along axis {axis} of {shape:?}");
    let at = axis.rem_euclid(shape.len() as isize) as usize;
    let (own, others) = (shape[at], shape.iter().product::<usize>() / shape[at]);
    let extent = own.next_power_of_two().max(1 << levels);
    let [forward, adjoint]: [Moves; 2] =
        wavelets::at_once(wavelet, [own, extent], levels, others, dtype);
    let make =
        move |cell: &Cell| DWT::new(space(cell, shape)?, axis, &Wavelet::named(wavelet)?, levels);
    Case::new(name, make).moves(forward, adjoint)
}
