//! Multiples. The factor goes into the update that the operator does anyway, so it costs nothing.

use num_complex::Complex64;

use crate::{Error, LinearMap, Operator, Result, number};

/// `a A`
pub(super) fn scaled(factor: Complex64, operator: &Operator) -> Result<Operator> {
    for space in [operator.domain(), operator.range()] {
        if factor.im != 0.0 && !space.dtype().is_complex() {
            let factor = number::text(factor);
            let why = format!("the factor {factor} is complex and {space} is not");
            return Error::parameter(operator.name(), why);
        }
    }
    operator.times(factor)
}
