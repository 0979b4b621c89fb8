//! `block_diagonal`: blocks that join along the first axis, blocks that do not, blocks of blocks.

use arrayspan_bridge::DType;
use arrayspan_operators::block_diagonal;

use super::parts::{MODEL, first, matrix, multiple, second, weights};
use crate::suite::{Case, Cell, Moves};

/// What the blocks cost.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let (forward, transposed) = (Moves::one(35 + MODEL, 15), Moves::one(35 + 15, MODEL));
    vec![
        Case::new("joined", |cell: &Cell| block_diagonal([first(cell)?, second(cell)?]))
            .golden("compositions/block_diagonal")
            .moves(once.then(once), once.then(once)),
        Case::new("with a matrix", |cell: &Cell| block_diagonal([matrix(cell)?, first(cell)?]))
            .moves(forward.then(once), transposed.then(once)),
        Case::new("weights and multiples", |cell: &Cell| {
            block_diagonal([weights(cell)?, multiple(cell)?])
        })
        .moves(Moves::one(3 * MODEL, 2 * MODEL), Moves::one(3 * MODEL, 2 * MODEL)),
        Case::new("of blocks", |cell: &Cell| {
            let inner = block_diagonal([first(cell)?, matrix(cell)?])?;
            block_diagonal([inner, second(cell)?])
        })
        .moves(once.then(forward).then(once), once.then(transposed).then(once)),
    ]
}
