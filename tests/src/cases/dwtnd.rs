//! `DWTND`: three axes, some of them, one; several levels.

use arrayspan_bridge::DType;
use arrayspan_operators::{DWTND, Wavelet};

use super::{space, wavelets};
use crate::suite::{Case, Cell, Moves};

/// A launch for each axis of a level, and copies beside the corners.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let case = |shape: &'static [usize], axes: &'static [isize], wavelet: &'static str, levels| {
        let name = format!("{levels} levels of {wavelet} along {axes:?} of {shape:?}");
        let make = move |cell: &Cell| {
            DWTND::new(space(cell, shape)?, axes, &Wavelet::named(wavelet)?, levels)
        };
        let [forward, adjoint] = moves(dtype, shape, axes, wavelet, levels);
        Case::new(name, make).moves(forward, adjoint)
    };
    let one = wavelets::at_once("coif1", [7, 8], 2, 3, dtype);
    vec![
        case(&[4, 5, 3], &[0, 1, 2], "db2", 1).golden("dwtnd/volume"),
        case(&[8, 3, 4], &[0, 1, 2], "rbio2.2", 2).golden("dwtnd/levels"),
        case(&[4, 3, 6], &[2, 0], "haar", 2).golden("dwtnd/two"),
        case(&[1, 13, 2], &[0, 1, 2], "haar", 1),
        Case::new("one axis", |cell: &Cell| {
            DWTND::new(space(cell, &[3, 7])?, &[-1], &Wavelet::named("coif1")?, 2)
        })
        .golden("dwtnd/one")
        .moves(one[0], one[1]),
    ]
}

/// A launch for each axis of a level, and of further ones copies of what is not in the corner: halves of ever less axes.
pub(super) fn moves(
    dtype: DType,
    shape: &[usize],
    axes: &[isize],
    wavelet: &str,
    levels: usize,
) -> [Moves; 2] {
    let at = |axis: isize| axis.rem_euclid(shape.len() as isize) as usize;
    let mut extents = shape.to_vec();
    let none = Moves { launches: 0, read: 0, written: 0, table: 0 };
    let mut all = [none; 2];
    let mut both = |[forward, adjoint]: [Moves; 2]| {
        all = [all[0].then(forward), adjoint.then(all[1])];
    };
    for number in 0..levels {
        for axis in axes.iter().map(|axis| at(*axis)) {
            let own = extents[axis];
            let extent = if number == 0 { own.next_power_of_two().max(1 << levels) } else { own };
            let others = extents.iter().product::<usize>() / own;
            both(wavelets::applied(&wavelets::level(wavelet, [own, extent], 0), others, dtype));
            extents[axis] = extent;
        }
        if number + 1 < levels {
            for axis in axes.iter().map(|axis| at(*axis)) {
                extents[axis] /= 2;
                let beside = extents.iter().product();
                both([Moves::one(beside, beside); 2]);
            }
        }
    }
    all
}
