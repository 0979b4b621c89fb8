//! `MemoizeOperator`: of matrices, and of a derivative.

use arrayspan_bridge::DType;
use arrayspan_operators::{
    Edge, FirstDerivative, MatrixMult, MemoizeOperator, Result, Scheme, Space,
};

use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// What is computed first is kept: copies of argument and result, beside what the operator costs. The same again costs a
/// comparison, which ends in one number of 8 bytes, and a copy.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let matrix = |cell: &Cell| golden_array(cell, "memoize_operator/matrix", "matrix");
    let any = |cell: &Cell| Ok(Values::random(&Space::new([17, 1], cell.dtype)?, 23));
    vec![
        of("golden", matrix, [5, 7]).golden("memoize_operator/matrix"),
        of("column", any, [17, 1]),
        Case::new("derivative", |cell: &Cell| {
            let space = space(cell, &[1, 13])?;
            let slope = FirstDerivative::new(space, 1, 0.5, Scheme::Forward, Edge::Zero)?;
            MemoizeOperator::new(slope, 2)
        })
        .moves(first(13, 13, 13), first(13, 13, 13))
        .moves_adding(again(13, 13), again(13, 13))
        .numbers_adding(8),
    ]
}

fn first(from: usize, read: usize, to: usize) -> Moves {
    Moves::one(from, from).then(Moves::one(read, to)).then(Moves::one(to, to))
}

fn again(from: usize, to: usize) -> Moves {
    let compared = Moves { launches: 1, ..Moves::one(2 * from, 0) };
    compared.then(Moves::one(2 * to, to))
}

fn of(
    name: &str,
    values: impl Fn(&Cell) -> Result<Values> + Send + Sync + 'static,
    [rows, columns]: [usize; 2],
) -> Case {
    let entries = rows * columns;
    Case::new(name, move |cell: &Cell| {
        let matrix = cell.array(&values(cell)?)?.into_shared();
        MemoizeOperator::new(MatrixMult::new(matrix, &[])?, 3)
    })
    .moves(first(columns, columns + entries, rows), first(rows, rows + entries, columns))
    .moves_adding(again(columns, rows), again(rows, columns))
    .numbers_adding(8)
}
