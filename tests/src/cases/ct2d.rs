//! `CT2D`: parallel rays and fans, along rows and columns, wide of the image, one pixel.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use arrayspan_bridge::DType;
use arrayspan_operators::{BeamGeometry, CT2D};

use super::space;
use crate::suite::{Case, Moves};

/// Along rows, along columns, exactly between, and from the other side.
const ANGLES: [f64; 7] = [0.0, 0.3, FRAC_PI_4, 1.2, FRAC_PI_2, 2.5, 4.0];

/// One launch for rays along columns, one for those along rows, and one that turns the image for these.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let (parallel, fan) = (BeamGeometry::Parallel, BeamGeometry::Fan { source: 20.0, detector: 12.0 });
    let golden = |key: &str, case: Case| case.golden(format!("ct2d/{key}"));
    vec![
        golden("parallel", case(dtype, [7, 13], (11, 1.25), &ANGLES, parallel, Rays::Both)),
        golden("fan", case(dtype, [7, 13], (11, 1.75), &ANGLES, fan, Rays::Both)),
        golden("narrow", case(dtype, [5, 4], (17, 0.3), &ANGLES[..2], parallel, Rays::Down)),
        golden("across", case(dtype, [3, 5], (2, 2.5), &ANGLES[3..5], fan, Rays::Along)),
        case(dtype, [1, 1], (3, 0.5), &ANGLES[..2], parallel, Rays::Down),
    ]
}

/// Which rays there are: along columns, along rows.
#[derive(Clone, Copy, PartialEq)]
enum Rays {
    Down,
    Along,
    Both,
}

fn case(
    dtype: DType,
    image: [usize; 2],
    (detectors, width): (usize, f64),
    angles: &'static [f64],
    geometry: BeamGeometry,
    rays: Rays,
) -> Case {
    let (pixels, data, real) = (image[0] * image[1], angles.len() * detectors, dtype.real().bytes());
    let table = data * (2 * size_of::<i64>() + real) + 6 * angles.len() * real;
    let turn = Moves::one(pixels, pixels);
    let moves = |from, to| Moves { table, ..Moves::one(from, to) };
    let (forward, adjoint) = (moves(pixels, data), moves(data, pixels));
    let [forward, adjoint] = match rays {
        Rays::Down => [forward, adjoint],
        Rays::Along => [turn.then(forward), adjoint.then(turn)],
        Rays::Both => [
            forward.then(turn).then(forward.reading(data)),
            adjoint.then(adjoint).then(turn.reading(pixels)),
        ],
    };
    let name = format!("{image:?}, {detectors} detectors of {width}, {angles:?}, {geometry:?}");
    Case::new(name, move |cell| CT2D::new(space(cell, &image)?, detectors, width, angles, geometry))
        .moves(forward, adjoint)
}
