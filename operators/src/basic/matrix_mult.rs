//! Multiplication by a dense matrix along an axis.

use arrayspan_bridge::SharedArray;

use crate::{Error, Form, Operator, Result, Space};

/// `y[…, i, …] = Σⱼ A[i, j] x[…, j, …]` along one axis, `columns` long in the domain and `rows` long in the range.
///
/// Any strides of the matrix, of `x` and of `y` are taken as they are, and nothing is copied: axes before the matrix's are a
/// batch of products, axes behind it columns of one. Units: those of `A x`. Complex: linear.
/// Cost: 1 launch (one per slice where the other axes of `x` or `y` do not follow each other in memory);
/// each element of `A`, `x` and `y` once (test `bytes::matrix_mult`).
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
}
