//! Where models and data live.

use std::fmt;

use arrayspan_bridge::DType;

use crate::{Error, Result};

/// The arrays of one shape and one dtype: what an operator maps from and to.
///
/// Such an array can be addressed: its elements and its bytes fit `isize`, extents of zero counted as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Space {
    shape: Vec<usize>,
    dtype: DType,
}

impl Space {
    /// Arrays of this shape and dtype.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more bytes than can be addressed.
    pub fn new(shape: impl Into<Vec<usize>>, dtype: DType) -> Result<Self> {
        Self::of("Space", shape, dtype)
    }

    /// As [`new`](Self::new), for the constructor of `operator`.
    pub(crate) fn of(operator: &str, shape: impl Into<Vec<usize>>, dtype: DType) -> Result<Self> {
        let shape: Vec<usize> = shape.into();
        Self::of_wide(operator, shape.into_iter().map(|extent| extent as u128).collect(), dtype)
    }

    /// As [`of`](Self::of), with extents that need not fit `usize`.
    pub(crate) fn of_wide(operation: &str, shape: Vec<u128>, dtype: DType) -> Result<Self> {
        // Extents of zero count as one: the others must be addressable for strides to be.
        let mut extents = shape.iter().map(|&extent| extent.max(1));
        let bytes = extents.try_fold(dtype.bytes() as u128, u128::checked_mul);
        if bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
            // So does each extent.
            let shape = shape.into_iter().map(|extent| extent as usize).collect();
            Ok(Self { shape, dtype })
        } else {
            Err(Error::TooLarge { operation: operation.into(), shape, dtype })
        }
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The type of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of elements.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a dimension, not a collection")]
    pub fn len(&self) -> usize {
        // Cannot overflow: `new` has seen to it.
        self.shape.iter().product()
    }

    /// The axis meant by a number that counts from the end if it is negative, as in NumPy, for the constructor of
    /// `operator`: -1 is the last one.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis.
    pub fn axis(&self, operator: &str, axis: isize) -> Result<usize> {
        axis_of(operator, self.shape.len(), axis)
    }

    /// The extent along `axis`, which counts as in [`axis`](Self::axis), for the constructor of `operator`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis.
    pub fn extent(&self, operator: &str, axis: isize) -> Result<usize> {
        Ok(self.shape[self.axis(operator, axis)?])
    }

    /// Fails for dtypes that no verb takes, for the constructor of `operator`: of `Float16` and `BFloat16`, `Float32` is computed, and
    /// rounded once.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the dtype.
    pub fn stored(&self, operator: &str) -> Result<()> {
        match self.dtype {
            DType::Float16 | DType::BFloat16 => Ok(()),
            _ => self.computable(operator),
        }
    }

    /// Fails for dtypes that not all verbs compute with, for the constructor of `operator`.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the dtype.
    pub fn computable(&self, operator: &str) -> Result<()> {
        if self.dtype.is_computable() {
            return Ok(());
        }
        let these = "Float32, Float64, Complex64 and Complex128 can be";
        Error::parameter(operator, format!("{} cannot be computed with; {these}", self.dtype))
    }
}

/// The axis of an array of this rank meant by a number that counts from the end if it is negative.
pub(crate) fn axis_of(operator: &str, rank: usize, axis: isize) -> Result<usize> {
    let counted = if axis < 0 { rank.checked_add_signed(axis) } else { Some(axis as usize) };
    match counted.filter(|&counted| counted < rank) {
        Some(counted) => Ok(counted),
        None => Error::parameter(
            operator,
            format!("there is no axis {axis} in an array of rank {rank}"),
        ),
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.dtype, self.shape)
    }
}
