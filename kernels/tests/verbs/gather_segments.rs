//! Sparse matrices of vectors whose rows name many columns far apart.

use arrayspan_kernels::{Gather, Update};

use super::gather::{Kind, check, drawn};
use crate::cell::Cell;
use crate::sample::{FORMS, Form, Random};

/// Rows and columns: more of these than local memory holds, and not as many as fill the last block or segment.
const EXTENTS: [usize; 2] = [67 * 79, 61 * 83];

/// Rows of up to 320 entries, some of none.
fn lengths() -> Vec<usize> {
    let mut random = Random(50);
    let len = |row: usize| if row % 31 == 5 { 0 } else { random.bits() as usize % 321 };
    (0..EXTENTS[0]).map(len).collect()
}

pub fn columns_far_apart_of_vectors(cell: &Cell) {
    let kinds = [Kind::Ones, Kind::Real, Kind::Complex];
    let kinds = kinds.into_iter().filter(|kind| *kind != Kind::Complex || cell.is_complex());
    for (seed, kind) in (51..).zip(kinds) {
        let [rows, columns] = EXTENTS;
        let gather = drawn(0, columns, &lengths(), kind, seed);
        let x = cell.random(&[columns], Form::Plain, seed);
        check(cell, &gather, &x, &mut cell.unreadable(&[rows], Form::Plain), Update::set());
        let back = cell.random(&[rows], Form::Plain, seed);
        let update = Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5));
        let mut y = cell.random(&[columns], Form::Plain, seed + 1);
        check(cell, &gather.adjoint(), &back, &mut y, update);
    }
}

/// Rows and columns counted along two axes each, of arrays that lie anyhow.
pub fn columns_far_apart_of_matrices(cell: &Cell) {
    let flat = drawn(0, EXTENTS[1], &lengths(), Kind::Real, 54);
    let (mut starts, mut indices, mut weights) = (vec![0], Vec::new(), Vec::new());
    for row in 0..EXTENTS[0] {
        for (column, weight) in flat.row(row).unwrap() {
            indices.push(column);
            weights.push(weight);
        }
        starts.push(indices.len());
    }
    let gather = Gather::new(1, &[67, 79], &[61, 83], starts, indices, Some(weights)).unwrap();
    for (x_form, y_form) in FORMS.into_iter().zip(FORMS.into_iter().rev()) {
        let x = cell.random(&[1, 61, 83], x_form, 55);
        let update = Update::new(cell.number(2.0, -1.0), 0.0);
        check(cell, &gather, &x, &mut cell.unreadable(&[1, 67, 79], y_form), update);
    }
}
