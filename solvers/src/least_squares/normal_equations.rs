//! Normal equations: a positive system in the place of least squares.

use arrayspan_bridge::{Array, AsView};
use arrayspan_kernels::VectorMut;
use arrayspan_operators::{LinearMap, LinearOperator, Operator, adjoint};

use super::regularized::{Term, check};
use crate::parameters::wrong;
use crate::{Result, Solution, Solver};

/// `Aᴴ W A + Σ wᵢ² Rᵢᴴ Rᵢ` and `Aᴴ W y + Σ wᵢ² Rᵢᴴ tᵢ`, made by [`normal_equations`].
#[derive(Debug)]
pub struct NormalEquations {
    /// Self-adjoint, and positive where `A` and the terms see every model.
    pub operator: Operator,
    /// The right-hand side, a model.
    pub data: Array,
}

/// The equations that the solution of `min ‖y - A x‖²_W + Σ wᵢ² ‖tᵢ - Rᵢ x‖²` solves, for [`Cg`](crate::Cg). PyLops:
/// `normal_equations_inversion`, whose `epsI` is a term `(epsI, &identity, None)`.
///
/// Their condition is the square of that of the problem: [`regularized`](super::regularized) with [`Cgls`](crate::Cgls) or
/// [`Lsqr`](crate::Lsqr) is more accurate. These are for operators whose product `Aᴴ A` is cheaper than both factors (as of
/// convolutions, bands and diagonals, which are multiplied out), and for preconditioners of `Aᴴ A`. `weights`, self-adjoint and
/// positive, `None` for the identity, are of the data.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::Cg;
/// use arrayspan_solvers::least_squares::normal_equations;
///
/// let space = Space::new([50], DType::Float64)?;
/// let picked = Restriction::new(space.clone(), 0, [3, 17, 42])?;
/// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let y = Array::from_slice(&[1.0, 2.0, 0.0], [3])?;
/// let problem = normal_equations(&picked, &y, None, &[(0.1, &slope, None)])?;
/// let solution = problem.solve(&Cg::default())?;
/// # assert!((picked.forward(&solution.x)?.to_vec::<f64>()?[1] - 2.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`regularized`](super::regularized); weights that are not of the data's space.
pub fn normal_equations(
    a: &Operator,
    y: impl AsView,
    weights: Option<&Operator>,
    terms: &[Term<'_>],
) -> Result<NormalEquations> {
    let (y, solver) = (y.as_view(), "normal_equations");
    check(solver, a, &y, terms)?;
    if let Some(weights) = weights
        && (weights.domain() != a.range() || weights.range() != a.range())
    {
        let range = a.range();
        return wrong(solver, format!("the weights {weights:?} are not of the data, {range}"));
    }
    let back = adjoint(a);
    let (mut sum, mut data) = match weights {
        Some(weights) => (back.after(weights.after(a)), back.forward(weights.forward(&y)?)?),
        None => (back.after(a), back.forward(&y)?),
    };
    let on = arrayspan_kernels::on(y.device())?;
    for (weight, operator, target) in terms {
        let back = adjoint(*operator);
        sum = sum + *weight * (*weight * back.after(*operator));
        if let Some(target) = target {
            // By halves, for the square of a small weight may be less than any number.
            let mut part = back.forward(*target)?;
            part.update_on(&*on, |part| *weight * part)?;
            data.add_scaled_on(&*on, *weight, &part)?;
        }
    }
    Ok(NormalEquations { operator: sum.build()?, data })
}

impl NormalEquations {
    /// The solution by a method for positive systems, from zero.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve(&self, solver: &impl Solver) -> Result<Solution> {
        solver.solve(&self.operator, &self.data)
    }
}
