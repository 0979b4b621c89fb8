//! LSMR: least squares by the bidiagonalisation of Golub and Kahan, with gradients that never rise.

use arrayspan_bridge::Array;
use arrayspan_kernels::{VectorMut, constant, input};
use arrayspan_operators::LinearMap;

use super::breakdown::{going, most};
use super::golub_kahan::{self, Bidiagonal};
use crate::engine::Make;
use crate::engine::history::{RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run};
use crate::engine::system::Parts;
use crate::{Result, Stop};

/// `min ‖y - A x‖² + damping² ‖x‖²` for any linear `A`, as [`Lsqr`](crate::Lsqr) does, by the iterates whose gradient is the
/// least of the Krylov space: MINRES on the normal equations, without forming them.
///
/// The gradient `Aᴴ (y - A x) - damping² x` never rises, so that [`Stop::gradient`] ends it sooner than [`Lsqr`](crate::Lsqr), and at
/// any iteration the solution is nearly as good; residuals never rise, either. `A` may be of any shape and rank; real-linear
/// operators are solved, too. A start vector is refused with damping: it is `x - start` that bidiagonalisation damps.
///
/// The gradient is as the recurrence has it. Residuals are `‖y - A x‖`, without damping: each iterate lies between the one before
/// and that of [`Lsqr`](crate::Lsqr), and so does its misfit.
///
/// Breakdowns: as [`Lsqr`](crate::Lsqr)'s, with the same rounding level, which ends with
/// [`Stopped::Precision`](crate::Stopped::Precision); **no iteration after that changes anything**.
///
/// Storage: `4n + m` elements, solution included (`n` model, `m` data), and `18 (check_every + 11) + 25` scalars
/// ([`memory`](crate::Solver::memory)). Values moved an iteration: `10n + m` (`11n + m` with damping), and one application of
/// `A` and of `Aᴴ`, which add to what is there (test `bytes::lsmr`). Launches beside those: 8 (10 with damping).
///
/// Reference: Fong and Saunders, SIAM J. Sci. Comput. 33 (2011) 2950; misfits by the smoothing of residuals that it is (Zhou and
/// Walker, SIAM J. Sci. Comput. 15 (1994) 297). Golden: `SciPy` 1.17 `lsmr`.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, LinearOperator, Scheme, Space};
/// use arrayspan_solvers::{Lsmr, Solver, Stop};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let solution = Lsmr { stop: Stop::after(40), ..Lsmr::default() }.solve(&a, &y)?;
/// assert!(solution.residuals[solution.iterations] < 1e-6 * solution.residuals[0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lsmr {
    /// The weight of `‖x‖` beside the misfit, which `damping² ‖x‖²` is added to. At least 0, and at most half the largest
    /// number of the dtype.
    pub damping: f64,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for Lsmr {
    /// No damping, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { damping: 0.0, stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`Lsmr`].
#[derive(Debug)]
pub struct Vectors {
    both: Bidiagonal,
    /// `h`, the direction of LSQR.
    direction: Array,
    /// `h̄`, along which steps are taken.
    smooth: Array,
    /// `damping² ‖x‖²`
    damped: Array,
}

/// The row of what is left of `h̄` in the next one.
const MIX: usize = golub_kahan::ROWS;
/// The row of what is left of `h` in the next one.
const TURN: usize = MIX + 1;
/// The row of `ᾱ`, the corner of the first triangle.
const CORNER: usize = MIX + 2;
/// The row of `ζ̄`, the gradient with a sign.
const LEFT: usize = MIX + 3;
/// The row of `ρ ρ̄`.
const PRODUCT: usize = MIX + 4;
/// The rows of the last rotation of the second triangle, `c̄` and `s̄`.
const COS: usize = MIX + 5;
const SIN: usize = MIX + 6;
/// The row of `φ̄`, what LSQR has not explained yet.
const REST: usize = MIX + 7;
/// The row of the sum of `ψ²`, which damping keeps from being explained.
const KEPT: usize = MIX + 8;
/// The row of the misfit with damping.
const MISFIT: usize = MIX + 9;
/// The row of a lower bound of `‖A‖²`.
const BOUND: usize = MIX + 10;
/// The row of the margin above the rounding level.
const MARGIN: usize = MIX + 11;
/// How many rows there are.
const ROWS: usize = MIX + 12;

/// What the next scalars are computed of, beside `β²` and `α²`.
const SCALARS: [usize; 11] =
    [RESIDUAL, CORNER, LEFT, PRODUCT, COS, SIN, REST, KEPT, MISFIT, BOUND, MARGIN];

impl Method for Lsmr {
    type Vectors = Vectors;
    const NAME: &'static str = "Lsmr";
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
            smooth: make.model("the workspace's direction")?,
            damped: make.scalar()?,
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.both.u
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Bidiagonal { u, v, .. } = &mut vectors.both;
        vec![u, v, &mut vectors.direction, &mut vectors.smooth]
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn arrays(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { both, direction, smooth, damped } = vectors;
        let mut all = both.arrays();
        all.extend([direction, smooth, damped]);
        all
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let Parts { mut system, vectors, history, on, .. } = run.parts();
        vectors.both.first(on, &mut system)?;
        let [beta, alpha] = [0, 1].map(|at| input(at).sqrt());
        let [none, one] = [0.0, 1.0].map(constant);
        let state = vec![
            input(0),
            input(0) * input(1),
            one.clone(),
            one.clone().div_or_zero(alpha.clone()),
            none.clone() - alpha.clone().div_or_zero(beta.clone()),
            alpha.clone(),
            none.clone(),
            none.clone(),
            alpha.clone(),
            alpha * beta.clone(),
            one.clone(),
            one,
            none.clone(),
            beta,
            none,
            input(0),
            input(1),
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
        vectors.direction.assign_on(on, inverse * &vectors.both.v)?;
        Ok(vectors.smooth.assign_on(on, 0.0)?)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let damping = run.damping;
        let Parts { mut system, vectors, history, x, next, on } = run.parts();
        let Vectors { both, direction, smooth, damped } = vectors;
        both.next(on, &mut system, history, step)?;
        let others = [both.beta.view(), both.alpha.view()];
        history.advance(on, step, &SCALARS, &others, next)?;
        let mix = history.get(MIX, step + 1)?;
        smooth.update_on(on, |before| &*direction + mix * before)?;
        x.add_scaled_on(on, history.get(STEP, step + 1)?, &*smooth)?;
        let inverse = history.get(golub_kahan::INVERSE, step + 1)?;
        let turn = history.get(TURN, step + 1)?;
        direction.update_on(on, |h| inverse * &both.v + turn * h)?;
        golub_kahan::without_damping(on, damping, x, damped, history, step + 1)
    }
}

/// The next column, of [`SCALARS`], `β²` and `α²`.
fn scalars(run: &Run<'_, Lsmr>) -> State {
    let [residual, corner, left, product, cos, sin, rest, kept, misfit, bound, margin] =
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(input);
    let (beta2, alpha2) = (input(11), input(12));
    let [beta, alpha] = [11, 12].map(|at| input(at).sqrt());
    let minus = || constant(-1.0);
    // A row of the bidiagonal matrix.
    let bound = bound.max(alpha2 + beta2.clone());
    let known = [margin, left.clone().abs2(), bound.clone(), residual, misfit.clone()];
    let margin = golub_kahan::margin(run, SCALARS.len() + 2, known);

    // The first triangle, as LSQR has it.
    let [corner, rest, kept] = golub_kahan::damped(run.damping, [corner, rest, kept]);
    let rho = (corner.clone().abs2() + beta2).sqrt();
    let [along, across] = [corner, beta.clone()].map(|part| part.div_or_zero(rho.clone()));
    let rest = across.clone() * rest;
    let theta = across * alpha.clone();
    let turn = minus() * theta.clone().div_or_zero(rho.clone());
    let corner = along * alpha.clone();

    // The second one, of its transpose.
    let mix = minus() * (sin * rho.clone().abs2()).div_or_zero(product);
    let long = cos * rho.clone();
    let second = (long.clone().abs2() + theta.clone().abs2()).sqrt();
    let [cos, sin] = [long, theta].map(|part| part.div_or_zero(second.clone()));
    let product = rho * second;
    let length = going(margin.clone()) * (cos.clone() * left.clone()).div_or_zero(product.clone());
    let left = minus() * sin.clone() * left;
    // The iterate is the one before and LSQR's, mixed by s̄² and c̄², and LSQR's misfit is the least there is.
    let least = rest.clone().abs2() + kept.clone();
    let above = (misfit - least.clone()).max(constant(0.0));
    let misfit = least + sin.clone().abs2().abs2() * above;
    vec![
        misfit.clone(),
        left.clone().abs2(),
        length,
        constant(1.0).div_or_zero(alpha.clone()),
        minus() * alpha.clone().div_or_zero(beta),
        alpha,
        mix,
        turn,
        corner,
        left,
        product,
        cos,
        sin,
        rest,
        kept,
        misfit,
        bound,
        margin,
    ]
}
