//! `a A`, `-A`: real and complex factors, also of adjoints and of products.

use arrayspan_bridge::DType;
use arrayspan_operators::adjoint;
use num_complex::Complex64;

use super::parts::{MODEL, first, second};
use crate::suite::{Case, Cell, Moves};

/// What the operator costs without the factor.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let mut cases = vec![
        Case::new("real", |cell: &Cell| (-2.5 * first(cell)?).build())
            .golden("compositions/scaled")
            .moves(once, once),
        Case::new("negative", |cell: &Cell| Ok(-second(cell)?)).moves(once, once),
        Case::new("product of multiples", |cell: &Cell| {
            (0.5 * first(cell)?).build()?.after((-3.0 * second(cell)?).build()?).build()
        })
        .moves(once.then(once), once.then(once)),
    ];
    if dtype.is_complex() {
        let factor = Complex64::new(0.5, -2.0);
        cases.push(
            Case::new("complex", move |cell: &Cell| (factor * first(cell)?).build())
                .golden("compositions/scaled_complex")
                .moves(once, once),
        );
        cases.push(
            Case::new("complex multiple of an adjoint", move |cell: &Cell| {
                (factor * adjoint((factor * first(cell)?).build()?)).build()
            })
            .moves(once, once),
        );
    }
    cases
}
