//! `Roll`: along each axis, forward and back, by nothing and by more than the extent.

use arrayspan_bridge::DType;
use arrayspan_operators::Roll;

use super::space;
use crate::suite::{Case, Moves};

/// A launch for each of the two parts that change places.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("roll/{key}");
    vec![
        case(&[11], 0, 3, 2).golden(golden("vector")),
        case(&[5, 3, 7], 0, -2, 2).golden(golden("axis0")),
        case(&[5, 3, 7], 1, 7, 2).golden(golden("axis1")),
        case(&[5, 3, 7], -1, 3, 2).golden(golden("axis2")),
        case(&[5, 3], 0, 10, 1),
        case(&[1, 4], -2, 3, 1),
    ]
}

fn case(shape: &[usize], axis: isize, shift: isize, launches: usize) -> Case {
    let len = shape.iter().product();
    let moves = Moves { launches, ..Moves::one(len, len) };
    let shape = shape.to_vec();
    let name = format!("{shape:?} along axis {axis} by {shift}");
    let make = move |cell: &_| Roll::new(space(cell, &shape)?, axis, shift);
    Case::new(name, make).moves(moves, moves)
}
