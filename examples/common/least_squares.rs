//! Pictures from data: by least squares with a smooth result, and with edges.

use arrayspan::prelude::*;
use arrayspan::solvers::least_squares::regularized;
use arrayspan::solvers::sparse::{Shrunk, SplitBregman};
use ndarray::Array2;

use super::{Failure, host};

/// `min ‖y - A x‖² + smooth² ‖∇² x‖²`
pub(crate) fn smooth(a: &Operator, y: &Array, smooth: f64) -> Result<Array2<f64>, Failure> {
    let axes = [0, 1].map(|axis| Along { axis, step: 1.0, weight: 1.0 });
    let bend = Laplacian::new(a.domain().clone(), &axes, Scheme::Centered3, Edge::Zero)?;
    let problem = regularized(a, y, &[(smooth, &bend, None)])?;
    let stop = Stop { residual: 1e-4, gradient: 1e-4, ..Stop::after(200) };
    host(&problem.solve(&Cgls { stop, ..Cgls::default() })?.x)
}

/// `min ½ ‖y - A x‖² + weight TV(x)`
pub(crate) fn total_variation(
    a: &Operator,
    y: &Array,
    weight: f64,
) -> Result<Array2<f64>, Failure> {
    let operator = Gradient::new(a.domain().clone(), &[1.0, 1.0], Scheme::Forward, Edge::Zero)?;
    // The square of its weight is that of the norm. What is small takes small steps; `mu` beside it sets their size.
    let edges = Shrunk { operator, weight: weight.sqrt(), isotropic: true };
    let stop = Stop { residual: 1e-4, gradient: 1e-3, ..Stop::after(20) };
    let solver = SplitBregman {
        l1: vec![edges],
        iterations: 60,
        inner: 1,
        tolerance: 1e-4,
        least_squares: Lsqr { stop, ..Lsqr::default() },
        ..SplitBregman::default()
    };
    host(&solver.solve(a, y)?.x)
}
