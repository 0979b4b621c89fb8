//! `MatrixMult`: wide, tall and square matrices, along every axis, one row, one column.

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
    for axis in 0..3_usize {
        let (key, shape) = (format!("matrix_mult/axis{axis}"), [[5, 2, 3], [2, 5, 3], [2, 3, 5]][axis]);
        let values = {
            let key = key.clone();
            move |cell: &Cell| golden_array(cell, &key, "matrix")
        };
        cases.push(along([4, 5], &shape, axis as isize, values).golden(key));
    }
    for (matrix, shape, axis) in [
        ([3, 13], &[7, 13][..], -1),
        ([13, 7], &[2, 3, 7, 2, 5], 2),
        ([2, 1], &[3, 1, 4], 1),
        ([1, 11], &[11], 0),
    ] {
        let values = move |cell: &Cell| Ok(Values::random(&space(cell, &matrix)?, 22));
        cases.push(along(matrix, shape, axis, values));
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
    counted(Case::new(name, make), rows * columns, [model, data])
}

fn along(
    [rows, columns]: [usize; 2],
    shape: &[usize],
    axis: isize,
    values: impl Fn(&Cell) -> arrayspan_operators::Result<Values> + Send + Sync + 'static,
) -> Case {
    let model: usize = shape.iter().product();
    let data = model / columns * rows;
    let name = format!("[{rows}, {columns}] along axis {axis} of {shape:?}");
    let shape = shape.to_vec();
    let make = move |cell: &Cell| {
        let matrix = cell.array(&values(cell)?)?.into_shared();
        MatrixMult::along(space(cell, &shape)?, axis, matrix)
    };
    counted(Case::new(name, make), rows * columns, [model, data])
}

fn counted(case: Case, matrix: usize, [model, data]: [usize; 2]) -> Case {
    case.moves(Moves::one(matrix + model, data), Moves::one(matrix + data, model))
}
