//! Axes in another order.

use crate::form::IndexMap;
use crate::{Form, Operator, Result, Space};

/// `y[o] = x[i]` with `i[order[k]] = o[k]`: axis `k` of the range is axis `order[k]` of the domain, `space`.
///
/// The adjoint puts them back. (The transpose of an operator as a matrix is
/// [`Operator::transpose`].) Units: those of `x`. Complex: linear. Cost: 1 launch, 2 values moved per element (test
/// `bytes::transpose`).
///
/// Golden: PyLops 2.8.0 `Transpose`.
#[derive(Debug)]
pub struct Transpose(());

impl Transpose {
    const NAME: &str = "Transpose";

    /// The axes of `space` in this order; negative ones count from the end.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) unless `order` names each axis once and the dtype is one to compute with or to move.
    pub fn new(space: Space, order: &[isize]) -> Result<Operator> {
        space.stored(Self::NAME)?;
        let map = IndexMap::permute(Self::NAME, space.shape(), order)?;
        let range = Space::of(Self::NAME, map.range(), space.dtype())?;
        Operator::of(Self::NAME, space, range, Form::Index(map))
    }
}
