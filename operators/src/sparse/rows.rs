//! Sparse matrices as they grow, row by row.

use arrayspan_bridge::devices::vectors::reserve;
use num_complex::Complex64;

use super::Sparse;
use crate::Result;

/// A matrix whose rows are added from the top.
pub(super) struct Rows {
    matrix: Sparse,
    /// The entries of the next row, in any order.
    next: Vec<(usize, Complex64)>,
}

impl Rows {
    pub(super) fn new(shape: [usize; 2]) -> Result<Self> {
        let mut indptr = Vec::new();
        reserve(&mut indptr, shape[0].saturating_add(1))?;
        indptr.push(0);
        let matrix = Sparse { shape, indptr, indices: Vec::new(), values: Vec::new() };
        Ok(Self { matrix, next: Vec::new() })
    }

    /// Adds to an entry of the next row.
    pub(super) fn add(&mut self, column: usize, value: Complex64) {
        self.next.push((column, value));
    }

    /// Ends a row: entries of a column become one, in the order in which they came, and those that are zero are dropped.
    pub(super) fn end(&mut self) -> Result<()> {
        // Stable, so that sums do not depend on anything but the operator.
        self.next.sort_by_key(|(column, _)| *column);
        let Sparse { indptr, indices, values, .. } = &mut self.matrix;
        reserve(indices, self.next.len())?;
        reserve(values, self.next.len())?;
        let mut left = self.next.drain(..).peekable();
        while let Some((column, mut value)) = left.next() {
            while let Some((_, more)) = left.next_if(|(other, _)| *other == column) {
                value += more;
            }
            if value != Complex64::default() {
                indices.push(column);
                values.push(value);
            }
        }
        indptr.push(indices.len());
        Ok(())
    }

    /// The matrix, once all of its rows have ended.
    pub(super) fn finish(self) -> Sparse {
        debug_assert_eq!(self.matrix.indptr.len(), self.matrix.shape[0] + 1);
        self.matrix
    }
}
