//! LSQR: least squares by the bidiagonalisation of Golub and Kahan.

use arrayspan_bridge::Array;
use arrayspan_kernels::{VectorMut, constant, input};
use arrayspan_operators::LinearMap;

use super::breakdown::{going, most};
use super::golub_kahan::{self, ALPHA, Bidiagonal};
use super::step::step_and_turn;
use crate::engine::Make;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run};
use crate::engine::system::Parts;
use crate::{Result, Stop};

/// `min ‖y - A x‖² + damping² ‖x‖²` for any linear `A`, as [`Cgls`](crate::Cgls) does, by plane rotations of a bidiagonal matrix.
///
/// In exact arithmetic the iterates are those of [`Cgls`](crate::Cgls); with ill-conditioned `A` they are more accurate. `A` may be
/// of any shape and rank; real-linear operators are solved, too. A start vector is refused with damping: it is `x - start` that
/// bidiagonalisation damps (as PyLops' `lsqr` does). [`Cgls`](crate::Cgls) damps `x`.
///
/// The gradient is `Aᴴ (y - A x) - damping² x`, as the recurrence has it. Residuals are `‖y - A x‖`, without damping, as [`Cgls`]'s.
///
/// Breakdowns: a gradient that is exactly zero ends with [`Stopped::Gradient`](crate::Stopped::Gradient); NaN or infinity with [`Stopped::NotFinite`](crate::Stopped::NotFinite);
/// a solution below the normal numbers of the dtype with [`Stopped::Underflow`](crate::Stopped::Underflow). A gradient at the rounding level of
/// [`Cgls`](crate::Cgls) ends with [`Stopped::Precision`](crate::Stopped::Precision); **no iteration after that changes anything**.
///
/// Storage: `3n + m` elements, solution included (`n` model, `m` data), and `12 (check_every + 11) + 19` scalars
/// ([`memory`](crate::Solver::memory)). Values moved an iteration: `6n + m` (`7n + m` with damping), and one application of
/// `A` and of `Aᴴ`, which add to what is there (test `bytes::lsqr`). Launches beside those: 5 (7 with damping).
///
/// Reference: Paige and Saunders, ACM Trans. Math. Software 8 (1982) 43 and 195.
/// Golden: PyLops 2.8.0 `lsqr`, `SciPy` 1.17 `lsqr`.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, LinearOperator, Scheme, Space};
/// use arrayspan_solvers::{Lsqr, Solver, Stop};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let solution = Lsqr { stop: Stop::after(40), ..Lsqr::default() }.solve(&a, &y)?;
/// assert!(solution.residuals[solution.iterations] < 1e-6 * solution.residuals[0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
///
/// [`Cgls`]: crate::Cgls
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lsqr {
    /// The weight of `‖x‖` beside the misfit, which `damping² ‖x‖²` is added to. At least 0, and at most half the largest
    /// number of the dtype; below `ε² ‖A‖` it is taken for none,
    /// because nothing of it is left beside rounding errors.
    pub damping: f64,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for Lsqr {
    /// No damping, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { damping: 0.0, stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`Lsqr`].
#[derive(Debug)]
pub struct Vectors {
    both: Bidiagonal,
    /// `w`, along which steps are taken.
    direction: Array,
    /// `damping² ‖x‖²`
    damped: Array,
}

/// The row of what is left of the direction in the next one.
const TURN: usize = golub_kahan::ROWS;
/// The row of `φ̄`, what no step has explained yet.
const REST: usize = TURN + 1;
/// The row of `ρ̄`, the corner of the triangle.
const CORNER: usize = TURN + 2;
/// The row of a lower bound of `‖A‖²`.
const BOUND: usize = TURN + 3;
/// The row of the sum of `ψ²`, which damping keeps from being explained.
const KEPT: usize = TURN + 4;
/// The row of the margin above the rounding level.
const MARGIN: usize = TURN + 5;
/// How many rows there are.
const ROWS: usize = TURN + 6;

/// What the next scalars are computed of, beside `β²` and `α²`.
const SCALARS: [usize; 8] = [RESIDUAL, GRADIENT, ALPHA, REST, CORNER, BOUND, KEPT, MARGIN];

impl Method for Lsqr {
    type Vectors = Vectors;
    const NAME: &'static str = "Lsqr";
    const ROWS: [usize; 2] = [ROWS, 0];
    const OBJECTIVE: usize = RESIDUAL;
    const DESCENDS: bool = true;

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn check_every(&self) -> usize {
        self.check_every
    }

    fn damping(&self) -> f64 {
        self.damping
    }

    fn lifted(&self, _: usize) -> Result<Self> {
        Ok(*self)
    }

    fn check(&self, _: &dyn LinearMap) -> Result<()> {
        Ok(())
    }

    fn check_start(&self) -> Result<()> {
        golub_kahan::check_start(Self::NAME, self.damping)
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        Ok(Vectors {
            both: Bidiagonal::new(make)?,
            direction: make.model("the workspace's direction")?,
            damped: make.scalar()?,
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.both.u
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Bidiagonal { u, v, .. } = &mut vectors.both;
        vec![u, v, &mut vectors.direction]
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn arrays(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { both, direction, damped } = vectors;
        let mut all = both.arrays();
        all.extend([direction, damped]);
        all
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let Parts { mut system, vectors, history, on, .. } = run.parts();
        vectors.both.first(on, &mut system)?;
        let [beta, alpha] = [0, 1].map(|at| input(at).sqrt());
        let none = || constant(0.0);
        let state = [
            input(0),
            input(0) * input(1),
            constant(1.0),
            constant(1.0).div_or_zero(alpha.clone()),
            none() - alpha.clone().div_or_zero(beta.clone()),
            alpha.clone(),
            none(),
            beta,
            alpha,
            none(),
            none(),
            most(history.dtype()),
        ];
        let Bidiagonal { beta, alpha, .. } = &vectors.both;
        history.begin(on, &[beta.view(), alpha.view()], &state)
    }

    /// Makes the first gradient the first direction.
    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(scalars(run));
        let Parts { vectors, history, on, .. } = run.parts();
        let inverse = history.get(golub_kahan::INVERSE, 0)?;
        Ok(vectors.direction.assign_on(on, inverse * &vectors.both.v)?)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let damping = run.damping;
        let Parts { mut system, vectors, history, x, next, on } = run.parts();
        let Vectors { both, direction, damped } = vectors;
        both.next(on, &mut system, history, step)?;
        let others = [both.beta.view(), both.alpha.view()];
        history.advance(on, step, &SCALARS, &others, next)?;
        let numbers = [STEP, golub_kahan::INVERSE, TURN];
        let [length, inverse, turn] = numbers.map(|row| history.get(row, step + 1));
        let turned = |v, w| input(1) * v + input(2) * w;
        step_and_turn(on, [x, direction], &both.v, [length?, inverse?, turn?], input(0), turned)?;
        golub_kahan::without_damping(on, damping, x, damped, history, step + 1)
    }
}

/// The next column, of [`SCALARS`], `β²` and `α²`.
fn scalars(run: &Run<'_, Lsqr>) -> State {
    let [residual, gradient, before, rest, corner, bound, kept, margin] =
        [0, 1, 2, 3, 4, 5, 6, 7].map(input);
    let beta2 = input(8);
    let [beta, alpha] = [8, 9].map(|at| input(at).sqrt());
    let bound = bound.max(before.abs2() + beta2.clone());
    let misfit = rest.clone().abs2() + kept.clone();
    let known = [margin, gradient, bound.clone(), residual, misfit];
    let margin = golub_kahan::margin(run, SCALARS.len() + 2, known);

    // One rotation against the damping, one against β.
    let [corner, rest, kept] = golub_kahan::damped(run.damping, [corner, rest, kept]);
    let rho = (corner.clone().abs2() + beta2).sqrt();
    let [cos, sin] = [corner, beta.clone()].map(|part| part.div_or_zero(rho.clone()));
    let length = going(margin.clone()) * (cos.clone() * rest.clone()).div_or_zero(rho.clone());
    let turn = constant(-1.0) * (sin.clone() * alpha.clone()).div_or_zero(rho);
    let rest = sin * rest;
    let corner = constant(-1.0) * cos * alpha.clone();
    vec![
        rest.clone().abs2() + kept.clone(),
        (corner.clone() * rest.clone()).abs2(),
        length,
        constant(1.0).div_or_zero(alpha.clone()),
        constant(-1.0) * alpha.clone().div_or_zero(beta),
        alpha,
        turn,
        rest,
        corner,
        bound,
        kept,
        margin,
    ]
}
