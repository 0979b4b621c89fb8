//! GMRES, restarted, for square operators of any kind.

mod arnoldi;
mod small;

use arrayspan_bridge::{Array, DType, Elementwise};
use arrayspan_kernels::{Update, Vector, VectorMut, constant, input};
use arrayspan_operators::{LinearMap, Operator};

use self::arnoldi::Basis;
use self::small::Small;
use super::breakdown::{epsilon, going, most};
use crate::engine::Make;
use crate::engine::history::{RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run, above};
use crate::engine::system::Parts;
use crate::parameters::{square, wrong};
use crate::{Result, Stop, Stopped};

/// `A x = y` for any square `A`: in each step `‖y - A x‖` is the least of the Krylov space, which is begun anew after `restart`
/// iterations.
///
/// `A` has one space for models and data. Residuals never rise. The whole basis is kept, orthogonalised twice (by the classical
/// method of Gram and Schmidt), which costs memory and time in proportion to `restart`, and makes it the most robust method there
/// is; a small `restart` may end all progress. [`BiCgStab`](crate::BiCgStab) keeps six vectors. With a preconditioner `M`, nearly the
/// inverse of `A`, it solves `A M z = y` for `x = M z`: residuals stay those of `A x = y`.
///
/// The small least-squares problem of a cycle is solved on the device, in the widest dtype there is: each new column by one
/// product with all rotations so far, and the inverse of the triangle grows with it, so that an iteration is a fixed number of launches.
/// The model is computed at the end of a cycle and where the host looks.
///
/// The *gradient* is the residual. Complex: coefficients are complex, those of `<·,·>`; of operators that are linear over the
/// real numbers only they are real, of `Re <·,·>`.
///
/// Breakdowns: a space that `A` maps to itself holds the solution (the *happy* breakdown), and ends with
/// [`Stopped::Precision`], as every residual of `2 ε ‖y‖` (or of that at the start, if it is larger) does; **no iteration after that
/// changes anything**. A triangle with a diagonal below `10 ε ‖A‖` ends with [`Stopped::Singular`]: the solution is that before. NaN
/// or infinity end with [`Stopped::NotFinite`].
///
/// Storage: `(k + 3) n + 2 k` elements for `k = min(restart, n)`, solution included (`n` more with a preconditioner), and
/// `8 (check_every + 11) + 4 k + 11` scalars beside `3 k² + 8 k + 3` that are complex where the vectors are
/// ([`memory`](crate::Solver::memory)). Values moved by iteration `j = 0, 1, …` of a cycle: `(4 j + 13) n` and an application of `A` (and `M`)
/// in 14 launches (17 of complex numbers) beside it (test `bytes::gmres`); `(j + 2 ⌈j/6⌉) n` where the host looks.
///
/// Reference: Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856; twice is enough: Giraud, Langou, Rozložník, van den Eshof,
/// Numer. Math. 101 (2005) 87. Golden: `SciPy` 1.17 `gmres`, and the least residual of the Krylov space, by definition.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::{Gmres, Solver, Stopped};
///
/// // Advection and decay: not self-adjoint.
/// let space = Space::new([50], DType::Float64)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero)?;
/// let a = (Identity::new(space)? + slope).build()?;
/// let solution = Gmres::default().solve(&a, Array::from_slice(&[1.0; 50], [50])?)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gmres {
    /// How many iterations a cycle has, and how many vectors are kept. At least 1; more than there are unknowns count as those,
    /// and more than a workspace has room for as that.
    pub restart: usize,
    /// What makes models of basis vectors before `A` is applied: an operator that is nearly the inverse of `A`, and cheap.
    pub preconditioner: Option<Operator>,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for Gmres {
    /// Cycles of 30, no preconditioner, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { restart: 30, preconditioner: None, stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`Gmres`].
#[derive(Debug)]
pub struct Vectors {
    /// `y - A x` at the start of a cycle; then what becomes the next vector of the basis.
    residual: Array,
    /// The model at the start of a cycle. What the host looks at is computed of it anew, so that it does not depend on when it looks.
    base: Array,
    basis: Basis,
    small: Small,
    /// `M v`
    preconditioned: Option<Array>,
}

/// The row of the square of the largest diagonal of the triangle so far, a lower bound of `‖A‖²`.
const BOUND: usize = STEP + 1;
/// The row of the margin of the residual above the rounding level.
const EXPLAINED: usize = STEP + 2;
/// The row of a number that is 0 once the triangle has turned out to be singular, before that 1.
const REGULAR: usize = STEP + 3;
/// The row of 1 over the diagonal of the triangle.
const INVERSE: usize = STEP + 4;
/// The row of the length of the next vector, as `A` makes it.
const LENGTH: usize = STEP + 5;
/// How many rows there are.
const ROWS: usize = STEP + 6;

/// What the next scalars are computed of, beside the corner of the triangle and the square of the length.
const SCALARS: [usize; 4] = [RESIDUAL, BOUND, EXPLAINED, REGULAR];

/// The least diagonal of the triangle, in `ε ‖A‖`.
const LEAST: f64 = 10.0;

impl Gmres {
    /// The iterations of a cycle.
    fn length(&self, vectors: &Vectors) -> usize {
        self.restart.min(vectors.basis.room())
    }
}

impl Method for Gmres {
    type Vectors = Vectors;
    const NAME: &'static str = "Gmres";
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

    fn preconditioner(&self) -> Option<&Operator> {
        self.preconditioner.as_ref()
    }

    fn gradient(&self) -> usize {
        RESIDUAL
    }

    fn check(&self, a: &dyn LinearMap) -> Result<()> {
        if self.restart == 0 {
            return wrong(Self::NAME, "restart is 0: a cycle has at least 1 iteration");
        }
        square(Self::NAME, a)
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        Ok(Vectors {
            residual: make.data("the workspace's residual")?,
            base: make.model("the workspace's model")?,
            basis: Basis::new(make, self.restart)?,
            small: Small::new(make, self.restart)?,
            preconditioned: make.preconditioned(self.preconditioner())?,
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.residual
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { base, basis, small, .. } = vectors;
        [base, basis.kept()].into_iter().chain(small.kept()).collect()
    }

    fn cycle(&self, vectors: &Vectors) -> Option<usize> {
        Some(self.length(vectors))
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        let Parts { vectors, history, on, .. } = run.parts();
        vectors.residual.norm_squared_into(on, history.get_mut(RESIDUAL, 0)?)?;
        let size = &mut vectors.small.size;
        size.assign_on(on, history.get(RESIDUAL, 0)?)?;
        let mut state = vec![constant(0.0); ROWS];
        state[RESIDUAL] = input(0);
        state[STEP] = constant(1.0);
        state[EXPLAINED] = most(history.dtype());
        state[REGULAR] = constant(1.0);
        history.begin(on, &[vectors.small.size.view()], &state)
    }

    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(scalars(run));
        run.w.vectors.small.begin(run.on)?;
        begin_cycle(run)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let (number, complex) = (run.done + step, is_complex(run));
        let conditioned = run.method.preconditioner.is_some();
        let cycle = run.method.length(&run.w.vectors);
        let at = number % cycle;
        let Parts { mut system, vectors, history, next, on, .. } = run.parts();
        let Vectors { residual, basis, small, preconditioned, .. } = vectors;
        let newest = basis.vector(at, residual.shape())?;
        match preconditioned.as_mut().filter(|_| conditioned) {
            Some(z) => {
                system.precondition(newest, z)?;
                system.forward(&*z, residual)?;
            }
            None => system.forward(newest, residual)?,
        }
        basis.orthogonalise(on, at, residual, !complex)?;
        residual.norm_squared_into(on, &mut small.size)?;
        small.rotate(on, at, basis)?;
        let others = [small.corner(at)?, small.size.view()];
        history.advance(on, step, &SCALARS, &others, next)?;
        let [go, inverse, length] = [STEP, INVERSE, LENGTH].map(|row| history.get(row, step + 1));
        let (inverse, length) = (inverse?, length?);
        small.extend(on, at, [&go?, &inverse, &length])?;
        if at + 1 < cycle {
            return basis.push(on, at + 1, residual, &length);
        }
        settle_at(run, cycle)?;
        run.renew_residual()?;
        let Parts { vectors, history, on, .. } = run.parts();
        vectors.residual.norm_squared_into(on, history.get_mut(RESIDUAL, step + 1)?)?;
        vectors.small.size.assign_on(on, history.get(RESIDUAL, step + 1)?)?;
        begin_cycle(run)
    }

    fn settle(run: &mut Run<'_, Self>, ahead: usize) -> Result<()> {
        let at = (run.done + ahead) % run.method.length(&run.w.vectors);
        settle_at(run, at)
    }

    fn frozen(column: &[f64], _: DType) -> Stopped {
        if column[REGULAR] > 0.0 { Stopped::Precision } else { Stopped::Singular }
    }
}

/// Makes the model what the first `count` vectors of the basis are worth beside that at the start of the cycle.
fn settle_at(run: &mut Run<'_, Gmres>, count: usize) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let conditioned = run.method.preconditioner.is_some();
    let Parts { mut system, vectors, x, on, .. } = run.parts();
    let Vectors { residual, base, basis, small, preconditioned } = vectors;
    match preconditioned.as_mut().filter(|_| conditioned) {
        Some(z) => {
            // It has become a vector of the basis.
            residual.assign_on(on, 0.0)?;
            basis.add_to(on, residual, Elementwise::previous(), &small.solution, count)?;
            system.precondition(&*residual, z)?;
            Ok(x.assign_on(on, &*base + &*z)?)
        }
        None => basis.add_to(on, x, &*base, &small.solution, count),
    }
}

/// Begins at the model, with the residual, the square of whose length is known, for the first vector of a basis.
fn begin_cycle(run: &mut Run<'_, Gmres>) -> Result<()> {
    let Parts { vectors, x, on, .. } = run.parts();
    let Vectors { residual, base, basis, small, .. } = vectors;
    on.copy(x.view(), base.view_mut(), Update::set())?;
    small.clear(on)?;
    let length = small.size.view();
    basis.begin(on, residual, &length)
}

/// Whether coefficients are complex.
fn is_complex(run: &Run<'_, Gmres>) -> bool {
    let linear = |a: &dyn LinearMap| a.properties().complex_linear;
    let inner = run.method.preconditioner.as_ref();
    linear(run.a) && inner.is_none_or(|inner| linear(inner))
}

/// The next column, of [`SCALARS`], the corner of the triangle and the square of the next length.
fn scalars(run: &Run<'_, Gmres>) -> State {
    let [residual, bound, explained, regular] = [0, 1, 2, 3].map(input);
    let (corner, length) = (input(4), input(5));
    let epsilon = epsilon(run.a.range().dtype());
    let level = constant((2.0 * epsilon).powi(2) * run.whole);
    let explained = explained.min(residual.clone() - level);
    let diagonal = corner.abs2() + length.clone();
    let bound = bound.max(diagonal.clone());
    let least = constant((LEAST * epsilon).powi(2)) * bound.clone();
    let regular = regular.min(above(diagonal.clone(), least));
    let mut state = vec![constant(0.0); ROWS];
    state[RESIDUAL] = residual * length.clone().div_or_zero(diagonal.clone());
    state[STEP] = going(explained.clone().min(regular.clone()));
    state[BOUND] = bound;
    state[EXPLAINED] = explained;
    state[REGULAR] = regular;
    state[INVERSE] = constant(1.0).div_or_zero(diagonal.sqrt());
    state[LENGTH] = length.sqrt();
    state
}
