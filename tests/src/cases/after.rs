//! `a.after(b)`: square and rectangular factors, products of products, factors that hold arrays.

use arrayspan_bridge::DType;

use super::parts::{MODEL, first, matrix, second};
use crate::suite::{Case, Cell, Moves};

/// What the factors cost.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let (forward, adjoint) = (Moves::one(35 + MODEL, 15), Moves::one(35 + 15, MODEL));
    vec![
        Case::new("two derivatives", |cell: &Cell| first(cell)?.after(second(cell)?).build())
            .golden("compositions/after")
            .moves(once.then(once), once.then(once)),
        Case::new("matrix after derivative", |cell: &Cell| matrix(cell)?.after(first(cell)?).build())
            .moves(once.then(forward), adjoint.then(once)),
        Case::new("power", |cell: &Cell| first(cell)?.pow(3).build())
            .golden("compositions/power")
            .moves(once, once),
        Case::new("power of zero", |cell: &Cell| first(cell)?.pow(0).build())
            .golden("compositions/power_zero")
            .moves(once, once),
        Case::new("three factors", |cell: &Cell| {
            matrix(cell)?.after(second(cell)?.after(first(cell)?).build()?).build()
        })
        .moves(once.then(once).then(forward), adjoint.then(once).then(once)),
    ]
}
