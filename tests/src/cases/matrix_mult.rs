//! `MatrixMult`: wide, tall and square matrices, along every axis, one row, one column; sparse ones.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{MatrixMult, Result, Sparse};

use super::{golden_array, space, table};
use crate::suite::{Case, Cell, Moves, Values};

/// One launch that reads the matrix and each value once and writes each value once.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let mut cases = Vec::new();
    for (matrix, others, key) in
        [
            ([3, 7], &[][..], "wide"),
            ([7, 3], &[], "tall"),
            ([4, 5], &[2, 3], "others"),
            ([1, 7], &[3], "row"),
            ([7, 1], &[3], "column"),
            ([5, 7], &[1], "thin"),
        ]
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
    for (key, shape) in [("sparse", &[11][..]), ("sparse_others", &[11, 2, 3])] {
        let key = format!("matrix_mult/{key}");
        let values = {
            let key = key.clone();
            move |cell: &Cell| golden_array(cell, &key, "matrix")
        };
        cases.push(sparse([7, 11], shape, 0, dtype, values).golden(key));
    }
    for (matrix, shape, axis) in
        [([5, 13], &[3, 13][..], -1), ([9, 71], &[71, 2], 0), ([1, 7], &[2, 7, 3], 1)]
    {
        let values = move |cell: &Cell| Ok(Values::random(&space(cell, &matrix)?, 22));
        cases.push(sparse(matrix, shape, axis, dtype, values));
    }
    cases
}

/// Of a matrix the entries whose column is a multiple of three behind the row.
fn sparse(
    [rows, columns]: [usize; 2],
    shape: &[usize],
    axis: isize,
    dtype: DType,
    values: impl Fn(&Cell) -> Result<Values> + Send + Sync + 'static,
) -> Case {
    let name = format!("sparse [{rows}, {columns}] along axis {axis} of {shape:?}");
    let kept = move |row: usize| (0..columns).filter(move |column| (column + 2 * row).is_multiple_of(3));
    let lists: Vec<Vec<usize>> = (0..rows).map(|row| kept(row).collect()).collect();
    let others = shape.iter().product::<usize>() / columns;
    let [forward, adjoint] = table::moves(&lists, columns, others, Some(dtype));
    let shape = shape.to_vec();
    let make = move |cell: &Cell| {
        let all = values(cell)?;
        let mut starts = vec![0_i32];
        let (mut indices, mut entries) = (Vec::new(), Vec::new());
        for row in 0..rows {
            indices.extend(kept(row).map(|column| column as i64));
            entries.extend(kept(row).map(|column| all.numbers[row * columns + column]));
            starts.push(indices.len() as i32);
        }
        let (starts, count) = (Array::from_vec(starts, [rows + 1])?, entries.len());
        let (indices, entries) =
            (Array::from_vec(indices, [count])?, Array::from_vec(entries, [count])?);
        let matrix = Sparse::from_csr([rows, columns], &starts, &indices, &entries)?;
        MatrixMult::sparse(space(cell, &shape)?, axis, matrix)
    };
    Case::new(name, make).moves(forward, adjoint)
}

fn case(
    [rows, columns]: [usize; 2],
    others: &[usize],
    values: impl Fn(&Cell) -> Result<Values> + Send + Sync + 'static,
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
    values: impl Fn(&Cell) -> Result<Values> + Send + Sync + 'static,
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
