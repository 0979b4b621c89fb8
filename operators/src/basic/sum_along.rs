//! Sums along an axis.

use crate::form::IndexMap;
use crate::{Form, Operator, Result, Space, adjoint};

/// `y[…, …] = Σᵢ x[…, i, …]` along one axis, which is gone after; domain `space`.
///
/// The adjoint repeats. Units: those of `x`. Complex: linear. Cost: 1 launch, each value of `x` read once and each of `y` written
/// once; adding to `y` takes 2 launches, and sums are written and read once more (test `bytes::sum_along`).
///
/// Golden: PyLops 2.8.0 `Sum`. Of a one-dimensional array PyLops sums with axis 0 alone: with its default axis, -1, it is the
/// identity there.
#[derive(Debug)]
pub struct SumAlong(());

impl SumAlong {
    const NAME: &str = "SumAlong";

    /// Sums along `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis or the dtype is not one to compute with.
    pub fn new(space: Space, axis: isize) -> Result<Operator> {
        space.stored(Self::NAME)?;
        let axis = space.axis(Self::NAME, axis)?;
        let mut shape = space.shape().to_vec();
        let extent = shape.remove(axis);
        let map = IndexMap::repeat(Self::NAME, &shape, axis as isize, extent)?;
        let sums = Space::of(Self::NAME, shape, space.dtype())?;
        let repeat = Operator::of("Repeat", sums, space, Form::Index(map))?;
        Ok(adjoint(&repeat).named(Self::NAME))
    }
}
