//! `SumAlong`: along each axis, of one sample, of one axis alone.

use arrayspan_bridge::DType;
use arrayspan_operators::SumAlong;

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads each value once; one more where sums are added.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("sum_along/{key}");
    vec![
        case(&[11], 0).golden(golden("vector")),
        case(&[5, 3, 7], 0).golden(golden("axis0")),
        case(&[5, 3, 7], 1).golden(golden("axis1")),
        case(&[5, 3, 7], -1).golden(golden("axis2")),
        case(&[5, 1], 1).golden(golden("single")),
        case(&[127, 3], 0).golden(golden("long")),
        case(&[5, 1], 0),
    ]
}

fn case(shape: &[usize], axis: isize) -> Case {
    let name = format!("{shape:?} along axis {axis}");
    let all: usize = shape.iter().product();
    let sums = all / shape[axis.rem_euclid(shape.len() as isize) as usize];
    let adding = Moves::one(all, sums).then(Moves::one(2 * sums, sums));
    // The sum of one is itself.
    let adding = if sums == all { Moves::one(2 * all, all) } else { adding };
    let shape = shape.to_vec();
    Case::new(name, move |cell: &_| SumAlong::new(space(cell, &shape)?, axis))
        .moves(Moves::one(all, sums), Moves::one(sums, all))
        .moves_adding(adding, Moves::one(sums + all, all))
}
