//! `BiCGStab`, for square operators of any kind.

mod complex;

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::{Expression, Update, Vector, VectorMut, constant, input};
use arrayspan_operators::{LinearMap, Operator};

use self::complex::{Complex, number, product, quotient};
use super::breakdown::{epsilon, going, most};
use crate::engine::Make;
use crate::engine::history::{RESIDUAL, STEP, State};
use crate::engine::run::{self, Method, Run};
use crate::engine::system::Parts;
use crate::parameters::square;
use crate::{Result, Stop, Stopped};

/// `A x = y` for any square `A`, by short recurrences: two applications of `A` an iteration, none of `Aᴴ`.
///
/// `A` has one space for models and data. Residuals may rise on the way, and there is no guarantee; where memory allows,
/// [`Gmres`](crate::Gmres) never rises. With a preconditioner `M`, nearly the inverse of `A`, it solves `A M z = y` for `x = M z`: residuals
/// stay those of `A x = y`.
///
/// The *gradient* is the residual. Complex: coefficients are complex, those of `<·,·>`; of operators that are linear over the
/// real numbers only they are real, of `Re <·,·>`.
///
/// Breakdowns: a residual, or its image, that is orthogonal to the first one, and `<A s, s> = 0` (as of skew operators), all
/// within `ε`, end with [`Stopped::Breakdown`]: the solution is that before. NaN or infinity end with
/// [`Stopped::NotFinite`]. A residual of `ε/4 ‖y‖` (or of that at the start, if it is larger), as the recurrence has it, ends with
/// [`Stopped::Precision`]; **no iteration after that changes anything**. The true residual is then about `ε ‖A‖ ‖x‖`, times the
/// largest residual on the way over the first.
///
/// Storage: `6n` elements, solution included (`7n` with a preconditioner), and `7 (check_every + 11) + 24` scalars
/// ([`memory`](crate::Solver::memory)). Values moved an iteration of real numbers: `23n` (`25n` with a preconditioner), `6n` more of complex
/// ones, and two applications of `A` (and `M`) (test `bytes::bicgstab`). Launches beside these: 13 (14), 3 more of complex numbers.
///
/// Reference: van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631. Golden: `SciPy` 1.17 `bicgstab`.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::{BiCgStab, Solver, Stopped};
///
/// // Advection and decay: not self-adjoint.
/// let space = Space::new([50], DType::Float64)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero)?;
/// let a = (Identity::new(space)? + slope).build()?;
/// let solution = BiCgStab::default().solve(&a, Array::from_slice(&[1.0; 50], [50])?)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BiCgStab {
    /// What makes models of residuals before `A` is applied: an operator that is nearly the inverse of `A`, and cheap.
    pub preconditioner: Option<Operator>,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for BiCgStab {
    /// No preconditioner, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { preconditioner: None, stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`BiCgStab`].
#[derive(Debug)]
pub struct Vectors {
    /// `r`, and `s` on the way.
    residual: Array,
    /// `r̂`, the residual at the start.
    shadow: Array,
    /// `p`
    direction: Array,
    /// `v = A M p`
    image: Array,
    /// `t = A M s`
    second: Array,
    /// `M p`, then `M s`.
    preconditioned: Option<Array>,
    /// `<r̂, r>`, of this iteration and the one before by turns.
    rho: [Complex; 2],
    /// `<r̂, v>`
    along: Complex,
    /// `<t, s>`
    overlap: Complex,
    /// `ω = <t, s>/‖t‖²`
    omega: Complex,
    /// What is left of the direction in the next one.
    beta: Complex,
    /// `‖r̂‖²`, `‖v‖²`, `‖t‖²`
    sizes: [Array; 3],
}

/// Whether coefficients are complex.
fn is_complex(run: &Run<'_, BiCgStab>) -> bool {
    let linear = |a: &dyn LinearMap| a.properties().complex_linear;
    let inner = run.method.preconditioner.as_ref();
    run.a.domain().dtype().is_complex() && linear(run.a) && inner.is_none_or(|inner| linear(inner))
}

/// The row of `α`, whose second part follows.
const LENGTH: usize = STEP + 1;
/// The row of the margin of the residual above the rounding level.
const EXPLAINED: usize = STEP + 3;
/// The row of the margin of what is divided by above rounding errors.
const MARGIN: usize = STEP + 4;
/// How many rows there are.
const ROWS: usize = STEP + 5;

/// What the next scalars are computed of, beside the scalars of the vectors.
const SCALARS: [usize; 3] = [RESIDUAL, EXPLAINED, MARGIN];

impl Method for BiCgStab {
    type Vectors = Vectors;
    const NAME: &'static str = "BiCgStab";
    /// The row of the gradient is not used.
    const ROWS: [usize; 2] = [ROWS, STEP];
    const OBJECTIVE: usize = RESIDUAL;
    const DESCENDS: bool = false;

    fn stop(&self) -> &Stop {
        &self.stop
    }

    fn check_every(&self) -> usize {
        self.check_every
    }

    fn preconditioner(&self) -> Option<&Operator> {
        self.preconditioner.as_ref()
    }

    fn gradient(&self) -> usize {
        RESIDUAL
    }

    fn check(&self, a: &dyn LinearMap) -> Result<()> {
        square(Self::NAME, a)
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        Ok(Vectors {
            residual: make.data("the workspace's residual")?,
            shadow: make.data("the workspace's residual")?,
            direction: make.model("the workspace's direction")?,
            image: make.data("the workspace's image")?,
            second: make.data("the workspace's image")?,
            preconditioned: make.preconditioned(self.preconditioner())?,
            rho: [Complex::new(make)?, Complex::new(make)?],
            along: Complex::new(make)?,
            overlap: Complex::new(make)?,
            omega: Complex::new(make)?,
            beta: Complex::new(make)?,
            sizes: [make.scalar()?, make.scalar()?, make.scalar()?],
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.residual
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { residual, shadow, direction, rho, overlap, sizes, .. } = vectors;
        let [first, _, second] = sizes;
        let numbers = rho.iter_mut().chain([overlap]).flat_map(|number| &mut number.0);
        let vectors = [residual, shadow, direction, first, second];
        vectors.into_iter().chain(numbers).collect()
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    /// Iterations of odd number write the other one of two scalars.
    fn alone(&self, done: usize) -> usize {
        done % 2
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn arrays(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { residual, shadow, direction, image, second, preconditioned, .. } = vectors;
        let Vectors { rho, along, overlap, omega, beta, sizes, .. } = vectors;
        let numbers = rho.iter_mut().chain([along, overlap, omega, beta]);
        let vectors = [residual, shadow, direction, image, second].into_iter();
        let all = vectors.chain(preconditioned).chain(sizes);
        all.chain(numbers.flat_map(|number| &mut number.0)).collect()
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let complex = is_complex(run);
        let Parts { vectors, history, on, .. } = run.parts();
        let Vectors { residual, shadow, rho, overlap, sizes, .. } = vectors;
        on.copy(residual.view(), shadow.view_mut(), Update::set())?;
        residual.norm_squared_into(on, history.get_mut(RESIDUAL, 0)?)?;
        rho[0].dot(on, shadow, residual, complex)?;
        // As if the step before had been along what the next one is not divided by.
        let [first, image, second] = sizes;
        first.assign_on(on, history.get(RESIDUAL, 0)?)?;
        image.assign_on(on, 0.0)?;
        second.assign_on(on, 0.0)?;
        overlap.0[0].assign_on(on, 1.0)?;
        overlap.0[1].assign_on(on, 0.0)?;
        let [none, one] = [0.0, 1.0].map(constant);
        let most = most(history.dtype());
        let state = vec![one, none.clone(), none, most.clone(), most];
        history.begin(on, &[], &state)
    }

    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(scalars(run));
        let complex = is_complex(run);
        let Parts { vectors, on, .. } = run.parts();
        let Vectors { residual, direction, rho, along, .. } = vectors;
        if !complex {
            for number in rho.iter_mut().chain([along]) {
                number.0[1].assign_on(on, 0.0)?;
            }
        }
        Ok(on.copy(residual.view(), direction.view_mut(), Update::set())?)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let (complex, odd) = (is_complex(run), (run.done + step) % 2 == 1);
        let conditioned = run.method.preconditioner.is_some();
        let Parts { mut system, vectors, history, x, next, on } = run.parts();
        let Vectors {
            residual,
            shadow,
            direction,
            image,
            second,
            preconditioned,
            rho,
            along,
            overlap,
            omega,
            beta,
            sizes: [first, length, size],
        } = vectors;
        let mut preconditioned = preconditioned.as_mut().filter(|_| conditioned);
        let [mut old, mut new] = rho.each_mut();
        if odd {
            (old, new) = (new, old);
        }

        if let Some(z) = &mut preconditioned {
            system.precondition(&*direction, z)?;
            system.forward(&**z, image)?;
        } else {
            system.forward(&*direction, image)?;
        }
        along.dot(on, shadow, image, complex)?;
        image.norm_squared_into(on, &mut *length)?;
        let numbers = old.0.iter().chain(&along.0).chain(&overlap.0);
        let mut others: Vec<View<'_>> = numbers.map(Array::view).collect();
        others.extend([&*first, &*length, &*size].map(Array::view));
        history.advance(on, step, &SCALARS, &others, next)?;
        let mut alpha = vec![history.get(LENGTH, step + 1)?];
        if complex {
            alpha.push(history.get(LENGTH + 1, step + 1)?);
        }
        residual.update_on(on, |r| r - number(&alpha) * &*image)?;
        if let Some(z) = &preconditioned {
            x.add_scaled_on(on, number(&alpha), &**z)?;
        }

        if let Some(z) = &mut preconditioned {
            system.precondition(&*residual, z)?;
            system.forward(&**z, second)?;
        } else {
            system.forward(&*residual, second)?;
        }
        overlap.dot(on, second, residual, complex)?;
        second.norm_squared_into(on, &mut *size)?;
        let go = history.get(STEP, step + 1)?;
        let [re, im] = &overlap.0;
        let value = [0, 1].map(|part| input(3) * input(part).div_or_zero(input(2)));
        omega.assign(on, &[re.view(), im.view(), size.view(), go], value)?;
        let factor = omega.views(complex);
        match &preconditioned {
            Some(z) => x.add_scaled_on(on, number(&factor), &**z)?,
            None => x.update_on(on, |x| {
                x + number(&alpha) * &*direction + number(&factor) * &*residual
            })?,
        }
        residual.update_on(on, |s| s - number(&factor) * &*second)?;
        residual.norm_squared_into(on, history.get_mut(RESIDUAL, step + 1)?)?;
        new.dot(on, shadow, residual, complex)?;
        let mut known: Vec<View<'_>> = new.0.iter().chain(&old.0).map(Array::view).collect();
        known.extend([history.get(LENGTH, step + 1)?, history.get(LENGTH + 1, step + 1)?]);
        known.extend(omega.0.iter().map(Array::view));
        let [new, old, alpha, omega] = [0, 2, 4, 6].map(|at| [input(at), input(at + 1)]);
        beta.assign(on, &known, product(quotient(new, old), quotient(alpha, omega)))?;
        let beta = beta.views(complex);
        Ok(direction
            .update_on(on, |p| &*residual + number(&beta) * (p - number(&factor) * &*image))?)
    }

    fn frozen(column: &[f64], _: DType) -> Stopped {
        if column[EXPLAINED] > 0.0 { Stopped::Breakdown } else { Stopped::Precision }
    }
}

/// The next column, of [`SCALARS`], `<r̂, r>`, `<r̂, v>`, the `<t, s>` before, `‖r̂‖²`, `‖v‖²` and the `‖t‖²` before.
fn scalars(run: &Run<'_, BiCgStab>) -> State {
    let [residual, explained, margin] = [0, 1, 2].map(input);
    let [rho, along, overlap] = [3, 5, 7].map(|at| [input(at), input(at + 1)]);
    let [shadow, image, second] = [9, 10, 11].map(input);
    let size = |[re, im]: &[Expression; 2]| re.clone().abs2() + im.clone().abs2();
    let epsilon = epsilon(run.a.range().dtype());
    let rounding = || constant(epsilon.powi(2));
    let level = run::explained((0.25 * epsilon).powi(2), SCALARS.len() + 9);
    let explained = explained.min(residual.clone() - level);
    let over = [
        size(&rho) - rounding() * shadow.clone() * residual.clone(),
        size(&along) - rounding() * shadow * image,
        // ‖s‖² is ‖r‖² and what was taken off it.
        size(&overlap) - rounding() * (second * residual + size(&overlap)),
    ];
    let margin = over.into_iter().fold(margin, Expression::min);
    let go = going(explained.clone().min(margin.clone()));
    let [re, im] = quotient(rho, along);
    vec![go.clone(), go.clone() * re, go * im, explained, margin]
}
