//! Multiples. The factor goes into the update that the operator does anyway, so it costs nothing.

use std::ops::{Mul, Neg};

use num_complex::Complex64;

use crate::{Error, LinearMap, Operator, Result, number};

/// `a A`; [`Error::Parameter`] for a factor that the dtype of a space cannot hold: not finite, or, by itself or times
/// a factor that is there already, beyond its largest or below its normal numbers.
impl Mul<Operator> for f64 {
    type Output = Result<Operator>;

    fn mul(self, operator: Operator) -> Result<Operator> {
        operator.times(self.into())
    }
}

/// `a A`; [`Error::Parameter`] as for a real factor, and for one with an imaginary part when a space is real.
impl Mul<Operator> for Complex64 {
    type Output = Result<Operator>;

    fn mul(self, operator: Operator) -> Result<Operator> {
        for space in [operator.domain(), operator.range()] {
            if self.im != 0.0 && !space.dtype().is_complex() {
                let factor = number::text(self);
                let why = format!("the factor {factor} is complex and {space} is not");
                return Error::parameter(operator.name(), why);
            }
        }
        operator.times(self)
    }
}

/// `-A`
impl Neg for Operator {
    type Output = Self;

    fn neg(self) -> Self {
        self.negated()
    }
}
