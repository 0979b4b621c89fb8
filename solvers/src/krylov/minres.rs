//! MINRES, for self-adjoint operators.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Expression, VectorMut, constant, input};
use arrayspan_operators::LinearMap;

use super::breakdown::{epsilon, going, most};
use crate::engine::Make;
use crate::engine::history::{RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run, above, explained};
use crate::engine::system::{Parts, real_dot, squared_into};
use crate::parameters::square;
use crate::{Result, Stop, Stopped};

/// `A x = y` for a self-adjoint `A`, positive or not: in each step `‖y - A x‖` is the least of the Krylov space.
///
/// `A` has one space for models and data, and `A = Aᴴ`; that is not checked (`laws::check` does). **Of other operators the residuals that are
/// reported are wrong**, as is the model: they come from a recurrence that holds for self-adjoint ones only. Residuals never rise. For positive
/// `A`, [`Cg`](crate::Cg) moves less; where `A` is singular and `y` is not in its range, [`Lsmr`](crate::Lsmr) finds the shortest
/// solution of least squares.
///
/// The *gradient* is the residual; [`Stop::gradient`] compares it with the one at the start. Complex: by `Re <·,·>`, so
/// that real-linear operators are solved, too.
///
/// Breakdowns: NaN or infinity end with [`Stopped::NotFinite`](crate::Stopped::NotFinite). A residual of `2 ε ‖y‖` (or of that at
/// the start, if it is larger), and `‖A r‖ ≤ 64 ε ‖A‖ ‖r‖`, which no step makes smaller, end with
/// [`Stopped::Precision`]; **no iteration after that changes anything**. Where `‖A r‖` has been below
/// `√ε ‖A‖ ‖r‖` and rises while `‖r‖` does not fall (below `ε^⅔ ‖A‖ ‖r‖`: hardly falls), `A` is singular for all that the dtype
/// can tell, and `y` is not in its range: that ends with [`Stopped::Singular`], near a solution of least squares that has a part along what `A` maps to zero.
///
/// Storage: `5n` elements, solution included, and `19 (check_every + 11) + 23` scalars ([`memory`](crate::Solver::memory)). Values moved
/// an iteration: `13n` and an application of `A`, which adds to what is there (test `bytes::minres`). Launches beside these: 7.
///
/// Reference: Paige and Saunders, SIAM J. Numer. Anal. 12 (1975) 617. Golden: by definition, the least residual of the Krylov space.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
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

/// The growth of the gradient below `√ε ‖A‖ ‖r‖` that tells that it is one of rounding errors.
const GROWTH: f64 = 3.0;
/// The share of the squared residual that is still there then.
const KEPT: f64 = 0.9998;
/// The same where the gradient was below `ε^⅔ ‖A‖ ‖r‖`: a step along rounding errors takes some of the residual by chance.
const KEPT_DEEP: f64 = 0.5;
/// The gradient, in `ε ‖A‖ ‖r‖`, that is one of rounding errors: they are those of the whole data, of which the residual is a part.
const LOWEST: f64 = 64.0;

/// The vectors of [`Minres`]. Of each pair, iterations of even and odd number write the other one.
#[derive(Debug)]
pub struct Vectors {
    /// `g v`, of this iteration and the one before, with lengths `g` near `β/‖A‖`: those of `β` alone would be beyond the
    /// dtype after another application of a large `A`.
    lanczos: [Array; 2],
    /// `w`, of the last two iterations.
    directions: [Array; 2],
    /// `<g v, A v>`
    along: Array,
    /// `g²` of the next one.
    length: Array,
}

