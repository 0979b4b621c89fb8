//! Products, sums, blocks and turns of sparse matrices.

use std::borrow::Cow;

use arrayspan_bridge::devices::vectors::{filled, reserve};
use num_complex::Complex64;

use super::Sparse;
use super::rows::Rows;
use crate::Result;
use crate::form::Orientation;

const ONE: Complex64 = Complex64::new(1.0, 0.0);
const ZERO: Complex64 = Complex64::new(0.0, 0.0);

/// `factor` times the matrix, its adjoint, conjugate or transpose.
pub(super) fn turned(
    matrix: &Sparse,
    orientation: Orientation,
    factor: Complex64,
) -> Result<Cow<'_, Sparse>> {
    let Orientation { adjoint, conj } = orientation;
    if factor == ZERO {
        let [rows, columns] = matrix.shape;
        let shape = if adjoint { [columns, rows] } else { [rows, columns] };
        return zero(shape).map(Cow::Owned);
    }
    let mut turned = if adjoint { Cow::Owned(transposed(matrix)?) } else { Cow::Borrowed(matrix) };
    if adjoint != conj {
        turned.to_mut().values.iter_mut().for_each(|value| *value = value.conj());
    }
    if factor != ONE {
        turned.to_mut().values.iter_mut().for_each(|value| *value *= factor);
        // Small ones may have become zero.
        if turned.values.contains(&ZERO) {
            return without_zeros(&turned).map(Cow::Owned);
        }
    }
    Ok(turned)
}

/// The matrix without entries.
pub(super) fn zero(shape: [usize; 2]) -> Result<Sparse> {
    let indptr = filled(shape[0].saturating_add(1), 0)?;
    Ok(Sparse { shape, indptr, indices: Vec::new(), values: Vec::new() })
}

fn without_zeros(matrix: &Sparse) -> Result<Sparse> {
    sum(&[matrix], matrix.shape)
}

/// `Aᵀ`, by counting the entries of each column.
fn transposed(matrix: &Sparse) -> Result<Sparse> {
    let [rows, columns] = matrix.shape;
    let entries = matrix.indices.len();
    let mut indptr = filled(columns.saturating_add(1), 0)?;
    for &column in &matrix.indices {
        indptr[column + 1] += 1;
    }
    for column in 0..columns {
        indptr[column + 1] += indptr[column];
    }
    let mut next = Vec::new();
    reserve(&mut next, indptr.len())?;
    next.extend_from_slice(&indptr);
    let (mut indices, mut values) = (filled(entries, 0)?, filled(entries, ZERO)?);
    for row in 0..rows {
        for (column, value) in matrix.row(row) {
            let at = next[column];
            (indices[at], values[at]) = (row, value);
            next[column] += 1;
        }
    }
    Ok(Sparse { shape: [columns, rows], indptr, indices, values })
}

/// `Σ Aᵢ`, added from the first to the last.
pub(super) fn sum(terms: &[&Sparse], shape: [usize; 2]) -> Result<Sparse> {
    let mut all = Rows::new(shape)?;
    for row in 0..shape[0] {
        for (column, value) in terms.iter().flat_map(|term| term.row(row)) {
            all.add(column, value);
        }
        all.end()?;
    }
    Ok(all.finish())
}

/// `A B`, row by row (Gustavson, ACM Transactions on Mathematical Software 4, 1978).
pub(super) fn product(outer: &Sparse, inner: &Sparse) -> Result<Sparse> {
    let shape = [outer.shape[0], inner.shape[1]];
    let mut all = Rows::new(shape)?;
    // The row's sum for each column, and the row it is of.
    let mut sums = filled(shape[1], (ZERO, usize::MAX))?;
    let mut columns = Vec::new();
    for row in 0..shape[0] {
        for (between, factor) in outer.row(row) {
            for (column, value) in inner.row(between) {
                let (sum, of) = &mut sums[column];
                if *of != row {
                    (*sum, *of) = (ZERO, row);
                    columns.push(column);
                }
                *sum += factor * value;
            }
        }
        for column in columns.drain(..) {
            all.add(column, sums[column].0);
        }
        all.end()?;
    }
    Ok(all.finish())
}

/// Matrices one below the other, each moved to the right by its `columns`.
pub(super) fn below(parts: &[(&Sparse, usize)], shape: [usize; 2]) -> Result<Sparse> {
    let mut all = Rows::new(shape)?;
    for (part, columns) in parts {
        for row in 0..part.shape[0] {
            part.row(row).for_each(|(column, value)| all.add(columns + column, value));
            all.end()?;
        }
    }
    Ok(all.finish())
}

/// Matrices side by side, each moved to the right by its `columns`.
pub(super) fn beside(parts: &[(&Sparse, usize)], shape: [usize; 2]) -> Result<Sparse> {
    let mut all = Rows::new(shape)?;
    for row in 0..shape[0] {
        for (part, columns) in parts {
            part.row(row).for_each(|(column, value)| all.add(columns + column, value));
        }
        all.end()?;
    }
    Ok(all.finish())
}
