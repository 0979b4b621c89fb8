//! The operator that is zero.

use crate::{Form, Operator, Result, Space};

/// `y = 0`; domain and range may have any shapes and dtypes.
///
/// Units: any. Complex: linear. Cost: 1 launch, 1 value written per element of the range; none where it is added to what is there
/// (test `bytes::zero`).
///
/// Golden: PyLops 2.8.0 `Zero`.
#[derive(Debug)]
pub struct Zero(());

impl Zero {
    /// `y = 0` of `range` for every `x` of `domain`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when a dtype is not one to compute with or to move.
    pub fn new(domain: Space, range: Space) -> Result<Operator> {
        Operator::of("Zero", domain, range, Form::Zero)
    }
}
