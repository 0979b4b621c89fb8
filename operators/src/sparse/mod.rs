//! Operators as sparse matrices, on the host.

mod algebra;
mod arrays;
mod leaf;
mod rows;
mod tree;

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::vectors::filled;
use num_complex::Complex64;

use crate::{LinearMap, Operator, Result, Space};

/// A matrix of which only entries that are not zero are kept, row by row (CSR), in double precision on the host.
///
/// Row `i` has the entries `indptr[i]..indptr[i + 1]` of `indices`, which are their columns in ascending order, and of
/// `values`. Rows and columns are the elements of range and domain in row-major order.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sparse {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Where each row begins, and where the last one ends.
    pub indptr: Vec<usize>,
    /// The column of each entry.
    pub indices: Vec<usize>,
    /// Each entry. None is zero.
    pub values: Vec<Complex64>,
}

impl Sparse {
    /// The entries of a row, from left to right; none of a row that there is not.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, Complex64)> + '_ {
        let start = |row: usize| self.indptr.get(row).copied().unwrap_or(usize::MAX);
        let (from, to) = (start(row), row.checked_add(1).map_or(usize::MAX, start));
        let range = from..to;
        // Fields are public, so indices may lead beyond the lists.
        let columns = self.indices.get(range.clone()).unwrap_or_default();
        let values = self.values.get(range).unwrap_or_default();
        columns.iter().copied().zip(values.iter().copied())
    }

    /// All of it, `[rows, columns]` in Complex128 on the CPU: for small ones, and to look at.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) when it cannot be addressed; out of memory.
    pub fn to_dense(&self) -> Result<Array> {
        let dtype = arrayspan_bridge::DType::Complex128;
        let space = Space::of("to_dense", self.shape, dtype)?;
        let mut dense = filled(space.len(), Complex64::default())?;
        for row in 0..self.shape[0] {
            for (column, value) in self.row(row) {
                if let Some(entry) = dense.get_mut(row * self.shape[1] + column) {
                    *entry = value;
                }
            }
        }
        Ok(Array::from_vec(dense, self.shape)?)
    }
}

impl Operator {
    /// Its matrix without applying it: what its forms say is multiplied, added and stacked on the host, in double
    /// precision. Weights and dense matrices are read from where they are.
    ///
    /// It is that of the operator as it was written, before anything is rewritten or rounded to the dtype; entries that
    /// cancel exactly are dropped, and parts that are multiplied by 0. An [opaque](crate::Form::Opaque) part is applied to
    /// each unit vector in turn, on its device or the CPU, which takes as many applications as it has columns.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::DType;
    /// use arrayspan_operators::prelude::*;
    /// let space = Space::new([4], DType::Float32)?;
    /// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
    /// let matrix = adjoint(&slope).after(&slope).build()?.to_sparse()?;
    /// assert_eq!(matrix.indptr, [0, 2, 5, 8, 10]);
    /// assert_eq!(matrix.indices, [0, 1, 0, 1, 2, 1, 2, 3, 2, 3]);
    /// let values: Vec<f64> = matrix.values.iter().map(|value| value.re).collect();
    /// assert_eq!(values, [1.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 1.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when it is [not complex-linear](crate::Properties) on complex models; out
    /// of memory; the device's failure; those of an opaque part.
    pub fn to_sparse(&self) -> Result<Sparse> {
        self.expect_matrix("to_sparse")?;
        if !self.is_linear() {
            // What parts do with complex numbers is not what their matrices do.
            let shape = [self.range().len(), self.domain().len()];
            return leaf::probed(self, shape);
        }
        let matrix = tree::matrix(self.node())?;
        let (factor, orientation) = (self.factor(), self.orientation());
        let [rows, columns] = [self.range(), self.domain()].map(Space::len);
        let matrix = algebra::turned(&matrix, orientation, factor)?.into_owned();
        debug_assert_eq!(matrix.shape, [rows, columns]);
        Ok(matrix)
    }
}
