//! Mirror images.

use crate::form::IndexMap;
use crate::{Form, Operator, Result, Space};

/// `y[…, i, …] = x[…, |i - (n - 1)|, …]` along one axis: its mirror image, then itself; `n` indices become `2n - 1`.
///
/// The adjoint adds both halves up, the middle once. Units: those of `x`. Complex: linear. Cost: 1 launch, each
/// element of the domain and the range moved once (test `bytes::symmetrize`).
///
/// Golden: PyLops 2.8.0 `Symmetrize`.
#[derive(Debug)]
pub struct Symmetrize(());

impl Symmetrize {
    const NAME: &str = "Symmetrize";

    /// Mirrors `axis` of `space`, which counts from the end if it is negative.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis, it has no indices, or the dtype is not one to
    /// compute with; [`Error::TooLarge`](crate::Error::TooLarge) when the range cannot be addressed.
    pub fn new(space: Space, axis: isize) -> Result<Operator> {
        space.stored(Self::NAME)?;
        let map = IndexMap::symmetrize(Self::NAME, space.shape(), axis)?;
        let range = Space::of(Self::NAME, map.range(), space.dtype())?;
        Operator::of(Self::NAME, space, range, Form::Index(map))
    }
}
