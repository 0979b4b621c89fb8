//! Conjugate gradients on the normal equations whose inner products are all at one place of an iteration.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{Expression, Vector, VectorMut, constant, input};
use arrayspan_operators::LinearMap;

use super::cgls::freeze::Scalars;
use crate::engine::Make;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP, State};
use crate::engine::run::{Method, Run, explained};
use crate::engine::system::{Parts, real_dot};
use crate::{Result, Stop};

/// `min ‖y - A x‖² + damping² ‖x‖²` for any linear `A`, as [`Cgls`](crate::Cgls), with one reduction an iteration in the place of two:
/// all inner products are of vectors that are there at the same time.
///
/// That saves waiting where a reduction is slow beside all else (vectors on several devices); on one, [`Cgls`](crate::Cgls) moves less.
/// Gradients and their images are computed anew in each iteration, and `‖A p‖²` of all that it is made of, without taking
/// conjugate directions for conjugate, which keeps the accuracy that [`Cgls`](crate::Cgls) reaches (test `single_reduction`).
///
/// Gradient, breakdowns and rounding level are [`Cgls`](crate::Cgls)'s; **an iteration too many changes nothing**.
///
/// Storage: `3n + 3m` elements (`n` model, `m` data; `n` more where data or operator are scaled) and `8 (check_every + 11) + 15`
/// scalars ([`memory`](crate::Solver::memory)). Values moved an iteration: `7n + 11m` (`13n + 11m` with damping), and one application
/// of `A` and of `Aᴴ` (test `bytes::single_reduction_cgls`). Launches beside those: 10 (13 with damping). One application of `A` more
/// than iterations.
///
/// Reference: Chronopoulos and Gear, J. Comput. Appl. Math. 25 (1989) 153, on the normal equations. Golden: that of
/// [`Cgls`](crate::Cgls).
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::{Edge, FirstDerivative, LinearOperator, Scheme, Space};
/// use arrayspan_solvers::{SingleReductionCgls, Solver, Stop};
///
/// let space = Space::new([64], DType::Float64)?;
/// let a = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Reduced)?;
/// let y = Array::from_slice(&[1.0; 64], [64])?;
/// let solver = SingleReductionCgls { stop: Stop::after(40), ..SingleReductionCgls::default() };
/// let solution = solver.solve(&a, &y)?;
/// assert!(solution.residuals[solution.iterations] < 1e-6 * solution.residuals[0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleReductionCgls {
    /// The weight of `‖x‖` beside the misfit, which `damping² ‖x‖²` is added to. At least 0, and at most half the largest
    /// number of the dtype.
    pub damping: f64,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host checks their norms and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for SingleReductionCgls {
    /// No damping, the default [`Stop`], a check every 10 iterations.
    fn default() -> Self {
        Self { damping: 0.0, stop: Stop::default(), check_every: 10 }
    }
}

/// The vectors of [`SingleReductionCgls`].
#[derive(Debug)]
pub struct Vectors {
    /// `r = y - A x`
    residual: Array,
    /// `g = Aᴴ r - damping² x`
    gradient: Array,
    /// `w = A g`
    image: Array,
    /// `p`
    direction: Array,
    /// `q = A p`
    along: Array,
    /// `‖w‖²`, `<w, q>`, `‖q‖²`, `<g, p>`, `‖p‖²`
    products: [Array; 5],
}

/// The row of a lower bound of `‖A‖²`.
const BOUND: usize = STEP + 1;
/// The row of the smallest squared norm of a gradient so far.
const LOWEST: usize = STEP + 2;
/// The row of the misfit with damping, before rounding.
const MISFIT: usize = STEP + 3;
/// The row of the squared gradient one iteration earlier.
const LAST: usize = STEP + 4;
/// The row of the ratio of the last two squared gradients.
const RATIO: usize = STEP + 5;
/// How many rows there are.
const ROWS: usize = STEP + 6;

/// What the next scalars are computed of, beside the products.
const SCALARS: [usize; 6] = [GRADIENT, RESIDUAL, BOUND, LOWEST, MISFIT, LAST];

impl Method for SingleReductionCgls {
    type Vectors = Vectors;
    const NAME: &'static str = "SingleReductionCgls";
    const ROWS: [usize; 2] = [ROWS, STEP];
    const OBJECTIVE: usize = MISFIT;
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

    fn check(&self, _: &dyn LinearMap) -> Result<()> {
        Ok(())
    }

    fn vectors(&self, make: &mut Make<'_>) -> Result<Vectors> {
        Ok(Vectors {
            residual: make.data("the workspace's residual")?,
            gradient: make.model("the workspace's gradient")?,
            image: make.data("the workspace's image")?,
            direction: make.model("the workspace's direction")?,
            along: make.data("the workspace's image")?,
            products: [
                make.scalar()?,
                make.scalar()?,
                make.scalar()?,
                make.scalar()?,
                make.scalar()?,
            ],
        })
    }

    fn residual(vectors: &mut Vectors) -> &mut Array {
        &mut vectors.residual
    }

    fn kept(vectors: &mut Vectors) -> Vec<&mut Array> {
        let Vectors { residual, gradient, image, direction, along, products } = vectors;
        let vectors = [residual, gradient, image, direction, along];
        vectors.into_iter().chain(products).collect()
    }

