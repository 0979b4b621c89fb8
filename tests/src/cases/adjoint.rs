//! `adjoint(A)`: of derivatives, of matrices that are not square, of products, of adjoints.

use arrayspan_bridge::DType;
use arrayspan_operators::adjoint;
use num_complex::Complex64;

use super::parts::{MODEL, first, matrix};
use crate::suite::{Case, Cell, Moves};

/// What the operator costs, with the directions swapped.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let (forward, transposed) = (Moves::one(35 + MODEL, 15), Moves::one(35 + 15, MODEL));
    let mut cases = vec![
        Case::new("derivative", |cell: &Cell| Ok(adjoint(first(cell)?)))
            .golden("compositions/adjoint")
            .moves(once, once),
        Case::new("matrix", |cell: &Cell| Ok(adjoint(matrix(cell)?))).moves(transposed, forward),
        Case::new("adjoint of an adjoint", |cell: &Cell| Ok(adjoint(adjoint(matrix(cell)?))))
            .moves(forward, transposed),
        Case::new("product", |cell: &Cell| Ok(adjoint(matrix(cell)?.after(first(cell)?).build()?)))
            .moves(transposed.then(once), once.then(forward)),
        Case::new("transpose", |cell: &Cell| Ok((2.0 * first(cell)?).build()?.transpose()))
            .golden("compositions/transpose")
            .moves(once, once),
    ];
    if dtype.is_complex() {
        let multiple = |cell: &Cell| (Complex64::new(0.5, -2.0) * first(cell)?).build();
        cases.extend([
            Case::new("conjugate", move |cell: &Cell| Ok(multiple(cell)?.conj()))
                .golden("compositions/conj")
                .moves(once, once),
            Case::new("complex transpose", move |cell: &Cell| Ok(multiple(cell)?.transpose()))
                .golden("compositions/transpose_complex")
                .moves(once, once),
        ]);
    }
    cases
}
