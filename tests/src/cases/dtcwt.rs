//! `DTCWT`: every filter, along every axis, levels that need more samples and more than there is room for.

use arrayspan_bridge::DType;
use arrayspan_operators::{Biorthogonal, DTCWT, QuarterShift, Space};

use super::{space, table};
use crate::suite::{Case, Cell, Moves};

/// One launch: levels of short axes become one. Another one brings the trees before other axes.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let (near, a) = (Biorthogonal::default(), QuarterShift::default());
    let case = |shape: &'static [usize], axis, levels, first, further| {
        case(dtype, shape, axis, levels, first, further)
    };
    vec![
        case(&[10], 0, 1, near, a).golden("dtcwt/one"),
        case(&[12], 0, 2, Biorthogonal::LeGall, a).golden("dtcwt/two"),
        case(&[10, 3], 0, 3, near, a).golden("dtcwt/first"),
        case(&[2, 8, 3], 1, 2, Biorthogonal::Antonini, QuarterShift::Six).golden("dtcwt/middle"),
        case(&[3, 6], -1, 2, Biorthogonal::NearSymmetricB, QuarterShift::B).golden("dtcwt/last"),
        case(&[14], 0, 2, near, QuarterShift::C).golden("dtcwt/c"),
        case(&[8], 0, 3, near, QuarterShift::D).golden("dtcwt/d"),
        case(&[6], 0, 5, near, QuarterShift::ThirtyTwo).golden("dtcwt/deep"),
        case(&[1, 4, 13], 1, 1, near, a),
        inverse(dtype).golden("dtcwt/inverse"),
    ]
}

fn case(
    dtype: DType,
    shape: &'static [usize],
    axis: isize,
    levels: usize,
    first: Biorthogonal,
    further: QuarterShift,
) -> Case {
    let name = format!("{levels} levels along axis {axis} of {shape:?}, {first:?}, {further:?}");
    let at = axis.rem_euclid(shape.len() as isize) as usize;
    let others = shape.iter().product::<usize>() / shape[at];
    let line = Space::new([shape[at]], DType::Float64);
    let rows = rows(line.and_then(|line| DTCWT::new(line, 0, levels, first, further)));
    let [mut forward, mut adjoint] = table::moves(&rows, shape[at], others, Some(dtype.real()));
    if at > 0 {
        let data = rows.len() * others;
        let front = Moves::one(data, data);
        (forward, adjoint) = (forward.then(front), front.then(adjoint));
    }
    let make = move |cell: &Cell| DTCWT::new(space(cell, shape)?, axis, levels, first, further);
    Case::new(name, make).moves(forward, adjoint)
}

fn inverse(dtype: DType) -> Case {
    let (near, a) = (Biorthogonal::default(), QuarterShift::default());
    let line = Space::new([10], DType::Float64);
    let rows = rows(line.and_then(|line| DTCWT::inverse(line, 0, 3, near, a)));
    let [forward, adjoint] = table::moves(&rows, 28, 1, Some(dtype.real()));
    let make = move |cell: &Cell| DTCWT::inverse(space(cell, &[10])?, 0, 3, near, a);
    Case::new("inverse", make).moves(forward, adjoint)
}

/// The columns that rows of the whole matrix name.
fn rows(
    made: arrayspan_operators::Result<arrayspan_operators::Operator>,
) -> Vec<Vec<usize>> {
    // Cannot fail: the operator is made of the same.
    let matrix = made.and_then(|operator| operator.to_sparse());
    matrix.map_or_else(
        |_| Vec::new(),
        |matrix| {
            let row = |row| matrix.row(row).map(|entry| entry.0).collect();
            (0..matrix.shape[0]).map(row).collect()
        },
    )
}
