//! Complex conjugation.

use crate::{Form, Operator, Result, Space};

/// `y = conj(x)`; domain and range are both `space`. Of real spaces it is the identity.
///
/// Units: those of `x`. Complex: linear over the real numbers only, and its own adjoint in that sense: `Re⟨y, conj(x)⟩ =
/// Re⟨conj(y), x⟩`. Cost: 1 launch, 2 values moved per element (test `bytes::conj`).
///
/// Golden: PyLops 2.8.0 `Conj`.
#[derive(Debug)]
pub struct Conj(());

impl Conj {
    /// The conjugate in `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the dtype is not one to compute with.
    pub fn new(space: Space) -> Result<Operator> {
        Operator::of("Conj", space.clone(), space, Form::Conjugate)
    }
}
