//! Multiplication by given weights, element by element.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Relayout, SharedArray, View, ViewMut};
use arrayspan_kernels::{Expression, Update, input};

use crate::elementwise::updated;
use crate::{Context, Error, LinearMap, Result, Space};

/// `y = d ⊙ x` with weights `d` that the operator holds; domain and range are both `space`.
///
/// The weights have the shape of the space, or are one per index along an axis. Units: those of `d x`.
/// Complex: linear; the adjoint multiplies by the conjugate. Cost: 1 launch, 2 values moved per element
/// and each weight once (test `bytes::diagonal`).
///
/// Golden: PyLops 2.8.0 `Diagonal`.
#[derive(Clone, Debug)]
pub struct Diagonal {
    space: Space,
    /// Of the shape of the space, or 1 along all axes but one.
    weights: SharedArray,
}

impl Diagonal {
    const NAME: &str = "Diagonal";

    /// One weight for every element of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when the weights have another shape or dtype than the space, or the dtype is
    /// not one to compute with.
    pub fn new(space: Space, weights: SharedArray) -> Result<Self> {
        Self::checked(&space, &weights)?;
        if weights.shape() != space.shape() {
            let why = format!("weights of shape {:?} for {space}", weights.shape());
            return Error::parameter(Self::NAME, why);
        }
        Ok(Self { space, weights })
    }

    /// One weight for every index along `axis` of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`] when there is no such axis, the weights are not one-dimensional, of its length
    /// and of the dtype of the space, or the dtype is not one to compute with.
    pub fn along(space: Space, axis: usize, weights: SharedArray) -> Result<Self> {
        Self::checked(&space, &weights)?;
        let extent = space.extent(Self::NAME, axis)?;
        if weights.shape() != [extent] {
            let why =
                format!("weights of shape {:?} along axis {axis} of {space}", weights.shape());
            return Error::parameter(Self::NAME, why);
        }
        let mut shape = vec![1; space.shape().len()];
        shape[axis] = extent;
        Ok(Self { space, weights: weights.reshaped(&shape)? })
    }

    fn checked(space: &Space, weights: &SharedArray) -> Result<()> {
        space.computable(Self::NAME)?;
        if weights.dtype() == space.dtype() {
            return Ok(());
        }
        Error::parameter(Self::NAME, format!("weights of dtype {} for {space}", weights.dtype()))
    }

    fn multiply(
        &self,
        on: &Context<'_>,
        weight: Expression,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        Ok(on.map(&updated(weight * input(1), update), &[self.weights.view(), x], y)?)
    }
}

impl LinearMap for Diagonal {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        self.multiply(&on, input(0), x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        let weight = if self.space.dtype().is_complex() { input(0).conj() } else { input(0) };
        self.multiply(&on, weight, y, x, update)
    }

    fn device(&self) -> Option<Device> {
        Some(self.weights.device())
    }
}
