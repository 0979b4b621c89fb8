//! Multiplication by given weights, element by element.

use arrayspan_bridge::{Relayout, SharedArray};

use crate::form::weights_dtype;
use crate::{Error, Form, Operator, Result, Space};

/// `y = d ⊙ x` with weights `d` that the operator holds; domain and range are both `space`.
///
/// The weights have the shape of the space, or are one per index along an axis. Units: those of `d x`.
/// Complex: linear; the adjoint multiplies by the conjugate. Cost: 1 launch, 2 values moved per element
/// and each weight once (test `bytes::diagonal`).
///
/// Golden: PyLops 2.8.0 `Diagonal`.
#[derive(Debug)]
pub struct Diagonal(());

impl Diagonal {
    const NAME: &str = "Diagonal";

    /// One weight for every element of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the weights have another shape or dtype than the space, or the dtype is
    /// not one to compute with.
    pub fn new(space: Space, weights: impl Into<SharedArray>) -> Result<Operator> {
        let weights = weights.into();
        Self::checked(&space, &weights)?;
        if weights.shape() != space.shape() {
            let why = format!("weights of shape {:?} for {space}", weights.shape());
            return Error::parameter(Self::NAME, why);
        }
        Operator::of(Self::NAME, space.clone(), space, Form::Diagonal(weights))
    }

    /// One weight for every index along `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, the weights are not one-dimensional, of its length
    /// and of the dtype of the space, or the dtype is not one to compute with.
    pub fn along(space: Space, axis: isize, weights: impl Into<SharedArray>) -> Result<Operator> {
        let weights = weights.into();
        Self::checked(&space, &weights)?;
        let axis = space.axis(Self::NAME, axis)?;
        let extent = space.shape()[axis];
        if weights.shape() != [extent] {
            let why =
                format!("weights of shape {:?} along axis {axis} of {space}", weights.shape());
            return Error::parameter(Self::NAME, why);
        }
        let mut shape = vec![1; space.shape().len()];
        shape[axis] = extent;
        let form = Form::Diagonal(weights.reshaped(&shape)?);
        Operator::of(Self::NAME, space.clone(), space, form)
    }

    fn checked(space: &Space, weights: &SharedArray) -> Result<()> {
        space.stored(Self::NAME)?;
        weights_dtype(Self::NAME, weights, space)
    }
}
