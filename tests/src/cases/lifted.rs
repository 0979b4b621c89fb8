//! `a.lifted(…)`: derivatives, products and stacks, along a first and a last axis.

use arrayspan_bridge::DType;
use arrayspan_operators::{Lift, vstack};

use super::parts::{MODEL, first, matrix, second};
use crate::suite::{Case, Cell, Moves};

/// As many launches as without the axis, and as many times the values.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(4 * MODEL, 4 * MODEL);
    let (forward, adjoint) = (Moves::one(35 + 2 * MODEL, 30), Moves::one(35 + 30, 2 * MODEL));
    let twice = Moves::one(2 * MODEL, 2 * MODEL);
    let below = Moves::one(3 * MODEL, 3 * MODEL);
    vec![
        Case::new("derivative", |cell: &Cell| first(cell)?.lifted(Lift::Trailing(4)))
            .golden("compositions/lifted")
            .moves(once, once),
        Case::new("product", |cell: &Cell| {
            matrix(cell)?.after(first(cell)?).build()?.lifted(Lift::Leading(2))
        })
        .moves(twice.then(forward), adjoint.then(twice)),
        Case::new("stack", |cell: &Cell| {
            vstack([first(cell)?, second(cell)?])?.lifted(Lift::Leading(3))
        })
        .moves(below.then(below), Moves::one(6 * MODEL, 3 * MODEL)),
    ]
}
