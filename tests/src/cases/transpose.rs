//! `Transpose`: every order of three axes, of one index among them.

use arrayspan_bridge::DType;
use arrayspan_operators::Transpose;

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("transpose/{key}");
    vec![
        case(&[11], &[0]).golden(golden("vector")),
        case(&[5, 7], &[1, 0]).golden(golden("matrix")),
        case(&[5, 3, 7], &[2, 0, 1]).golden(golden("turned")),
        case(&[5, 3, 7], &[0, -1, 1]).golden(golden("inner")),
        case(&[5, 3, 7], &[1, 0, 2]).golden(golden("outer")),
        case(&[5, 3, 7], &[1, 2, 0]).golden(golden("turned_back")),
        case(&[5, 3, 7], &[2, 1, 0]).golden(golden("reversed")),
        case(&[5, 1, 7, 2], &[3, 1, 0, 2]).golden(golden("four")),
    ]
}

fn case(shape: &[usize], order: &'static [isize]) -> Case {
    let len = shape.iter().product();
    let shape = shape.to_vec();
    let make = move |cell: &_| Transpose::new(space(cell, &shape)?, order);
    let moves = Moves::one(len, len);
    Case::new(format!("axes {order:?}"), make).moves(moves, moves)
}
