//! Multiplication by a matrix along an axis.

use arrayspan_bridge::SharedArray;
use arrayspan_kernels::Gather;

use crate::{Error, Form, Operator, Result, Space, Sparse};

/// `y[…, i, …] = Σⱼ A[i, j] x[…, j, …]` along one axis, `columns` long in the domain and `rows` long in the range.
///
/// Any strides of the matrix, of `x` and of `y` are taken as they are, and nothing is copied: axes before the matrix's are a
/// batch of products, axes behind it columns of one. Units: those of `A x`. Complex: linear.
/// Cost: 1 launch (one per slice where the other axes of `x` or `y` do not follow each other in memory);
/// each element of `A`, `x` and `y` once. Of a sparse matrix what is read is its table, a column of 4 bytes and a weight for each
/// entry and, unless rows have about as many, 4 bytes for each row, and each element of `x` once (test `bytes::matrix_mult`).
///
/// Golden: PyLops 2.8.0 `MatrixMult`.
#[derive(Debug)]
pub struct MatrixMult(());

impl MatrixMult {
    const NAME: &str = "MatrixMult";

    /// Multiplies by `matrix`, `[rows, columns]`, for each index of the `others` axes alike, which are behind its own:
    /// PyLops's `otherdims`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the matrix is not two-dimensional or its dtype not one to compute with;
    /// [`Error::TooLarge`] when a space cannot be addressed.
    pub fn new(matrix: impl Into<SharedArray>, others: &[usize]) -> Result<Operator> {
        let matrix = matrix.into();
        let &[rows, columns] = matrix.shape() else {
            let why = format!("a matrix of shape {:?}, not [rows, columns]", matrix.shape());
            return Error::parameter(Self::NAME, why);
        };
        let space = |extent| Space::of(Self::NAME, [&[extent], others].concat(), matrix.dtype());
        let (domain, range) = (space(columns)?, space(rows)?);
        Operator::of(Self::NAME, domain, range, Form::Matrix { matrix, axis: 0 })
    }

    /// Multiplies by `matrix`, `[rows, columns]`, along `axis` of `space`, which counts from the end if it is negative and has
    /// as many elements as the matrix has columns. The range has `rows` there.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, the matrix is not two-dimensional or does not fit it, or its dtype is
    /// not that of `space` or not one to compute with; [`Error::TooLarge`] when the range cannot be addressed.
    pub fn along(space: Space, axis: isize, matrix: impl Into<SharedArray>) -> Result<Operator> {
        let (matrix, axis) = (matrix.into(), space.axis(Self::NAME, axis)?);
        let mut shape = space.shape().to_vec();
        // A matrix that is none, or does not fit, is told by the form.
        shape[axis] = matrix.shape().first().copied().unwrap_or_default();
        let range = Space::of(Self::NAME, shape, space.dtype())?;
        Operator::of(Self::NAME, space, range, Form::Matrix { matrix, axis })
    }

    /// Multiplies by a sparse matrix along `axis` of `space`, which counts from the end if it is negative and has as many
    /// elements as the matrix has columns. The range has its rows there. What is multiplied is decided by the dtype of `space`, to
    /// which entries are rounded; the operator is not bound to a device, but keeps the matrix on each that it is applied on.
    ///
    /// The table of the adjoint is made when that is first applied. Sums are made in the order of columns, or by threads whose
    /// sums are joined in an order that is always the same.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use arrayspan_operators::kernels::bridge::{Array, DType};
    /// use arrayspan_operators::prelude::*;
    /// let (starts, columns) = (Array::from_slice(&[0, 1, 3], [3])?, Array::from_slice(&[2, 0, 1], [3])?);
    /// let entries = Array::from_slice(&[5.0, 1.0, -1.0], [3])?;
    /// let matrix = Sparse::from_csr([2, 3], &starts, &columns, &entries)?;
    /// let a = MatrixMult::sparse(Space::new([3], DType::Float64)?, 0, matrix)?;
    /// let y = a.forward(&Array::from_slice(&[1.0, 2.0, 4.0], [3])?)?;
    /// assert_eq!(y.view().as_slice::<f64>()?, [20.0, -1.0]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, the matrix does not fit it, its lists contradict each other or lead beyond
    /// its columns, an entry is not finite or not a number of the dtype of `space`, or that is not one to compute with;
    /// [`Error::TooLarge`] when the range cannot be addressed.
    pub fn sparse(space: Space, axis: isize, matrix: Sparse) -> Result<Operator> {
        space.computable(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let Sparse { shape: [rows, columns], indptr, indices, values } = matrix;
        let mut shape = space.shape().to_vec();
        shape[axis] = rows;
        let range = Space::of(Self::NAME, shape, space.dtype())?;
        let made = Gather::new(axis, &[rows], &[columns], indptr, indices, Some(values));
        match made {
            Ok(gather) => Operator::of(Self::NAME, space, range, Form::Gather(gather)),
            Err(error) => Error::parameter(Self::NAME, format!("a sparse matrix, {error}")),
        }
    }
}
