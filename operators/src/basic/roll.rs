//! Rolling along an axis.

use crate::form::IndexMap;
use crate::{Form, Operator, Result, Space};

/// `y[i] = x[(i - shift) mod n]` along one axis: what leaves it at one end comes in at the other; domain and range are both
/// `space`.
///
/// Units: those of `x`. Complex: linear. Cost: 1 launch; 2 values moved per element (test `bytes::roll`).
///
/// Golden: PyLops 2.8.0 `Roll`.
#[derive(Debug)]
pub struct Roll(());

impl Roll {
    /// Rolls by `shift`, which may be negative, along `axis`, which counts from the end if it is.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when there is no such axis or the dtype is not one to compute with or to move.
    pub fn new(space: Space, axis: isize, shift: isize) -> Result<Operator> {
        let map = IndexMap::roll("Roll", space.shape(), axis, shift)?;
        Operator::of("Roll", space.clone(), space, Form::Index(map))
    }
}