/// The row of `1/g`.
const INVERSE: usize = STEP + 1;
/// The row of `-β` over the `g` before.
const BACK: usize = STEP + 2;
/// The rows of what `w` is made of: of `g v`, of `w` before it, and of that before.
const OF: [usize; 3] = [STEP + 3, STEP + 4, STEP + 5];
/// The rows of the last rotation and of what it has left.
const DBAR: usize = STEP + 6;
const EPSILON: usize = STEP + 7;
const COS: usize = STEP + 8;
const SIN: usize = STEP + 9;
/// The row of `φ̄`, the residual.
const REST: usize = STEP + 10;
/// The row of a lower bound of `‖A‖`.
const BOUND: usize = STEP + 11;
/// The row of the margin above the rounding level.
const MARGIN: usize = STEP + 12;
/// The row of what makes the length `β` of the next vector `g`.
const FACTOR: usize = STEP + 13;
/// The rows of the least `‖A r‖/‖r‖` so far and of `‖r‖²` there.
const LEAST: usize = STEP + 14;
const THERE: usize = STEP + 15;
/// The row of a number that is 0 once `A` has turned out to be singular, before that 1.
const REGULAR: usize = STEP + 16;
/// How many rows there are.
const ROWS: usize = STEP + 17;

/// What the next scalars are computed of, beside `<g v, A v>` and the square of the next `g`.
const SCALARS: [usize; 12] =
    [INVERSE, DBAR, EPSILON, COS, SIN, REST, BOUND, MARGIN, FACTOR, LEAST, THERE, REGULAR];

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

    fn lifted(&self, _: usize) -> Result<Self> {
        Ok(*self)
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

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        vectors.lanczos.iter_mut().chain(&mut vectors.directions).collect()
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    /// The first one scales what it makes, and the next one is one of odd number.
    fn alone(&self, done: usize) -> usize {
        if done == 0 { 2 } else { done % 2 }
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn arrays(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { lanczos, directions, along, length } = vectors;
        lanczos.iter_mut().chain(directions).chain([along, length]).collect()
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let Parts { vectors, history, on, .. } = run.parts();
        squared_into(on, &vectors.lanczos[0], &mut vectors.length)?;
        let [none, one] = [0.0, 1.0].map(constant);
        let beta = input(0).sqrt();
        let mut state = vec![none.clone(); ROWS];
        state[RESIDUAL] = input(0);
        state[STEP] = one.clone();
        state[INVERSE] = one.div_or_zero(beta.clone());
        state[COS] = constant(-1.0);
        state[REST] = beta;
        state[MARGIN] = most(history.dtype());
        state[FACTOR] = constant(1.0);
        state[LEAST] = most(history.dtype());
        state[REGULAR] = constant(1.0);
        history.begin(on, &[vectors.length.view()], &state)
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
        let number = run.done + step;
        let Parts { mut system, vectors, history, x, next, on } = run.parts();
        let Vectors { lanczos, directions, along, length } = vectors;
        let [mut now, mut other] = lanczos.each_mut();
        let [mut last, mut older] = directions.each_mut();
        if number % 2 == 1 {
            (now, other) = (other, now);
            (last, older) = (older, last);
        }
        let inverse = history.get(INVERSE, step)?;
        // What was the vector before becomes the next one.
        system.forward_into([&inverse, &history.get(BACK, step)?], now, other)?;
        real_dot(on, now, other, &mut *along)?;
        let (part, factor) = (&*along * &inverse * &inverse, history.get(FACTOR, step)?);
        other.update_on(on, |new| factor * (new - part * &*now))?;
        squared_into(on, &*other, &mut *length)?;
        history.advance(on, step, &SCALARS, &[along.view(), length.view()], next)?;
        if number == 0 {
            // How large `A` is was not known before.
            let inverse = history.get(INVERSE, 1)?;
            other.update_on(on, |first| inverse * first)?;
            history.get_mut(INVERSE, 1)?.assign_on(on, 1.0)?;
        }
        let mut of = Vec::with_capacity(OF.len());
        for row in OF {
            of.push(history.get(row, step + 1)?);
        }
        let [v, one, two] = [&of[0], &of[1], &of[2]];
        older.update_on(on, |w| v * &*now + one * &*last + two * w)?;
        Ok(x.add_scaled_on(on, history.get(STEP, step + 1)?, &*older)?)
    }

    fn frozen(column: &[f64], _: DType) -> Stopped {
        if column[REGULAR] > 0.0 { Stopped::Precision } else { Stopped::Singular }
    }
}

/// The next column, of [`SCALARS`], `<g v, A v>` and the square of the next `g`.
fn scalars(run: &Run<'_, Minres>) -> State {
    let [inverse, dbar, before, cos, sin, rest, bound, margin, factor, least, there, regular] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(input);
    let (alpha, size) = (input(12) * inverse.clone(), input(13).sqrt());
    let (none, minus) = (constant(0.0), constant(-1.0));
    let one = || constant(1.0);
    // There is no factor where `A` has mapped everything to zero.
    let beta = size.clone().div_or_zero(factor);
    // The last rotation, of the new column of the tridiagonal matrix.
    let delta = cos.clone() * dbar.clone() + sin.clone() * alpha.clone();
    let corner = sin.clone() * dbar - cos.clone() * alpha.clone();
    let after = sin * beta.clone();
    let dbar = minus.clone() * cos * beta.clone();
    // ‖A r‖/‖r‖ before this step.
    let slope = hypot(corner.clone(), dbar.clone());
    let bound = bound.max(hypot(alpha, beta.clone()));
    let epsilon = epsilon(run.a.range().dtype());
    let level = constant(LOWEST * epsilon) * bound.clone();
    let explained = explained((2.0 * epsilon).powi(2), SCALARS.len() + 2);
    let left = rest.clone().abs2();
    let margin = margin.min(slope.clone() - level).min(left.clone() - explained);
    let falls = above(least.clone(), slope.clone());
    let there = there.clone() + falls * (left.clone() - there);
    let least = least.min(slope.clone());
    let band = constant(epsilon.sqrt()) * bound.clone();
    let risen = above(slope, constant(GROWTH) * least.clone());
    let deep = above(constant(epsilon.powf(2.0 / 3.0)) * bound.clone(), least.clone());
    let kept = constant(KEPT) - constant(KEPT - KEPT_DEEP) * deep;
    let stays = above(left, kept * there.clone());
    let regular = regular.min(one() - above(band, least.clone()) * risen * stays);

    let gamma = hypot(corner.clone(), beta.clone());
    let [cos, sin] = [corner, beta.clone()].map(|part| part.div_or_zero(gamma.clone()));
    let step = going(margin.clone().min(regular.clone())) * cos.clone() * rest.clone();
    let rest = sin.clone() * rest;
    let part = |value: Expression| constant(-1.0) * value.div_or_zero(gamma.clone());
    let mut state = vec![none; ROWS];
    state[RESIDUAL] = rest.clone().abs2();
    state[STEP] = step;
    state[INVERSE] = one().div_or_zero(size);
    state[BACK] = minus * beta * inverse.clone();
    state[OF[0]] = inverse.div_or_zero(gamma.clone());
    state[OF[1]] = part(delta);
    state[OF[2]] = part(before);
    state[DBAR] = dbar;
    state[EPSILON] = after;
    state[COS] = cos;
    state[SIN] = sin;
    state[REST] = rest;
    state[BOUND] = bound.clone();
    state[MARGIN] = margin;
    state[FACTOR] = one().div_or_zero(bound);
    state[LEAST] = least;
    state[THERE] = there;
    state[REGULAR] = regular;
    state
}

/// `√(a² + b²)`, also where squares are beyond the dtype: operators are not scaled.
fn hypot(a: Expression, b: Expression) -> Expression {
    let [a, b] = [a, b].map(Expression::abs);
    let largest = a.clone().max(b.clone());
    let [a, b] = [a, b].map(|part| part.div_or_zero(largest.clone()).abs2());
    largest * (a + b).sqrt()
}
