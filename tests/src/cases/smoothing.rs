//! `Smoothing`: along one axis, along several, of one neighbour and of as many as there are.

use arrayspan_bridge::DType;
use arrayspan_operators::Smoothing;

use super::space;
use crate::suite::{Case, Moves};

/// One launch for each axis, that reads and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("smoothing/{key}");
    vec![
        case(&[11], &[(0, 5)]).golden(golden("vector")),
        case(&[7, 5], &[(0, 3)]).golden(golden("axis0")),
        case(&[5, 7], &[(-1, 5)]).golden(golden("axis1")),
        case(&[7, 5], &[(0, 3), (1, 5)]).golden(golden("both")),
        case(&[3, 11, 5], &[(-2, 7), (-1, 3)]).golden(golden("last_two")),
        case(&[5, 3, 7], &[(0, 5)]).golden(golden("axis0_of_three")),
        case(&[5, 3, 7], &[(1, 3)]).golden(golden("axis1_of_three")),
        case(&[5, 3, 7], &[(2, 7)]).golden(golden("axis2_of_three")),
        case(&[11], &[(0, 5)]).golden(golden("even")),
        case(&[5, 3], &[(0, 1)]).golden(golden("alone")),
        case(&[5, 3, 7], &[(0, 3), (1, 3), (2, 5)]).golden(golden("cube")),
        case(&[1, 5], &[(0, 1)]).golden(golden("single")),
        case(&[5, 1], &[(0, 5), (1, 1)]),
    ]
}

fn case(shape: &[usize], windows: &'static [(isize, usize)]) -> Case {
    let len = shape.iter().product();
    let one = Moves::one(len, len);
    // The mean of one neighbour is the identity.
    let passes = windows.iter().filter(|(_, n)| *n > 1).count();
    let moves = (1..passes).fold(one, |moves, _| moves.then(one));
    let name = format!("{windows:?} of {shape:?}");
    let shape = shape.to_vec();
    let make = move |cell: &_| Smoothing::new(space(cell, &shape)?, windows);
    Case::new(name, make).moves(moves, moves)
}
