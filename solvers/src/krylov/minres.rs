//! MINRES, for self-adjoint operators.

use arrayspan_bridge::Array;
use arrayspan_kernels::{Expression, Vector, VectorMut, constant, input};
use arrayspan_operators::LinearMap;

use super::breakdown::{epsilon, going, most};
use super::square;
use crate::engine::Make;
use crate::engine::history::{RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run};
use crate::engine::system::{Parts, real_dot};
use crate::{Result, Stop};

/// `A x = y` for a self-adjoint `A`, positive or not: in each step `‖y - A x‖` is the least of the Krylov space.
///
/// `A` has one space for models and data, and `A = Aᴴ`; that is not checked (`laws::check` does). Where `A` is singular and `y` is not in its
/// range, it ends at a solution of least squares. Residuals never rise. For positive `A`, [`Cg`](crate::Cg) moves less.
///
/// The *gradient* is the residual; [`Stop::gradient`] compares it with the one at the start. Complex: by `Re <·,·>`, so
/// that real-linear operators are solved, too.
///
/// Breakdowns: NaN or infinity end with [`Stopped::NotFinite`](crate::Stopped::NotFinite). A residual of `ε/4 ‖y‖` (or of that at
/// the start, if it is larger), and `‖A r‖ ≤ 4 ε ‖A‖ ‖r‖`, which no step makes smaller, end with
/// [`Stopped::Precision`](crate::Stopped::Precision); **no iteration after that changes anything**.
///
/// Storage: `5n` elements, solution included, and `15 check_every + 18` scalars ([`memory`](crate::Solver::memory)). Values moved
/// an iteration: `13n` and an application of `A`, which adds to what is there (test `bytes::minres`). Launches beside these: 6.
///
/// Reference: Paige and Saunders, SIAM J. Numer. Anal. 12 (1975) 617. Golden: by definition, the least residual of the Krylov space.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_operators::{Diagonal, Space};
/// use arrayspan_solvers::{Minres, Solver, Stopped};
///
/// let weights = Array::from_slice(&[1.0, -2.0, 3.0, -4.0], [4])?;
/// let a = Diagonal::new(Space::new([4], DType::Float64)?, weights)?;
/// let solution = Minres::default().solve(&a, Array::from_slice(&[1.0; 4], [4])?)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minres {
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for Minres {
    /// The default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`Minres`]. Of each pair, iterations of even and odd number write the other one.
#[derive(Debug)]
pub struct Vectors {
    /// `β v`, of this iteration and the one before.
    lanczos: [Array; 2],
    /// `w`, of the last two iterations.
    directions: [Array; 2],
    /// `<β v, A v>`
    along: Array,
    /// `β²` of the next one.
    length: Array,
}

/// The row of `1/β`.
const INVERSE: usize = STEP + 1;
/// The row of `-β` over the `β` before.
const BACK: usize = STEP + 2;
/// The rows of what `w` is made of: of `β v`, of `w` before it, and of that before.
const OF: [usize; 3] = [STEP + 3, STEP + 4, STEP + 5];
/// The rows of the last rotation and of what it has left.
const DBAR: usize = STEP + 6;
const EPSILON: usize = STEP + 7;
const COS: usize = STEP + 8;
const SIN: usize = STEP + 9;
/// The row of `φ̄`, the residual.
const REST: usize = STEP + 10;
/// The row of a lower bound of `‖A‖²`.
const BOUND: usize = STEP + 11;
/// The row of the margin above the rounding level.
const MARGIN: usize = STEP + 12;
/// How many rows there are.
const ROWS: usize = STEP + 13;

/// What the next scalars are computed of, beside `<β v, A v>` and `β²`.
const SCALARS: [usize; 8] = [INVERSE, DBAR, EPSILON, COS, SIN, REST, BOUND, MARGIN];

impl Method for Minres {
    type Vectors = Vectors;
    const NAME: &'static str = "Minres";
    /// The row of the gradient is not used.
    const ROWS: [usize; 2] = [ROWS, 0];
    const OBJECTIVE: usize = RESIDUAL;
    const DESCENDS: bool = false;

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn check_every(&self) -> usize {
        self.check_every
    }

    fn gradient(&self) -> usize {
        RESIDUAL
    }

    fn check(&self, a: &dyn LinearMap) -> Result<()> {
        square(Self::NAME, a)
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        Ok(Vectors {
            lanczos: [
                make.data("the workspace's residual")?,
                make.data("the workspace's residual")?,
            ],
            directions: [
                make.model("the workspace's direction")?,
                make.model("the workspace's direction")?,
            ],
            along: make.scalar()?,
            length: make.scalar()?,
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.lanczos[0]
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let Parts { vectors, history, on, .. } = run.parts();
        vectors.lanczos[0].norm_squared_into(on, &mut vectors.length)?;
        let [none, one] = [0.0, 1.0].map(constant);
        let beta = input(0).sqrt();
        let mut state = vec![none.clone(); ROWS];
        state[RESIDUAL] = input(0);
        state[STEP] = one.clone();
        state[INVERSE] = one.div_or_zero(beta.clone());
        state[COS] = constant(-1.0);
        state[REST] = beta;
        state[MARGIN] = most(history.dtype());
        history.begin(on, &[vectors.length.view()], &State::Each(state))
    }

    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(scalars(run));
        let Parts { vectors, on, .. } = run.parts();
        for direction in &mut vectors.directions {
            direction.assign_on(on, 0.0)?;
        }
        Ok(())
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let odd = (run.done + step) % 2 == 1;
        let Parts { mut system, vectors, history, x, next, on } = run.parts();
        let Vectors { lanczos, directions, along, length } = vectors;
        let [mut now, mut other] = lanczos.each_mut();
        let [mut last, mut older] = directions.each_mut();
        if odd {
            (now, other) = (other, now);
            (last, older) = (older, last);
        }
        let inverse = history.get(INVERSE, step)?;
        // What was the vector before becomes the next one.
        system.forward_into([&inverse, &history.get(BACK, step)?], now, other)?;
        real_dot(on, now, other, &mut *along)?;
        let part = &*along * &inverse * &inverse;
        other.update_on(on, |new| new - part * &*now)?;
        other.norm_squared_into(on, &mut *length)?;
        history.advance(on, step, &SCALARS, &[along.view(), length.view()], next)?;
        let mut of = Vec::with_capacity(OF.len());
        for row in OF {
            of.push(history.get(row, step + 1)?);
        }
        let [v, one, two] = [&of[0], &of[1], &of[2]];
        older.update_on(on, |w| v * &*now + one * &*last + two * w)?;
        Ok(x.add_scaled_on(on, history.get(STEP, step + 1)?, &*older)?)
    }
}

/// The next column, of [`SCALARS`], `<β v, A v>` and the square of the next `β`.
fn scalars(run: &Run<'_, Minres>) -> State {
    let [inverse, dbar, before, cos, sin, rest, bound, margin] =
        [0, 1, 2, 3, 4, 5, 6, 7].map(input);
    let (alpha, length) = (input(8) * inverse.clone(), input(9));
    let (beta, none, minus) = (length.clone().sqrt(), constant(0.0), constant(-1.0));
    let one = || constant(1.0);
    // The last rotation, of the new column of the tridiagonal matrix.
    let delta = cos.clone() * dbar.clone() + sin.clone() * alpha.clone();
    let corner = sin.clone() * dbar - cos.clone() * alpha.clone();
    let after = sin * beta.clone();
    let dbar = minus.clone() * cos * beta.clone();
    // ‖A r‖/‖r‖ before this step.
    let slope = corner.clone().abs2() + dbar.clone().abs2();
    let bound = bound.max(alpha.abs2() + length.clone());
    let epsilon = epsilon(run.a.range().dtype());
    let level = constant((4.0 * epsilon).powi(2)) * bound.clone();
    let explained = constant((0.25 * epsilon).powi(2) * run.whole);
    let margin = margin.min(slope - level).min(rest.clone().abs2() - explained);

    let gamma = (corner.clone().abs2() + length).sqrt();
    let [cos, sin] = [corner, beta.clone()].map(|part| part.div_or_zero(gamma.clone()));
    let step = going(margin.clone()) * cos.clone() * rest.clone();
    let rest = sin.clone() * rest;
    let part = |value: Expression| constant(-1.0) * value.div_or_zero(gamma.clone());
    let mut state = vec![none; ROWS];
    state[RESIDUAL] = rest.clone().abs2();
    state[STEP] = step;
    state[INVERSE] = one().div_or_zero(beta.clone());
    state[BACK] = minus * beta * inverse.clone();
    state[OF[0]] = inverse.div_or_zero(gamma.clone());
    state[OF[1]] = part(delta);
    state[OF[2]] = part(before);
    state[DBAR] = dbar;
    state[EPSILON] = after;
    state[COS] = cos;
    state[SIN] = sin;
    state[REST] = rest;
    state[BOUND] = bound;
    state[MARGIN] = margin;
    State::Each(state)
}
