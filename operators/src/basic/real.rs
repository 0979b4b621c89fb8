//! Real parts.

use super::parts;
use crate::{Form, Operator, Result, Space};

/// `y = Re x`; domain `space`, range the same with the real dtype of its precision. Of real spaces it is the identity.
///
/// The adjoint takes real numbers for complex ones, `x = y + 0i`: `Re⟨Re x, y⟩ = Re⟨x, y + 0i⟩`. `adjoint(&re).after(&re)` is
/// `x ↦ Re x + 0i` within the complex space, in one pass; [`Operator::to_real`] is the real part of a matrix.
/// Units: those of `x`. Complex: linear over the real numbers only. Cost: 1 launch, a complex number read and a real one
/// written for each element, or the other way round (test `bytes::real`).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use arrayspan_operators::kernels::bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use num_complex::Complex64;
/// let re = Real::new(Space::new([2], DType::Complex128)?)?;
/// let x = Array::from_slice(&[Complex64::new(1.0, 2.0), Complex64::new(3.0, -4.0)], [2])?;
/// assert_eq!(re.forward(&x)?.view().as_slice::<f64>()?, [1.0, 3.0]);
/// # Ok(()) }
/// ```
///
/// Golden: PyLops 2.8.0 `Real`, whose data are in the dtype it is told, complex by default.
#[derive(Debug)]
pub struct Real(());

impl Real {
    /// The real parts of elements of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the dtype is not one to compute with.
    pub fn new(space: Space) -> Result<Operator> {
        parts::parts("Real", space, [Form::Real, Form::Identity])
    }
}
