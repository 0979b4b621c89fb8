//! `Symmetrize`: along each axis, of one index.

use arrayspan_bridge::DType;
use arrayspan_operators::Symmetrize;

use super::space;
use crate::suite::{Case, Moves};

/// One launch, which reads what there is once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("symmetrize/{key}");
    vec![
        case(&[11], 0).golden(golden("vector")),
        case(&[5, 3, 7], 0).golden(golden("axis0")),
        case(&[5, 3, 7], 1).golden(golden("axis1")),
        case(&[5, 3, 7], -1).golden(golden("axis2")),
        case(&[1, 4], 0).golden(golden("single")),
    ]
}

fn case(shape: &[usize], axis: isize) -> Case {
    let name = format!("{shape:?} along axis {axis}");
    let all: usize = shape.iter().product();
    let rest = all - all / shape[axis.rem_euclid(shape.len() as isize) as usize];
    let (forward, adjoint) = (Moves::one(all, all + rest), Moves::one(all + rest, all));
    let shape = shape.to_vec();
    let make = move |cell: &_| Symmetrize::new(space(cell, &shape)?, axis);
    Case::new(name, make).moves(forward, adjoint)
}