    fn replays(&self, _: usize) -> bool {
        true
    }

    fn recorded_for(&self, _: &Vectors) -> Option<Vec<u64>> {
        Some(Vec::new())
    }

    fn first(run: &mut Run<'_, Self>) -> Result<()> {
        descend(run, 0)?;
        let (damping, damped) = (run.damping, run.started && run.damping != 0.0);
        let Parts { vectors, history, x, on, .. } = run.parts();
        let size = &mut vectors.products[0];
        let mut misfit = input(0);
        if damped {
            // Not `damping²`, which may overflow where the product does not.
            (damping * &*x).norm_squared_into(on, &mut *size)?;
            misfit = misfit + input(2);
        }
        let others = if damped { vec![size.view()] } else { Vec::new() };
        let [none, one] = [0.0, 1.0].map(constant);
        let state = vec![one, none.clone(), input(1), misfit, none.clone(), none];
        history.begin(on, &others, &state)
    }

    fn turn(run: &mut Run<'_, Self>) -> Result<()> {
        run.next = Some(scalars(run));
        let Vectors { direction, along, .. } = &mut run.w.vectors;
        direction.assign_on(run.on, 0.0)?;
        along.assign_on(run.on, 0.0)?;
        products(run)
    }

    fn iterate(run: &mut Run<'_, Self>, step: usize) -> Result<()> {
        let count = count(run);
        let Parts { vectors, history, x, next, on, .. } = run.parts();
        let Vectors { residual, gradient, image, direction, along, products: known } = vectors;
        let others: Vec<View<'_>> = known[..count].iter().map(Array::view).collect();
        history.advance(on, step, &SCALARS, &others, next)?;
        let [ratio, length] = [RATIO, STEP].map(|row| history.get(row, step + 1));
        let (ratio, length) = (ratio?, length?);
        direction.update_on(on, |p| &*gradient + &ratio * p)?;
        along.update_on(on, |q| &*image + &ratio * q)?;
        x.add_scaled_on(on, &length, &*direction)?;
        residual.update_on(on, |r| r - &length * &*along)?;
        descend(run, step + 1)?;
        products(run)
    }
}

/// How many of the products are used.
fn count(run: &Run<'_, SingleReductionCgls>) -> usize {
    if run.damping == 0.0 { 3 } else { 5 }
}

/// The gradient and both norms, for column `step`.
fn descend(run: &mut Run<'_, SingleReductionCgls>, step: usize) -> Result<()> {
    let damping = run.damping;
    let Parts { mut system, vectors, history, x, on, .. } = run.parts();
    let Vectors { residual, gradient, .. } = vectors;
    system.adjoint(residual, gradient)?;
    if damping != 0.0 {
        gradient.update_on(on, |gradient| gradient - damping * (damping * &*x))?;
    }
    residual.norm_squared_into(on, history.get_mut(RESIDUAL, step)?)?;
    Ok(gradient.norm_squared_into(on, history.get_mut(GRADIENT, step)?)?)
}

/// The image of the gradient, and all products with it.
fn products(run: &mut Run<'_, SingleReductionCgls>) -> Result<()> {
    let damped = run.damping != 0.0;
    let Parts { mut system, vectors, on, .. } = run.parts();
    let Vectors { gradient, image, direction, along, products, .. } = vectors;
    system.forward(&*gradient, image)?;
    let [size, mixed, before, slope, length] = products;
    image.norm_squared_into(on, size)?;
    real_dot(on, image, along, mixed)?;
    along.norm_squared_into(on, before)?;
    if !damped {
        return Ok(());
    }
    real_dot(on, gradient, direction, slope)?;
    Ok(direction.norm_squared_into(on, length)?)
}

/// The next column, of [`SCALARS`] and the products.
fn scalars(run: &Run<'_, SingleReductionCgls>) -> State {
    let [gradient, residual, bound, lowest, misfit, last] = [0, 1, 2, 3, 4, 5].map(input);
    let ratio = gradient.clone().div_or_zero(last);
    // ‖a + ratio b‖²
    let size = |[a, mixed, b]: [Expression; 3]| {
        let twice = constant(2.0) * ratio.clone() * mixed;
        (a + twice + ratio.clone().abs2() * b).max(constant(0.0))
    };
    let own = size([input(6), input(7), input(8)]);
    let bound = bound.max(input(6).div_or_zero(gradient.clone()));
    let lowest = lowest.min(gradient.clone());
    let (curvature, misfit) = if run.damping == 0.0 {
        (own, residual.clone())
    } else {
        let model = size([gradient.clone(), input(9), input(10)]);
        let damping = constant(run.damping);
        (own + damping.clone() * (damping * model), residual.clone().max(misfit))
    };
    let decides = Scalars {
        gradient: gradient.clone(),
        lowest: lowest.clone(),
        bound: bound.clone(),
        residual,
        objective: misfit.clone(),
    };
    let inputs = SCALARS.len() + count(run);
    let go = decides.go(run.a.range().dtype(), |share| explained(share, inputs));
    let length = go * gradient.clone().div_or_zero(curvature);
    let misfit = misfit - length.clone() * gradient.clone();
    vec![length, bound, lowest, misfit, gradient, ratio]
}
