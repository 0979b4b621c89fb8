//! `Real`: of vectors and of several axes.

use arrayspan_bridge::DType;
use arrayspan_operators::Real;

use super::space;
use crate::suite::{Case, Moves};

/// One launch that reads and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    vec![
        case(&[11]).golden("real/vector"),
        case(&[5, 3]).golden("real/matrix"),
        case(&[1, 13, 2]),
        case(&[1]),
    ]
}

fn case(shape: &[usize]) -> Case {
    let len = shape.iter().product();
    let name = format!("{shape:?}");
    let shape = shape.to_vec();
    let moves = Moves::one(len, len);
    Case::new(name, move |cell: &_| Real::new(space(cell, &shape)?)).moves(moves, moves)
}
