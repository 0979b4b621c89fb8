//! Imaginary parts.

use super::parts;
use crate::{Form, Operator, Result, Space};

/// `y = Im x`; domain `space`, range the same with the real dtype of its precision. Of real spaces it is zero.
///
/// The adjoint makes imaginary numbers of real ones, `x = 0 + i y`: `Re⟨Im x, y⟩ = Re⟨x, i y⟩`. [`Operator::to_imag`] is the
/// imaginary part of a matrix. Units: those of `x`. Complex: linear over the real numbers only. Cost: 1 launch, a complex
/// number read and a real one written for each element, or the other way round (test `bytes::imag`).
///
/// Golden: PyLops 2.8.0 `Imag`, whose data are in the dtype it is told, complex by default.
#[derive(Debug)]
pub struct Imag(());

impl Imag {
    /// The imaginary parts of elements of `space`.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) when the dtype is not one to compute with.
    pub fn new(space: Space) -> Result<Operator> {
        parts::parts("Imag", space, [Form::Imaginary, Form::Zero])
    }
}
