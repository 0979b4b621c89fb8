//! Derivatives by finite differences.

mod first;
mod laplacian;
mod second;

pub use first::{Edge, FirstDerivative, Scheme};
pub use laplacian::{Along, Laplacian};
pub use second::SecondDerivative;

use crate::{Error, Result};

fn check_step(operator: &'static str, step: f64) -> Result<()> {
    if step.is_finite() && step != 0.0 {
        return Ok(());
    }
    Error::parameter(operator, format!("a step of {step} between samples"))
}
