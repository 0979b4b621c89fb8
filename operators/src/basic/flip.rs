//! Axes from their end to their start.

use crate::form::IndexMap;
use crate::{Form, Operator, Result, Space};

/// `y[…, i, …] = x[…, n - 1 - i, …]` along one axis or several; domain and range are both `space`.
///
/// Its own adjoint. Units: those of `x`. Complex: linear. Cost: 1 launch, 2 values moved per element (test `bytes::flip`).
///
/// Golden: PyLops 2.8.0 `Flip`, which flips one axis.
#[derive(Debug)]
pub struct Flip(());

impl Flip {
    const NAME: &str = "Flip";

    /// Flips these axes of `space`, which count from the end if they are negative.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis, one is named twice, or the dtype is not one to
    /// compute with or to move.
    pub fn new(space: Space, axes: &[isize]) -> Result<Operator> {
        space.stored(Self::NAME)?;
        let map = IndexMap::flip(Self::NAME, space.shape(), axes)?;
        Operator::of(Self::NAME, space.clone(), space, Form::Index(map))
    }
}
