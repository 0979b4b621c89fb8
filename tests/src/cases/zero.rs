//! `Zero`: square, to more and to fewer axes.

use arrayspan_bridge::DType;
use arrayspan_operators::Zero;

use super::space;
use crate::suite::{Case, Moves};

/// One launch that writes zeros; nothing where they are added.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let golden = |key| format!("zero/{key}");
    vec![
        case(&[7], &[7]).golden(golden("square")),
        case(&[5], &[3]).golden(golden("wide")),
        case(&[2, 3], &[7]).golden(golden("tall")),
        case(&[1, 11, 1], &[13, 17]),
    ]
}

fn case(domain: &[usize], range: &[usize]) -> Case {
    let name = format!("{domain:?} to {range:?}");
    let zeros = |shape: &[usize]| Moves::one(0, shape.iter().product());
    let (forward, adjoint) = (zeros(range), zeros(domain));
    let none = Moves::one(0, 0);
    let (domain, range) = (domain.to_vec(), range.to_vec());
    Case::new(name, move |cell: &_| Zero::new(space(cell, &domain)?, space(cell, &range)?))
        .moves(forward, adjoint)
        .moves_adding(none, none)
}
