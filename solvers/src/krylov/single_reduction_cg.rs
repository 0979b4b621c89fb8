//! Conjugate gradients whose inner products are all at one place of an iteration.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Vector, VectorMut, constant, input, previous};
use arrayspan_operators::{LinearMap, Operator};

use super::breakdown::named;
use super::cg;
use crate::engine::Make;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run};
use crate::engine::system::{Parts, real_dot};
use crate::parameters::square;
use crate::{Result, Stop, Stopped};

/// `A x = y` for a self-adjoint and positive `A`, as [`Cg`](crate::Cg), with one reduction an iteration in the place of two: both inner
/// products are of vectors that are there at the same time.
///
/// That saves waiting where a reduction is slow beside all else (small problems on GPUs, vectors on several devices), and costs
/// half as much memory traffic again. `<p, A p>` and `A p` come from recurrences; the residual's image is computed anew in each iteration,
/// which keeps the accuracy that [`Cg`](crate::Cg) reaches (test `single_reduction`). The pipelined method of Ghysels and Vanroose (2014), which
/// computes that image by a recurrence, too, does not: at a condition of 1000 in Float32 it ended a thousand times earlier,
/// whenever residuals were replaced.
///
/// What `A` and the preconditioner must be, the gradient, breakdowns and rounding level are [`Cg`](crate::Cg)'s; **no iteration after the
/// last one changes anything**.
///
/// Storage: `5n` elements, solution included (`6n` with a preconditioner), and `8 (check_every + 11) + 11` scalars
/// ([`memory`](crate::Solver::memory)). Values moved an iteration: `15n` (`17n`) and an application of `A` (and `M`) (test
/// `bytes::single_reduction_cg`). Launches beside these: 5 (6). One application more than iterations.
///
/// Reference: Chronopoulos and Gear, J. Comput. Appl. Math. 25 (1989) 153. Golden: that of [`Cg`](crate::Cg).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::{SingleReductionCg, Solver, Stopped};
///
/// let space = Space::new([50], DType::Float64)?;
/// let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Reduced)?;
/// let a = (Identity::new(space)? + adjoint(&slope).after(&slope)).build()?;
/// let solution = SingleReductionCg::default().solve(&a, Array::from_slice(&[1.0; 50], [50])?)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SingleReductionCg {
    /// What is applied to residuals: an operator that is nearly the inverse of `A` and cheap, self-adjoint and positive.
    pub preconditioner: Option<Operator>,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for SingleReductionCg {
    /// No preconditioner, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { preconditioner: None, stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`SingleReductionCg`].
#[derive(Debug)]
pub struct Vectors {
    /// `r = y - A x`
    residual: Array,
    /// `z = M r`
    preconditioned: Option<Array>,
    /// `w = A z`
    image: Array,
    /// `p`
    direction: Array,
    /// `A p`
    along: Array,
    /// `<z, w>`
    overlap: Array,
}

/// The row of the ratio of the last two `<r, M r>`.
const RATIO: usize = cg::ROWS;
/// How many rows there are.
const ROWS: usize = RATIO + 1;

impl Method for SingleReductionCg {
    type Vectors = Vectors;
    const NAME: &'static str = "SingleReductionCg";
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
            preconditioned: make.preconditioned(self.preconditioner())?,
            image: make.data("the workspace's image")?,
            direction: make.model("the workspace's direction")?,
            along: make.data("the workspace's image")?,
            overlap: make.scalar()?,
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.residual
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { residual, preconditioned, image, direction, along, overlap } = vectors;
        let mut kept = vec![residual, image, direction, along, overlap];
        kept.extend(preconditioned);
        kept
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        norms(run, 0)?;
        let mut state = cg::first(run.w.history.dtype());
        state.push(constant(0.0));
        run.w.history.begin(run.on, &[], &state)
    }

    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(scalars(run));
        overlap(run)?;
        let Vectors { direction, along, .. } = &mut run.w.vectors;
        direction.assign_on(run.on, 0.0)?;
        Ok(along.assign_on(run.on, 0.0)?)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let gamma = run.method.gradient();
        let conditioned = run.method.preconditioner.is_some();
        let Parts { vectors, history, x, next, on, .. } = run.parts();
        let Vectors { residual, preconditioned, image, direction, along, overlap: product } =
            vectors;
        let known = [gamma, RESIDUAL, cg::LAST, cg::SIZE, cg::BOUND, cg::MARGIN, STEP];
        history.advance(on, step, &known, &[product.view()], next)?;
        let [ratio, length] = [RATIO, STEP].map(|row| history.get(row, step + 1));
        let z = preconditioned.as_ref().filter(|_| conditioned).unwrap_or(residual);
        let turned = |new: usize| input(new) + input(2) * previous();
        on.map_many(
            &[z.view(), image.view(), ratio?],
            [(turned(0), direction.view_mut()), (turned(1), along.view_mut())],
        )?;
        on.map_many(
            &[direction.view(), along.view(), length?],
            [
                (previous() + input(2) * input(0), x.view_mut()),
                (previous() - input(2) * input(1), residual.view_mut()),
            ],
        )?;
        norms(run, step + 1)?;
        overlap(run)
    }

    fn frozen(column: &[f64], dtype: DType) -> Stopped {
        named(column[cg::MARGIN], column[cg::BOUND], dtype)
    }
}

/// `z = M r`, and the norms of column `step`. A workspace may have a `z` though there is no `M`.
fn norms(run: &mut Run<'_, SingleReductionCg>, step: usize) -> Result<()> {
    let conditioned = run.method.preconditioner.is_some();
    let Parts { mut system, vectors, history, on, .. } = run.parts();
    let Vectors { residual, preconditioned, .. } = vectors;
    if let Some(z) = preconditioned.as_mut().filter(|_| conditioned) {
        system.precondition(&*residual, z)?;
        real_dot(on, residual, z, history.get_mut(GRADIENT, step)?)?;
    }
    Ok(residual.norm_squared_into(on, history.get_mut(RESIDUAL, step)?)?)
}

/// `w = A z` and `<z, w>`.
fn overlap(run: &mut Run<'_, SingleReductionCg>) -> Result<()> {
    let conditioned = run.method.preconditioner.is_some();
    let Parts { mut system, vectors, on, .. } = run.parts();
    let Vectors { residual, preconditioned, image, overlap, .. } = vectors;
    let z = preconditioned.as_ref().filter(|_| conditioned).unwrap_or(residual);
    system.forward(z, image)?;
    real_dot(on, z, image, overlap)
}

/// The next column, of `γ = <r, M r>`, `‖r‖²`, the rows of [`Cg`](crate::Cg), the step before, and `<z, A z>`.
fn scalars(run: &Run<'_, SingleReductionCg>) -> State {
    let [gamma, residual, last, size, bound, margin, before, overlap] =
        [0, 1, 2, 3, 4, 5, 6, 7].map(input);
    let ratio = gamma.clone().div_or_zero(last.clone());
    // p = z + ratio p, and A p is orthogonal to the p before.
    let curvature = overlap - ratio.clone() * gamma.clone().div_or_zero(before);
    let known = [gamma, residual, last, size, bound, margin, curvature];
    let mut state = cg::column(run, known, 8);
    state.push(ratio);
    state
}
