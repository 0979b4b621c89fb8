//! Preconditioners that are ready. Any operator can be one.

use arrayspan_bridge::{Array, AsView};
use arrayspan_kernels::Vector;
use arrayspan_operators::{Diagonal, Identity, LinearMap, Operator, Space};

use crate::Result;
use crate::parameters::{positive, square, wrong};

/// The inverse of the diagonal of an operator on `space`: of Jacobi's name. Where the diagonal is zero, so is the result.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Diagonal, Space};
/// use arrayspan_solvers::preconditioner::jacobi;
/// use arrayspan_solvers::{Cg, Solver, Stop};
///
/// let space = Space::new([4], DType::Float64)?;
/// let diagonal = Array::from_slice(&[1.0, 1e3, 1e6, 1e9], [4])?;
/// let solver = Cg { preconditioner: Some(jacobi(space.clone(), &diagonal)?), ..Cg::default() };
/// let a = Diagonal::new(space, diagonal)?;
/// let solution = solver.solve(&a, Array::from_slice(&[1.0; 4], [4])?)?;
/// assert!(solution.iterations <= 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A diagonal of another shape or dtype than the space; out of memory.
pub fn jacobi(space: Space, diagonal: impl AsView) -> Result<Operator> {
    let view = diagonal.as_view();
    let on = arrayspan_kernels::on(view.device())?;
    let inverse: Array = (1.0 - 0.0 * &view).div_or_zero(&view).compute_on(&*on)?;
    Ok(Diagonal::new(space, inverse)?)
}

/// `ω Σ (I - ω A)ᵏ` for `k` from 0 to `degree`: Neumann's series of the inverse, cut off.
///
/// For a self-adjoint and positive `A` it is self-adjoint and positive too, if `0 < ω < 2/‖A‖`; `1/‖A‖` is a good `ω`. Each
/// application takes `degree` of those of `A`, and no inner products, which is what it saves.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::preconditioner::neumann;
/// use arrayspan_solvers::{Cg, Solver, Stop};
///
/// let space = Space::new([50], DType::Float64)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Reduced)?;
/// let a = (0.01 * Identity::new(space)? + adjoint(&slope).after(&slope)).build()?;
/// let y = Array::from_slice(&[1.0; 50], [50])?;
/// let plain = Cg::default().solve(&a, &y)?;
/// let solver = Cg { preconditioner: Some(neumann(&a, 0.24, 3)?), check_every: 1, ..Cg::default() };
/// assert!(solver.solve(&a, &y)?.iterations < plain.iterations);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An operator whose models and data are not of one space; an `ω` that is not finite and positive; more than 63 degrees.
pub fn neumann(a: &Operator, omega: f64, degree: usize) -> Result<Operator> {
    let solver = "neumann";
    square(solver, a)?;
    positive(solver, "omega", omega)?;
    if degree > 63 {
        return wrong(solver, format!("degree {degree}, more than 63"));
    }
    let identity = Identity::new(a.domain().clone())?;
    let step = (&identity - omega * a).build()?;
    let first = (omega * &identity).build()?;
    let mut sum = first.clone();
    for _ in 0..degree {
        sum = (&first + step.after(&sum)).build()?;
    }
    Ok(sum)
}
