//! Whether an iteration goes on: by a margin, a row of the history that never rises and is positive as long as it does.

use arrayspan_bridge::DType;
use arrayspan_kernels::{Expression, constant};

use crate::Stopped;
use crate::engine::run::above;
pub(super) use crate::engine::scale::epsilon;

/// 1 as long as the margin is positive, 0 then and for ever after.
pub(super) fn going(margin: Expression) -> Expression {
    above(margin, constant(0.0))
}

/// What is above all margins.
pub(super) fn most(scalars: DType) -> Expression {
    constant(if scalars == DType::Float32 { f64::from(f32::MAX) } else { f64::MAX })
}

/// What ended an iteration whose margin is the least `<p, A p> / <p, p> - ε bound`.
pub(super) fn named(margin: f64, bound: f64, dtype: DType) -> Stopped {
    if margin > 0.0 {
        Stopped::Precision
    } else if margin < -2.0 * epsilon(dtype) * bound {
        Stopped::Indefinite
    } else {
        Stopped::Singular
    }
}
