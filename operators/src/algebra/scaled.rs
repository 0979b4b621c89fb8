//! Multiples. The factor goes into the update that the operator does anyway, so it costs nothing.

use num_complex::Complex64;

use super::product::product;
use crate::{Error, Identity, LinearMap, Operator, Result, number};

/// `a A`
pub(super) fn scaled(factor: Complex64, operator: &Operator) -> Result<Operator> {
    let linear = operator.is_linear();
    let domain = linear.then(|| operator.domain());
    for space in domain.into_iter().chain([operator.range()]) {
        if factor.im != 0.0 && !space.dtype().is_complex() {
            let factor = number::text(factor);
            let why = format!("the factor {factor} is complex and {space} is not");
            return Error::parameter(operator.name(), why);
        }
    }
    if linear || factor.im == 0.0 {
        return operator.times(factor);
    }
    // A complex factor does not commute with an operator that is only real-linear: the adjoint applies its conjugate first.
    product(&Identity::new(operator.range().clone())?.times(factor)?, operator)
}
