//! `stack`: derivatives, parts of other ranges than domains, one part.

use arrayspan_bridge::DType;
use arrayspan_operators::stack;

use super::parts::{MODEL, first, matrix, multiple, second, weights};
use crate::suite::{Case, Cell, Moves};

/// What the parts cost; in the adjoint derivatives are added up in one pass.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let (forward, transposed) = (Moves::one(35 + MODEL, 15), Moves::one(35 + 15, MODEL));
    vec![
        Case::new("derivatives", |cell: &Cell| stack([second(cell)?, first(cell)?]))
            .golden("compositions/stack")
            .moves(once.then(once), Moves::one(2 * MODEL, MODEL)),
        Case::new("matrices", |cell: &Cell| stack([matrix(cell)?, matrix(cell)?]))
            .moves(forward.then(forward), transposed.then(transposed.reading(MODEL))),
        Case::new("weights twice", |cell: &Cell| {
            stack([weights(cell)?, weights(cell)?.after(multiple(cell)?).build()?])
        })
        .moves(Moves::one(3 * MODEL, 2 * MODEL), Moves::one(4 * MODEL, MODEL)),
        Case::new("alone", |cell: &Cell| stack([matrix(cell)?])).moves(forward, transposed),
    ]
}
