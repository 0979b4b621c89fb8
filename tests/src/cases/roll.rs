//! `Roll`: along each axis, forward and back, by nothing and by more than the extent.

use arrayspan_bridge::DType;
use arrayspan_operators::Roll;

use super::space;
use crate::suite::{Case, Moves};

/// One launch for both parts that change places.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("roll/{key}");
    vec![
        case(&[11], 0, 3).golden(golden("vector")),
        case(&[5, 3, 7], 0, -2).golden(golden("axis0")),
        case(&[5, 3, 7], 1, 7).golden(golden("axis1")),
        case(&[5, 3, 7], -1, 3).golden(golden("axis2")),
        case(&[5, 3], 0, 0).golden(golden("none")),
        case(&[5, 3], 0, 5).golden(golden("around")),
        case(&[5, 3], 0, 13).golden(golden("beyond")),
        case(&[5, 3], 0, -13).golden(golden("back_beyond")),
        case(&[1, 4], -2, 3).golden(golden("single")),
        case(&[5, 3], 0, 10),
    ]
}

fn case(shape: &[usize], axis: isize, shift: isize) -> Case {
    let len = shape.iter().product();
    let moves = Moves::one(len, len);
    let shape = shape.to_vec();
    let name = format!("{shape:?} along axis {axis} by {shift}");
    let make = move |cell: &_| Roll::new(space(cell, &shape)?, axis, shift);
    Case::new(name, make).moves(moves, moves)
}
