//! Multiples. The factor goes into the update that the operator does anyway, so it costs nothing.

use std::ops::{Mul, Neg};

use num_complex::Complex64;

use crate::{Error, LinearMap, Operator, Result};

/// `a A`
impl Mul<Operator> for f64 {
    type Output = Operator;

    fn mul(self, operator: Operator) -> Operator {
        operator.times(self.into())
    }
}

/// `a A`; [`Error::Parameter`] for a factor with an imaginary part when a space is real.
impl Mul<Operator> for Complex64 {
    type Output = Result<Operator>;

    fn mul(self, operator: Operator) -> Result<Operator> {
        for space in [operator.domain(), operator.range()] {
            if self.im != 0.0 && !space.dtype().is_complex() {
                let why = format!("the factor {self} is complex and {space} is not");
                return Error::parameter(operator.name(), why);
            }
        }
        Ok(operator.times(self))
    }
}

/// `-A`
impl Neg for Operator {
    type Output = Self;

    fn neg(self) -> Self {
        -1.0 * self
    }
}
