//! Multiplication by a dense matrix along the first axis.

use arrayspan_bridge::SharedArray;

use crate::{Error, Form, Operator, Result, Space};

/// `y[i, …] = Σⱼ A[i, j] x[j, …]`; domain `[columns, others…]`, range `[rows, others…]`.
///
/// Any strides of the matrix, of `x` and of `y` are taken as they are. Units: those of `A x`. Complex: linear.
/// Cost: 1 launch (one per slice where the other axes of `x` or `y` do not follow each other in memory);
/// each element of `A`, `x` and `y` once (test `bytes::matrix_mult`).
///
/// Golden: PyLops 2.8.0 `MatrixMult`.
#[derive(Debug)]
pub struct MatrixMult(());

impl MatrixMult {
    const NAME: &str = "MatrixMult";

    /// Multiplies by `matrix`, `[rows, columns]`, for each index of the `others` axes alike.
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
        Operator::of(Self::NAME, domain, range, Form::Matrix(matrix))
    }
}
