//! `MatrixMult`: wide, tall and square matrices, further axes, one row, one column.

use arrayspan_bridge::DType;
use arrayspan_operators::MatrixMult;

use super::{golden_array, space};
use crate::suite::{Case, Cell, Moves, Values};

/// One launch that reads the matrix and each value once and writes each value once.
#[must_use]
pub fn cases(_: DType) -> Vec<Case> {
    let mut cases = Vec::new();
    for (matrix, others, key) in
        [([3, 7], &[][..], "wide"), ([7, 3], &[], "tall"), ([4, 5], &[2, 3], "others")]
    {
        let key = format!("matrix_mult/{key}");
        let values = {
            let key = key.clone();
            move |cell: &Cell| golden_array(cell, &key, "matrix")
        };
        cases.push(case(matrix, others, values).golden(key));
    }
    for (matrix, others) in [([13, 13], &[7][..]), ([1, 5], &[3]), ([5, 1], &[]), ([1, 1], &[1])] {
        let values = move |cell: &Cell| Ok(Values::random(&space(cell, &matrix)?, 22));
        cases.push(case(matrix, others, values));
    }
    cases
}

fn case(
    [rows, columns]: [usize; 2],
    others: &[usize],
    values: impl Fn(&Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let each: usize = others.iter().product();
    let (model, data) = (columns * each, rows * each);
    let name = format!("[{rows}, {columns}] for each of {others:?}");
    let others = others.to_vec();
    let make = move |cell: &Cell| {
        MatrixMult::new(cell.array(&values(cell)?)?.into_shared(), &others)
    };
    let matrix = rows * columns;
    Case::new(name, make)
        .moves(Moves::one(matrix + model, data), Moves::one(matrix + data, model))
}
