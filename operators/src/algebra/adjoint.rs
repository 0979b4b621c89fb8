//! Adjoints.

use crate::Operator;
use crate::form::Orientation;

/// `Aᴴ`: what `a` does in its adjoint direction, forward, and the other way round. `adjoint(adjoint(a))` is `a`.
pub fn adjoint(a: impl Into<Operator>) -> Operator {
    a.into().turned(Orientation::ADJOINT)
}
