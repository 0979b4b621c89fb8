//! The bidiagonalisation of Golub and Kahan: `A V = U B` with orthonormal `U` and `V`.
//!
//! `β u ← A v - α u` and `α v ← Aᴴ u - β v`. Vectors are kept with their lengths, so that no pass only divides: the operator adds
//! to what is there, by numbers that are on the device.

use arrayspan_bridge::Array;
use arrayspan_kernels::{Executor, Expression, Vector, VectorMut, constant, input};

use super::breakdown::epsilon;
use crate::Result;
use crate::engine::Make;
use crate::engine::history::{History, RESIDUAL, STEP};
use crate::engine::run::{Method, Run, explained};
use crate::engine::system::{System, squared_into};
use crate::parameters::wrong;

/// The row of `1/α`.
pub(super) const INVERSE: usize = STEP + 1;
/// The row of `-α/β`.
const BACK: usize = STEP + 2;
/// The row of `α`.
pub(super) const ALPHA: usize = STEP + 3;
/// The first row that is the method's own.
pub(super) const ROWS: usize = STEP + 4;

/// Both sequences of vectors, the last of each.
#[derive(Debug)]
pub(super) struct Bidiagonal {
    /// `β u`
    pub(super) u: Array,
    /// `α v`
    pub(super) v: Array,
    /// `β²`
    pub(super) beta: Array,
    /// `α²`
    pub(super) alpha: Array,
    /// `1/β`, and `-β/α` with the `α` before.
    factors: [Array; 2],
}

impl Bidiagonal {
    pub(super) fn new(make: &mut Make<'_>) -> Result<Self> {
        Ok(Self {
            u: make.data("the workspace's residual")?,
            v: make.model("the workspace's gradient")?,
            beta: make.scalar()?,
            alpha: make.scalar()?,
            factors: [make.scalar()?, make.scalar()?],
        })
    }

    /// All of them.
    pub(super) fn arrays(&mut self) -> Vec<&mut Array> {
        let Self { u, v, beta, alpha, factors: [inverse, back] } = self;
        vec![u, v, beta, alpha, inverse, back]
    }

    /// The first pair, of what `u` holds.
    pub(super) fn first(&mut self, on: &dyn Executor, system: &mut System<'_>) -> Result<()> {
        let Self { u, v, beta, alpha, .. } = self;
        squared_into(on, &*u, &mut *beta)?;
        system.adjoint(u, v)?;
        v.update_on(on, |v| v.div_or_zero(beta.sqrt()))?;
        squared_into(on, &*v, alpha)
    }

    /// The next pair, with the scalars of column `step`.
    pub(super) fn next(
        &mut self,
        on: &dyn Executor,
        system: &mut System<'_>,
        history: &History,
        step: usize,
    ) -> Result<()> {
        let Self { u, v, beta, alpha, factors } = self;
        let [inverse, back] = [INVERSE, BACK].map(|row| history.get(row, step));
        system.forward_into([&inverse?, &back?], v, u)?;
        squared_into(on, &*u, &mut *beta)?;
        let known = [beta.view(), history.get(ALPHA, step)?];
        let length = || input(0).sqrt();
        let minus = constant(0.0) - length();
        let [inverse, back] = &mut *factors;
        on.map_many(
            &known,
            [
                (constant(1.0).div_or_zero(length()), inverse.view_mut()),
                (minus.div_or_zero(input(1)), back.view_mut()),
            ],
        )?;
        system.adjoint_into([&inverse.view(), &back.view()], u, v)?;
        squared_into(on, &*v, alpha)
    }
}

/// The margin after this iteration, in a state of so many inputs: of that before, and the squares of the gradient, of a bound
/// of `‖A‖`, of the residual and of the residual with damping. It is used up at the rounding level of `Cgls`.
pub(super) fn margin<M: Method>(
    run: &Run<'_, M>,
    inputs: usize,
    [margin, gradient, bound, residual, misfit]: [Expression; 5],
) -> Expression {
    let epsilon = epsilon(run.a.range().dtype());
    let level = constant((4.0 * epsilon).powi(2)) * bound * residual;
    let explained = explained((0.25 * epsilon).powi(2), inputs);
    margin.min(gradient - level).min(misfit - explained)
}

/// Makes the squared misfit with damping, which column `step` has for that of the residual, the one without.
pub(super) fn without_damping(
    on: &dyn Executor,
    damping: f64,
    x: &Array,
    damped: &mut Array,
    history: &mut History,
    step: usize,
) -> Result<()> {
    if damping == 0.0 {
        return Ok(());
    }
    // Not `damping²`, which may overflow where the product does not.
    squared_into(on, &(damping * x), &mut *damped)?;
    let mut residual = history.get_mut(RESIDUAL, step)?;
    Ok(residual.update_on(on, |misfit| (misfit - &*damped).maximum(0.0))?)
}

/// What one rotation against the damping makes of the corner of the triangle, of what is left of the data, and of the squares
/// that are never explained.
pub(super) fn damped(damping: f64, [corner, rest, kept]: [Expression; 3]) -> [Expression; 3] {
    if damping == 0.0 {
        return [corner, rest, kept];
    }
    let length = (corner.clone().abs2() + constant(damping.powi(2))).sqrt();
    let rest = rest.div_or_zero(length.clone());
    let lost = constant(damping) * rest.clone();
    [length, rest * corner, kept + lost.abs2()]
}

/// Fails for damping: what is damped would be `x - start`.
pub(super) fn check_start(solver: &'static str, damping: f64) -> Result<()> {
    if damping == 0.0 {
        return Ok(());
    }
    let why = format!(
        "damping {damping} and a start vector: it would damp x - start. Cgls damps x; for x - start, fit y - A start, and add the start"
    );
    wrong(solver, why)
}
