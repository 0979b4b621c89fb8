//! `Flip`: along each axis, along several, along none.

use arrayspan_bridge::DType;
use arrayspan_operators::Flip;

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("flip/{key}");
    vec![
        case(&[11], &[0]).golden(golden("vector")),
        case(&[5, 3, 7], &[0]).golden(golden("axis0")),
        case(&[5, 3, 7], &[1]).golden(golden("axis1")),
        case(&[5, 3, 7], &[-1]).golden(golden("axis2")),
        case(&[5, 3, 7], &[0, 2]),
        case(&[5, 3], &[]),
        case(&[1, 4], &[0]).golden(golden("single")),
    ]
}

fn case(shape: &[usize], axes: &'static [isize]) -> Case {
    let len = shape.iter().product();
    let name = format!("axes {axes:?} of {shape:?}");
    let shape = shape.to_vec();
    let make = move |cell: &_| Flip::new(space(cell, &shape)?, axes);
    let moves = Moves::one(len, len);
    Case::new(name, make).moves(moves, moves)
}
