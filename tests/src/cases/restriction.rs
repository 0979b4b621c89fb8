//! `Restriction`: along each axis, in any order, repeated, none, evenly spaced, and masks.

use arrayspan_bridge::DType;
use arrayspan_operators::Restriction;

use super::{space, table};
use crate::suite::{Case, Moves};

/// One launch that reads what is picked, once, and the table; neighbours are boxes of an index map.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("restriction/{key}");
    vec![
        case(&[11], 0, &[9, 0, 4, 5]).golden(golden("vector")),
        case(&[5, 3, 7], 0, &[3, 0, 4]).golden(golden("axis0")),
        case(&[5, 3, 7], 1, &[2, 0]).golden(golden("axis1")),
        case(&[5, 3, 7], -1, &[6, 1, 2, 5]).golden(golden("axis2")),
        case(&[7, 5], 0, &[2, 5, 2, 2, 0]).golden(golden("repeated")),
        case(&[7, 5], 0, &[1, 3, 5]).golden(golden("stepped")),
        slice(&[7, 5], 1, 1..4).golden(golden("slice")),
        slice(&[1, 4], 0, 0..1).golden(golden("single")),
        slice(&[5, 3], 0, 0..5).golden(golden("all")),
        slice(&[3, 5, 2], 1, 3..4).golden(golden("one_of_each")),
        case(&[3, 13], 1, &[12, 9, 6]),
        case(&[67], 0, &[1, 2, 31, 32, 33, 66]),
        case(&[1, 13, 1], 1, &[0, 3, 4, 12]),
        none(&[5, 4], 0),
        case(&[1, 4], 0, &[0, 0, 0]),
        mask(&[7, 5], 0, &[5, 2, 2, 0]).golden(golden("mask")),
    ]
}

fn case(shape: &[usize], axis: isize, indices: &'static [usize]) -> Case {
    let name = format!("{indices:?} along axis {axis} of {shape:?}");
    let (extent, others) = along(shape, axis);
    let rows: Vec<_> = indices.iter().map(|index| vec![*index]).collect();
    let [forward, adjoint] = table::moves(&rows, extent, others, None);
    let shape = shape.to_vec();
    let make = move |cell: &_| Restriction::new(space(cell, &shape)?, axis, indices);
    Case::new(name, make).moves(forward, adjoint)
}

/// Nothing is picked; the adjoint is zero, and adds nothing.
fn none(shape: &[usize], axis: isize) -> Case {
    let all = shape.iter().product();
    let shape = shape.to_vec();
    let nothing = Moves::one(0, 0);
    let make = move |cell: &_| Restriction::new(space(cell, &shape)?, axis, []);
    Case::new("nothing", make).moves(nothing, Moves::one(0, all)).moves_adding(nothing, nothing)
}

fn mask(shape: &[usize], axis: isize, indices: &'static [usize]) -> Case {
    let name = format!("mask of {indices:?} along axis {axis} of {shape:?}");
    let (extent, others) = along(shape, axis);
    let kept = |row: usize| if indices.contains(&row) { vec![row] } else { Vec::new() };
    let rows: Vec<_> = (0..extent).map(kept).collect();
    let [forward, adjoint] = table::moves(&rows, extent, others, None);
    let shape = shape.to_vec();
    let make = move |cell: &_| Restriction::mask(space(cell, &shape)?, axis, indices);
    Case::new(name, make).moves(forward, adjoint)
}

/// The extent of an axis and the indices of all others.
fn along(shape: &[usize], axis: isize) -> (usize, usize) {
    let extent = shape[axis.rem_euclid(shape.len() as isize) as usize];
    (extent, shape.iter().product::<usize>() / extent)
}

/// Neighbours: a copy, with zeros on both sides in the adjoint.
fn slice(shape: &[usize], axis: usize, indices: std::ops::Range<usize>) -> Case {
    let name = format!("{indices:?} along axis {axis} of {shape:?}");
    let all: usize = shape.iter().product();
    let kept = all / shape[axis] * indices.len();
    let copy = Moves::one(kept, kept);
    let adjoint = Moves::one(kept, all);
    let adding = Moves::one(2 * kept, kept);
    let shape = shape.to_vec();
    let make = move |cell: &_| {
        Restriction::new(space(cell, &shape)?, axis as isize, indices.clone().collect::<Vec<_>>())
    };
    Case::new(name, make).moves(copy, adjoint).moves_adding(adding, adding)
}
