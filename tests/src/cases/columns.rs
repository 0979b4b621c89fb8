//! `a.columns(…)`: of a derivative, and of a matrix.

use arrayspan_bridge::DType;

use super::parts::{MODEL, first, matrix};
use crate::suite::{Case, Cell, Moves};

const SOME: [usize; 5] = [20, 3, 4, 0, 11];

/// What is given goes to its place among zeros, by a table with an entry for each element of the model; what is picked of the
/// adjoint's result, by one with an entry for each column.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let (given, model) = (SOME.len(), MODEL);
    let placed = Moves { table: 4 * model, ..Moves::one(given, model) };
    let picked = Moves { table: 4 * given, ..Moves::one(given, given) };
    let once = Moves::one(model, model);
    let (forward, adjoint) = (Moves::one(35 + model, 15), Moves::one(35 + 15, model));
    vec![
        Case::new("derivative", |cell: &Cell| first(cell)?.columns(SOME))
            .golden("compositions/columns")
            .moves(placed.then(once), once.then(picked)),
        Case::new("matrix", |cell: &Cell| matrix(cell)?.columns(SOME))
            .moves(placed.then(forward), adjoint.then(picked)),
    ]
}
