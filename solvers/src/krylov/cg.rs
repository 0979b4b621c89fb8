//! Conjugate gradients, for positive operators.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Expression, Update, constant, input};
use arrayspan_operators::{Lift, LinearMap, Operator};

use super::breakdown::{epsilon, going, most, named};
use super::step::{ratio, step_and_turn};
use crate::engine::Make;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run, explained};
use crate::engine::system::{Parts, real_dot, squared_into, update_squared};
use crate::parameters::square;
use crate::{Result, Stop, Stopped};

/// `A x = y` for a self-adjoint and positive `A`: in each step `‖x - x*‖` in the norm of `A` is the least of the Krylov space.
///
/// `A` has one space for models and data, `A = Aᴴ`, and `<x, A x> > 0`; where `<x, A x> ≥ 0` it solves as long as `y` is in the
/// range of `A`. That is not checked beforehand (`laws::check` does), but noticed on the way. With a preconditioner `M`, self-adjoint
/// and positive as well, the directions are those of `M A`.
///
/// The *gradient* is the residual, `√<r, M r>` with a preconditioner; [`Stop::gradient`] compares it with the one at the
/// start. Complex: directions and steps are by `Re <·,·>`, so that real-linear operators are solved, too.
///
/// Breakdowns: a direction with `<p, A p> < 0`, or a residual with `<r, M r> ≤ 0`, ends with [`Stopped::Indefinite`]; one that `A` maps to nothing but rounding
/// errors, `|<p, A p>| ≤ ε ‖A‖ ‖p‖²`, with [`Stopped::Singular`]: the solution is that before. NaN or infinity end with
/// [`Stopped::NotFinite`]. A residual of `ε/4 ‖y‖` (or of that at the start, if it is larger) ends with [`Stopped::Precision`]; **no
/// iteration after that changes anything**. Data zero give the model zero, at once.
///
/// Storage: `4n` elements, solution included (`5n` with a preconditioner), and `7 (check_every + 11) + 10` scalars
/// ([`memory`](crate::Solver::memory)). Values moved an iteration: `10n` (`12n`) and an application of `A` (and `M`) (test
/// `bytes::cg`). Launches beside these: 4 (5).
///
/// Reference: Hestenes and Stiefel, J. Res. NBS 49 (1952) 409; Barrett et al., Templates, SIAM 1994, figure 2.5.
/// Golden: PyLops 2.8.0 `cg` (whose `tol` is that of the squared absolute residual).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::{Cg, Solver, Stopped};
///
/// let space = Space::new([50], DType::Float64)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Reduced)?;
/// let a = (Identity::new(space)? + adjoint(&slope).after(&slope)).build()?;
/// let solution = Cg::default().solve(&a, Array::from_slice(&[1.0; 50], [50])?)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cg {
    /// What is applied to residuals: an operator that is nearly the inverse of `A` and cheap, self-adjoint and positive.
    pub preconditioner: Option<Operator>,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for Cg {
    /// No preconditioner, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { preconditioner: None, stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`Cg`].
#[derive(Debug)]
pub struct Vectors {
    /// `r = y - A x`
    residual: Array,
    /// `p`
    direction: Array,
    /// `q = A p`
    image: Array,
    /// `z = M r`
    preconditioned: Option<Array>,
    /// `<p, q>`
    curvature: Array,
}

/// The row of `<r, M r>` one iteration earlier.
pub(super) const LAST: usize = 3;
/// The row of `‖p‖²`, in the norm of the preconditioner's inverse.
pub(super) const SIZE: usize = 4;
/// The row of the largest `<p, A p> / ‖p‖²` so far.
pub(super) const BOUND: usize = 5;
/// The row of the least `<p, A p> / ‖p‖² - ε bound` so far.
pub(super) const MARGIN: usize = 6;
/// How many rows there are.
pub(super) const ROWS: usize = 7;

impl Method for Cg {
    type Vectors = Vectors;
    const NAME: &'static str = "Cg";
    const ROWS: [usize; 2] = [ROWS, STEP];
    const OBJECTIVE: usize = RESIDUAL;
    /// Its gradient is the residual.
    const DESCENDS: bool = false;

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn check_every(&self) -> usize {
        self.check_every
    }

    fn lifted(&self, columns: usize) -> Result<Self> {
        let lift = |inner: &Operator| inner.lifted(Lift::Trailing(columns));
        Ok(Self { preconditioner: self.preconditioner.as_ref().map(lift).transpose()?, ..*self })
    }

    fn preconditioner(&self) -> Option<&Operator> {
        self.preconditioner.as_ref()
    }

    fn gradient(&self) -> usize {
        if self.preconditioner.is_some() { GRADIENT } else { RESIDUAL }
    }

    fn check(&self, a: &dyn LinearMap) -> Result<()> {
        square(Self::NAME, a)
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        Ok(Vectors {
            residual: make.data("the workspace's residual")?,
            direction: make.model("the workspace's direction")?,
            image: make.data("the workspace's image")?,
            preconditioned: make.preconditioned(self.preconditioner())?,
            curvature: make.scalar()?,
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.residual
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        vec![&mut vectors.residual, &mut vectors.direction]
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn arrays(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { residual, direction, image, preconditioned, curvature } = vectors;
        [residual, direction, image, curvature].into_iter().chain(preconditioned).collect()
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let Parts { vectors, history, on, .. } = run.parts();
        squared_into(on, &vectors.residual, history.get_mut(RESIDUAL, 0)?)?;
        precondition(run, 0)?;
        let state = first(run.w.history.dtype());
        run.w.history.begin(run.on, &[], &state)
    }

    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(scalars(run));
        let conditioned = run.method.preconditioner.is_some();
        let Parts { vectors, on, .. } = run.parts();
        let Vectors { residual, direction, preconditioned, .. } = vectors;
        let first = preconditioned.as_ref().filter(|_| conditioned).unwrap_or(residual);
        Ok(on.copy(first.view(), direction.view_mut(), Update::set())?)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let gamma = run.method.gradient();
        let Parts { mut system, vectors, history, next, on, .. } = run.parts();
        let Vectors { residual, direction, image, curvature, .. } = vectors;
        system.forward(&*direction, image)?;
        real_dot(on, direction, image, &mut *curvature)?;
        let known = [gamma, RESIDUAL, LAST, SIZE, BOUND, MARGIN];
        history.advance(on, step, &known, &[curvature.view()], next)?;
        let (norm, length) = history.get_mut_before(RESIDUAL, STEP, step + 1)?;
        let length = length.view();
        update_squared(on, residual, norm, |r| r - length * &*image)?;

        precondition(run, step + 1)?;
        let conditioned = run.method.preconditioner.is_some();
        let Parts { vectors, history, x, on, .. } = run.parts();
        let Vectors { residual, direction, preconditioned, .. } = vectors;
        let [old, new] = [step, step + 1].map(|step| history.get(gamma, step));
        let numbers = [history.get(STEP, step + 1)?, new?, old?];
        let z = preconditioned.as_ref().filter(|_| conditioned).unwrap_or(residual);
        step_and_turn(on, [x, direction], z, numbers, input(0), |z, p| z + ratio() * p)
    }

    fn frozen(column: &[f64], dtype: DType) -> Stopped {
        named(column[MARGIN], column[BOUND], dtype)
    }
}

/// `z = M r`, and `<r, z>` of column `step`. A workspace may have a `z` though there is no `M`.
fn precondition(run: &mut Run<'_, Cg>, step: usize) -> Result<()> {
    let conditioned = run.method.preconditioner.is_some();
    let Parts { mut system, vectors, history, on, .. } = run.parts();
    let Vectors { residual, preconditioned, .. } = vectors;
    if let Some(z) = preconditioned.as_mut().filter(|_| conditioned) {
        system.precondition(&*residual, z)?;
        real_dot(on, residual, z, history.get_mut(GRADIENT, step)?)?;
    }
    Ok(())
}

/// The next column, of `γ = <r, M r>`, `‖r‖²`, the rows from [`LAST`] on, and `<p, A p>`.
fn scalars(run: &Run<'_, Cg>) -> State {
    let known = [0, 1, 2, 3, 4, 5, 6].map(input);
    column(run, known, 7)
}

/// The rows from that of the step on, before the first iteration.
pub(super) fn first(scalars: DType) -> Vec<Expression> {
    let [first, none] = [1.0, 0.0].map(constant);
    // The bound is a number of no consequence yet.
    vec![first, none.clone(), none.clone(), none, most(scalars)]
}

/// The same rows of the next column, of `γ`, `‖r‖²`, the rows from [`LAST`] on, and `<p, A p>`, in a state of so many inputs.
pub(super) fn column<M: Method>(
    run: &Run<'_, M>,
    known: [Expression; 7],
    inputs: usize,
) -> Vec<Expression> {
    let [gamma, residual, last, size, bound, margin, curvature] = known;
    let epsilon = epsilon(run.a.range().dtype());
    // p = z + ratio p, and z is orthogonal to p.
    let size = gamma.clone() + gamma.clone().div_or_zero(last).abs2() * size;
    let along = curvature.clone().div_or_zero(size.clone());
    let bound = bound.max(along.clone().abs());
    let margin = margin.min(along - constant(epsilon) * bound.clone());
    let level = explained((0.25 * epsilon).powi(2), inputs);
    let go = going(margin.clone().min(residual - level));
    let length = (go * gamma.clone()).div_or_zero(curvature);
    vec![length, gamma, size, bound, margin]
}
