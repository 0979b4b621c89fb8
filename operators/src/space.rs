//! Where models and data live.

use std::fmt;

use arrayspan_bridge::DType;

use crate::{Error, Result};

/// The arrays of one shape and one dtype: what an operator maps from and to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Space {
    shape: Vec<usize>,
    dtype: DType,
}

impl Space {
    /// Arrays of this shape and dtype.
    pub fn new(shape: impl Into<Vec<usize>>, dtype: DType) -> Self {
        Self { shape: shape.into(), dtype }
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
        self.shape.iter().product()
    }

    /// The extent along `axis`, for the constructor of `operator`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis.
    pub fn extent(&self, operator: &'static str, axis: usize) -> Result<usize> {
        match self.shape.get(axis) {
            Some(&extent) => Ok(extent),
            None => Error::parameter(operator, format!("{self} has no axis {axis}")),
        }
    }

    /// Fails for dtypes that verbs do not compute with, and for more elements than can be addressed, for
    /// the constructor of `operator`.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the dtype or the shape.
    pub fn computable(&self, operator: &'static str) -> Result<()> {
        if !self.dtype.is_computable() {
            return Error::parameter(operator, format!("cannot compute with {}", self.dtype));
        }
        // Extents of zero count as one: the others must be addressable for strides to be.
        let mut extents = self.shape.iter().map(|&extent| extent.max(1));
        let bytes = extents.try_fold(self.dtype.bytes(), usize::checked_mul);
        match bytes.and_then(|bytes| isize::try_from(bytes).ok()) {
            Some(_) => Ok(()),
            None => Error::parameter(operator, format!("{self} cannot be addressed")),
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.dtype, self.shape)
    }
}
