//! Adjoints.

use crate::{LinearMap, Operator};

/// `Aᴴ`: what `a` does in its adjoint direction, forward, and the other way round. `adjoint(adjoint(a))` is `a`.
pub fn adjoint(a: impl LinearMap + 'static) -> Operator {
    Operator::new(a).into_adjoint()
}
