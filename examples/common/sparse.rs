//! Few numbers that explain data.

use arrayspan::prelude::*;
use arrayspan::solvers::sparse::{Fista, Sparsity};

use super::Failure;

/// `min ‖y - A x‖² + weight ‖x‖₁` by FISTA.
pub(crate) fn model(
    a: &Operator,
    y: &Array,
    weight: f64,
    iterations: usize,
) -> Result<Array, Failure> {
    let sparsity = Sparsity { weight, ..Sparsity::default() };
    let stop = Stop::after(iterations);
    Ok(Fista { sparsity, restart: true, stop, ..Fista::default() }.solve(a, y)?.x)
}
