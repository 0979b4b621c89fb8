//! `a + b`, `a - b`: also of sums, and of operators that hold arrays.

use arrayspan_bridge::DType;
use arrayspan_operators::{Diagonal, Identity, LinearMap, Operator, Result, adjoint};

use super::parts::{MODEL, first, second};
use super::space;
use crate::suite::{Case, Cell, Moves, Values};

/// Bands become one stencil, which costs what one of them does; weights are read in the same pass.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let once = Moves::one(MODEL, MODEL);
    let weighted = once.reading(MODEL);
    vec![
        Case::new("sum", |cell: &Cell| (first(cell)? + second(cell)?).build())
            .golden("compositions/sum")
            .moves(once, once),
        Case::new("difference", |cell: &Cell| (first(cell)? - second(cell)?).build())
            .golden("compositions/difference")
            .moves(once, once),
        Case::new("identity and a normal operator", |cell: &Cell| {
            let first = first(cell)?;
            (Identity::new(first.domain().clone())? + 0.25 * adjoint(&first).after(&first)).build()
        })
        .golden("compositions/normal")
        .moves(once, once),
        Case::new("sum with weights", |cell: &Cell| (first(cell)? + weights(cell)?).build())
            .moves(weighted, weighted),
        Case::new("sum of a difference", |cell: &Cell| {
            (first(cell)? + (second(cell)? - weights(cell)?).build()?).build()
        })
        .moves(weighted, weighted),
    ]
}

fn weights(cell: &Cell) -> Result<Operator> {
    let space = space(cell, &[7, 3])?;
    let weights = cell.array(&Values::random(&space, 24))?.into_shared();
    Diagonal::new(space, weights)
}
