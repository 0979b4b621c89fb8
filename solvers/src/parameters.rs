//! What parameters have to be, said of all solvers in the same words.

use std::fmt::Display;

use arrayspan_operators::LinearMap;

use crate::{Error, Result};

/// Fails with what is wrong with a parameter.
pub(crate) fn wrong<T>(solver: &'static str, why: impl Into<String>) -> Result<T> {
    Err(Error::Parameter { solver, why: why.into() })
}

/// The value, if it is a finite number above 0.
pub(crate) fn positive(solver: &'static str, what: impl Display, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    wrong(solver, format!("{what} {value} is not a finite number > 0"))
}

/// The value, if it is a finite number of at least 0.
pub(crate) fn not_negative(solver: &'static str, what: impl Display, value: f64) -> Result<f64> {
    if is_not_negative(value) {
        return Ok(value);
    }
    wrong(solver, format!("{what} {value} is not a finite number ≥ 0"))
}

/// Whether it is a finite number of at least 0.
pub(crate) fn is_not_negative(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// Fails if the host would never look.
pub(crate) fn check_every(solver: &'static str, iterations: usize) -> Result<()> {
    if iterations > 0 {
        return Ok(());
    }
    wrong(solver, "check_every is 0: the host must check after at least 1 iteration")
}

/// Fails unless there are iterations, and the host looks at them.
pub(crate) fn iterations(
    solver: &'static str,
    iterations: usize,
    check_every: usize,
) -> Result<()> {
    if iterations > 0 && check_every > 0 {
        return Ok(());
    }
    wrong(
        solver,
        format!("iterations = {iterations} and check_every = {check_every} have to be at least 1"),
    )
}

/// Fails unless models and data have one space.
pub(crate) fn square(solver: &'static str, a: &dyn LinearMap) -> Result<()> {
    let (domain, range) = (a.domain(), a.range());
    if domain == range {
        return Ok(());
    }
    let name = a.name();
    wrong(solver, format!("{name} has models {domain} and data {range}, which have to be the same"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_finite_or_have_the_wrong_sign_are_named() {
        assert_eq!(positive("Admm", "rho", 1e-300).unwrap().to_bits(), 1e-300_f64.to_bits());
        assert_eq!(not_negative("Ista", "weight", 0.0).unwrap().to_bits(), 0.0_f64.to_bits());
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = positive("Admm", "rho", bad).unwrap_err().to_string();
            assert_eq!(error, format!("Admm: rho {bad} is not a finite number > 0"));
        }
        for bad in [-1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = not_negative("Ista", "weight", bad).unwrap_err().to_string();
            assert_eq!(error, format!("Ista: weight {bad} is not a finite number ≥ 0"));
        }
        assert!(check_every("Cg", 0).is_err() && check_every("Cg", 1).is_ok());
        assert!(iterations("Cg", 0, 1).is_err() && iterations("Cg", 1, 0).is_err());
    }
}
