//! Models that are made of something else.

use arrayspan_bridge::AsView;
use arrayspan_operators::{LinearOperator, Operator};

use crate::{Result, Solution, Solver};

/// `min ‖y - A P p‖` over `p`, and `x = P p`: models that `P` makes (smooth ones, sparse combinations, others). PyLops:
/// `preconditioned_inversion`.
///
/// Iterations and residuals of the [`Solution`] are those of `p`. Without convergence its `x` depends on `P`, which is often why it is
/// there: few iterations give what `P` makes easily.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::Lsqr;
/// use arrayspan_solvers::least_squares::preconditioned;
///
/// // A line through three values, made of smooth bumps.
/// let space = Space::new([50], DType::Float64)?;
/// let picked = Restriction::new(space.clone(), 0, [3, 17, 42])?;
/// let smooth = Smoothing::new(space, &[(0, 9)])?;
/// let y = Array::from_slice(&[1.0, 2.0, 0.0], [3])?;
/// let line = preconditioned(&Lsqr::default(), &picked, &y, &smooth)?.x;
/// # assert!((picked.forward(&line)?.to_vec::<f64>()?[1] - 2.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Solver::solve`], and when `P` does not make models of `A`.
pub fn preconditioned(
    solver: &impl Solver,
    a: &Operator,
    y: impl AsView,
    p: &Operator,
) -> Result<Solution> {
    let solution = solver.solve(&a.after(p).build()?, y)?;
    let x = p.forward(&solution.x)?;
    Ok(Solution { x, ..solution })
}
