//! `vstack`: ranges that join along the first axis, ranges that do not, one part, parts that are compositions.

use arrayspan_bridge::DType;
use arrayspan_operators::{hstack, vstack};

use super::parts::{MODEL, corner, first, matrix, multiple, second, weights};
use crate::suite::{Case, Cell, Moves};

/// What the parts cost; in the adjoint derivatives are added up in one pass, and each other part but the first reads the
/// output once more.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let added = once.reading(MODEL);
    let (forward, transposed) = (Moves::one(35 + MODEL, 15), Moves::one(35 + 15, MODEL));
    let cut = Moves::one(10, 10);
    // The corner comes second: it adds to what is there and leaves the rest alone.
    let pasted = Moves::one(2 * 10, 10);
    vec![
        Case::new("joined", |cell: &Cell| vstack([first(cell)?, second(cell)?]))
            .golden("compositions/vstack")
            .moves(once.then(once), Moves::one(2 * MODEL, MODEL)),
        Case::new("matrix and derivative", |cell: &Cell| vstack([matrix(cell)?, first(cell)?]))
            .moves(forward.then(once), transposed.then(added)),
        Case::new("flat", |cell: &Cell| vstack([first(cell)?, corner(cell)?]))
            .moves(once.then(cut), once.then(pasted)),
        Case::new("of hstacks", |cell: &Cell| {
            let (one, two) = (first(cell)?, second(cell)?);
            vstack([hstack([&one, &two])?, hstack([two.clone(), (0.5 * &one).build()?])?])
        })
        .golden("compositions/block")
        .moves(
            Moves::one(2 * MODEL, MODEL).then(Moves::one(2 * MODEL, MODEL)),
            once.then(once).then(added).then(added),
        ),
        Case::new("weights and multiples", |cell: &Cell| {
            vstack([weights(cell)?, multiple(cell)?, multiple(cell)?.conj()])
        })
        .moves(Moves::one(2 * MODEL, 3 * MODEL), Moves::one(4 * MODEL, MODEL)),
        Case::new("alone", |cell: &Cell| vstack([matrix(cell)?])).moves(forward, transposed),
        Case::new("with a product", |cell: &Cell| {
            vstack([first(cell)?, (0.5 * matrix(cell)?.after(second(cell)?).build()?).build()?])
        })
        .moves(once.then(once).then(forward), once.then(transposed).then(added)),
    ]
}
