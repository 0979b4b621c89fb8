//! `hstack`: domains that join along the first axis, domains that do not, one part.

use arrayspan_bridge::DType;
use arrayspan_operators::{adjoint, hstack};

use super::parts::{MODEL, corner, first, matrix, second};
use crate::suite::{Case, Cell, Moves};

/// What the parts cost; forward, derivatives are added up in one pass.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let (forward, transposed) = (Moves::one(35 + MODEL, 15), Moves::one(35 + 15, MODEL));
    let cut = Moves::one(10, 10);
    let pasted = Moves::one(2 * 10, 10);
    vec![
        Case::new("joined", |cell: &Cell| hstack([first(cell)?, second(cell)?]))
            .golden("compositions/hstack")
            .moves(Moves::one(2 * MODEL, MODEL), once.then(once)),
        Case::new("matrix beside derivative", |cell: &Cell| {
            hstack([first(cell)?, adjoint(matrix(cell)?)])
        })
        .moves(once.then(transposed.reading(MODEL)), once.then(forward)),
        Case::new("flat", |cell: &Cell| hstack([first(cell)?, adjoint(corner(cell)?)]))
            .moves(once.then(pasted), once.then(cut)),
        Case::new("alone", |cell: &Cell| hstack([matrix(cell)?])).moves(forward, transposed),
    ]
}
