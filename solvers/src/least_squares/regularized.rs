//! Data and what else is known of a model, as one problem.

use arrayspan_bridge::{Array, AsView, Relayout, View};
use arrayspan_kernels::{Update, VectorMut};
use arrayspan_operators::{Formula, LinearMap, Operator, vstack};

use crate::engine::Fit;
use crate::parameters::not_negative;
use crate::{Result, Solution, Solver};

/// `weight² ‖target - R x‖²`: the weight, `R`, and the target; `None` is zero.
pub type Term<'a> = (f64, &'a Operator, Option<&'a Array>);

/// `[A; w₁ R₁; …]` and `[y; w₁ t₁; …]`, made by [`regularized`].
#[derive(Debug)]
pub struct Regularized {
    /// What stands above the other.
    pub operator: Operator,
    /// The data above the targets, in the range of the operator.
    pub data: Array,
}

/// `min ‖y - A x‖² + Σ wᵢ² ‖tᵢ - Rᵢ x‖²`, as one least-squares problem. PyLops: `regularized_inversion`.
///
/// Ranges need not agree: those that do in all but their first axis are joined along it, others are flat (as
/// [`vstack`](fn@arrayspan_operators::vstack) says). Data may be weighted by an operator before: `w.after(&a)` and `w.forward(&y)`.
///
/// Storage: the data once more, and the targets.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::least_squares::regularized;
/// use arrayspan_solvers::{Cgls, Stop};
///
/// // The values of a line at some places, and that it bends little.
/// let space = Space::new([50], DType::Float64)?;
/// let picked = Restriction::new(space.clone(), 0, [3, 17, 42])?;
/// let bend = SecondDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero)?;
/// let y = Array::from_slice(&[1.0, 2.0, 0.0], [3])?;
/// let problem = regularized(&picked, &y, &[(0.01, &bend, None)])?;
/// let line = problem.solve(&Cgls { stop: Stop::after(500), ..Cgls::default() })?.x;
/// # assert!((picked.forward(&line)?.to_vec::<f64>()?[1] - 2.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A weight that is negative, not finite or beyond the dtype; data and targets that do not fit their operators; operators of
/// different models; out of memory.
pub fn regularized(a: &Operator, y: impl AsView, terms: &[Term<'_>]) -> Result<Regularized> {
    let y = y.as_view();
    check("regularized", a, &y, terms)?;
    let operator = stacked(a, terms)?;
    let on = arrayspan_kernels::on(y.device())?;
    let (shape, dtype) = (operator.range().shape(), operator.range().dtype());
    let mut data = on.empty(shape, dtype)?;
    // Joined along the first axis or flat, one part lies behind the other.
    let mut flat = data.view_mut().reshaped(&[operator.range().len()])?;
    let mut at = 0;
    let own = (1.0, a, Some(y));
    let others = terms
        .iter()
        .map(|(weight, operator, target)| (*weight, *operator, target.map(Array::view)));
    for (weight, part, value) in std::iter::once(own).chain(others) {
        let space = part.range();
        let place = flat.reborrow().sliced(0, at, space.len())?;
        let mut place = place.reshaped(space.shape())?;
        match value {
            Some(value) => on.copy(value, place, Update::new(weight, 0.0))?,
            None => place.assign_on(&*on, 0.0)?,
        }
        at += space.len();
    }
    Ok(Regularized { operator, data })
}

/// `[A; w₁ R₁; …]`
pub(crate) fn stacked(a: &Operator, terms: &[Term<'_>]) -> Result<Operator> {
    let mut parts = vec![Formula::from(a)];
    parts.extend(terms.iter().map(|(weight, operator, _)| *weight * *operator));
    Ok(vstack(parts)?)
}

impl Regularized {
    /// The solution by a method of least squares, from zero.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve(&self, solver: &impl Solver) -> Result<Solution> {
        solver.solve(&self.operator, &self.data)
    }
}

/// Fails unless weights make sense, and data and targets are of the ranges of their operators.
pub(super) fn check(
    solver: &'static str,
    a: &Operator,
    y: &View<'_>,
    terms: &[Term<'_>],
) -> Result<()> {
    let fit = Fit { solver, device: y.device() };
    fit.array("data", a.range(), y)?;
    for (number, (weight, operator, target)) in terms.iter().enumerate() {
        not_negative(solver, format_args!("the weight of term {number},"), *weight)?;
        if let Some(target) = target {
            fit.array("a target", operator.range(), &target.view())?;
        }
    }
    Ok(())
}
