//! `adjoint(A)`: of derivatives, of matrices that are not square, of products, of adjoints.

use arrayspan_bridge::DType;
use arrayspan_operators::adjoint;

use super::parts::{MODEL, first, matrix};
use crate::suite::{Case, Cell, Moves};

/// What the operator costs, with the directions swapped.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let (forward, transposed) = (Moves::one(35 + MODEL, 15), Moves::one(35 + 15, MODEL));
    vec![
        Case::new("derivative", |cell: &Cell| Ok(adjoint(first(cell)?)))
            .golden("compositions/adjoint")
            .moves(once, once),
        Case::new("matrix", |cell: &Cell| Ok(adjoint(matrix(cell)?))).moves(transposed, forward),
        Case::new("adjoint of an adjoint", |cell: &Cell| Ok(adjoint(adjoint(matrix(cell)?))))
            .moves(forward, transposed),
        Case::new("product", |cell: &Cell| Ok(adjoint(matrix(cell)?.after(first(cell)?).build()?)))
            .moves(transposed.then(once), once.then(forward)),
    ]
}
