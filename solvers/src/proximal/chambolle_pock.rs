//! The primal-dual method of Chambolle and Pock.

use arrayspan_bridge::{Array, View};
use arrayspan_kernels::{Executor, Update, Vector, VectorMut, constant, input, widest_real};
use arrayspan_operators::{LinearMap, LinearOperator, Space, Workspace};

use super::arithmetic::{bound, bytes, wrong};
use super::functional::NUMBER;
use super::minimizer::{Place, default_stop};
use super::minimizing::{Column, DUAL, PRIMAL, Recurrence, check, columns_bytes};
use super::{Minimizer, Minimizing, Proximal, Scratch, Split};
use crate::{Result, Stop};

/// `min f(x) + g(A x)` by turns: `x ← prox_{τf}(x - τ Aᴴy)`, `y ← prox_{σg*}(y + σ A x̄)`, where `x̄` is `x` and a step beyond it.
///
/// It asks for proximal operators of `f` and of the conjugate of `g`, one application of `A` and one of `Aᴴ` an iteration, and solves
/// nothing. It converges where `τ σ ‖A‖² ≤ 1`. Without [`norm`](field@Self::norm) the norm is the upper bound of a
/// [`NormEstimator`](crate::NormEstimator).
///
/// *Residuals*: the primal one is how far `-Aᴴy` is from a subgradient of `f` at `x`, against the largest `‖Aᴴy‖` so far; the dual one
/// how far `A x` is from a subgradient of `g*` at `y`, against the largest `‖A x‖`.
///
/// Storage: `5n + 5m` elements, solution included, beside what the functions take. Values moved an iteration: `10n + 11m` beside
/// them and `A`. Launches beside those: 13.
///
/// Reference: Chambolle and Pock, J. Math. Imaging Vis. 40 (2011) 120, algorithms 1 and 2; Goldstein et al., arXiv:1305.0546, for
/// balanced steps. Golden: pyproximal 0.13 `PrimalDual` with `gfirst=False`.
///
/// ```
/// use arrayspan_bridge::{Array, DType};
/// use arrayspan_operators::prelude::*;
/// use arrayspan_solvers::Stopped;
/// use arrayspan_solvers::proximal::{ChambollePock, L1, Minimizer, Split, SquaredL2};
///
/// // Total variation denoising of a step: each side is drawn by the weight over its length.
/// let noisy = Array::from_slice(&[0.1, -0.1, 0.0, 4.1, 3.9, 4.0], [6])?;
/// let space = Space::new([6], DType::Float64)?;
/// let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Forward, Edge::Zero)?;
/// let start = Array::zeros_like(&noisy)?;
/// let (misfit, variation) = (SquaredL2::new(1.0)?.target(noisy), L1::new(0.6)?);
/// let problem = Split { f: &misfit, g: &variation, a: Some(&slope) };
/// let solution = ChambollePock::default().solve(problem, start)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// for (found, expected) in solution.x.to_vec::<f64>()?.iter().zip([0.2, 0.2, 0.2, 3.8, 3.8, 3.8]) {
///     assert!((found - expected).abs() < 1e-4);
/// }
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChambollePock {
    /// `‖A‖` or more; `None`: a bound is estimated.
    pub norm: Option<f64>,
    /// `τ / σ` is the square of this: large where `x` is large beside `y`. Above 0.
    pub ratio: f64,
    /// What becomes of steps.
    pub steps: Steps,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host looks at their residuals and decides whether to go on. At least 1.
    pub check_every: usize,
}

/// What becomes of the steps of [`ChambollePock`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// They stay.
    Fixed,
    /// When the host looks and one residual is more than 1.5 times the other, both divided by their sizes, the step that belongs to it gets longer and
    /// the other one shorter; each time by less, so that steps converge.
    Balanced,
    /// For an `f` that is strongly convex with this constant, `f(z) ≥ f(x) + <s, z - x> + constant/2 ‖z - x‖²` (`w` of a
    /// [`SquaredL2`](super::SquaredL2) without an operator): `τ` gets shorter and `σ` longer, and `‖x - x*‖²` falls as `1/k²`.
    StronglyConvex(f64),
}

impl Default for ChambollePock {
    /// A bound of the norm estimated, equal and balanced steps, at most 1000 iterations to 1e-6 of both residuals, a look every 10 iterations.
    fn default() -> Self {
        let (norm, ratio, steps, stop) = (None, 1.0, Steps::Balanced, default_stop());
        Self { norm, ratio, steps, stop, check_every: 10 }
    }
}

impl ChambollePock {
    const NAME: &'static str = "ChambollePock";

    fn check(&self) -> Result<()> {
        check(Self::NAME, &self.stop, self.check_every)?;
        let positive = |name, number: f64| {
            if number.is_finite() && number > 0.0 {
                return Ok(());
            }
            wrong(Self::NAME, format!("{name} {number} is not a finite number > 0"))
        };
        positive("ratio", self.ratio)?;
        self.norm.map_or(Ok(()), |norm| positive("norm", norm))?;
        if let Steps::StronglyConvex(constant) = self.steps {
            positive("the constant of strong convexity", constant)?;
        }
        Ok(())
    }
}

impl Minimizer for ChambollePock {
    type Problem<'p> = Split<'p>;

    fn start<'a, 'p: 'a>(
        &'a self,
        scratch: &'a mut Scratch,
        on: &'a dyn Executor,
        problem: Split<'p>,
        start: Array,
    ) -> Result<Minimizing<'a>> {
        self.check()?;
        let place = Place::of(Self::NAME, on, &start)?;
        let range = place.split(&problem)?;
        let run = Run::new(self, problem, (on, scratch), [&place.domain, &range], start)?;
        let loops = (self.stop, self.check_every);
        Minimizing::new(Self::NAME, (on, scratch), Box::new(run), loops)
    }

    fn memory(&self, problem: Split<'_>, space: &Space) -> Result<usize> {
        self.check()?;
        let range = problem.a.map_or(space, LinearMap::range);
        Ok([
            bytes(space).saturating_mul(4),
            bytes(range).saturating_mul(5),
            columns_bytes(&self.stop, self.check_every),
            NUMBER * 10,
            problem.a.map_or(0, LinearMap::workspace),
            problem.f.memory(space),
            problem.g.conjugate_memory(range),
        ]
        .into_iter()
        .fold(0, usize::saturating_add))
    }
}

/// The numbers of an iteration, on the device.
#[derive(Debug)]
struct Numbers {
    tau: Array,
    sigma: Array,
    /// How far `x̄` is beyond `x`, in steps.
    beyond: Array,
}

/// A run.
#[derive(Debug)]
struct Run<'a> {
    f: &'a dyn Proximal,
    g: &'a dyn Proximal,
    a: Option<(&'a dyn LinearMap, Workspace)>,
    /// The constant of strong convexity, or nothing.
    convex: f64,
    balances: bool,
    /// By which share balancing changes steps.
    change: f64,
    x: Array,
    /// The next `x`, and then the last one.
    next: Array,
    /// `Aᴴy`, and the last one.
    pulls: [Array; 2],
    /// Where models are put together.
    model: Array,
    y: Array,
    /// The next `y`, and then the last one.
    dual: Array,
    /// `A x`, and the last one.
    images: [Array; 2],
    /// Where data are put together.
    data: Array,
    now: Numbers,
    after: Numbers,
    /// The largest `‖Aᴴy‖²` and `‖A x‖²`.
    largest: [Array; 2],
    /// Squared lengths.
    lengths: [Array; 2],
}

/// The share of steps that balancing changes first, how much of it is left the next time, and how far apart residuals may be.
const CHANGE: [f64; 3] = [0.5, 0.95, 1.5];

impl<'a> Run<'a> {
    fn new(
        method: &ChambollePock,
        problem: Split<'a>,
        (on, scratch): (&dyn Executor, &mut Scratch),
        [domain, range]: [&Space; 2],
        x: Array,
    ) -> Result<Self> {
        let norm = match (method.norm, problem.a) {
            (Some(norm), _) => norm,
            (None, Some(a)) => bound(on, a)?,
            (None, None) => 1.0,
        };
        let convex =
            if let Steps::StronglyConvex(constant) = method.steps { constant } else { 0.0 };
        let workspace = problem.a.map(|a| scratch.workspace(a, on)).transpose()?;
        let [tau, sigma] = [method.ratio / norm, 1.0 / (method.ratio * norm)];
        let wide = widest_real(on.device());
        let mut take = |space: &Space| scratch.take(on, space.shape(), space.dtype());
        let (next, pulls, model) = (take(domain)?, [take(domain)?, take(domain)?], take(domain)?);
        let (y, dual, images) = (take(range)?, take(range)?, [take(range)?, take(range)?]);
        let data = take(range)?;
        let mut number = |value| scratch.number(on, value);
        let mut numbers = || {
            let (tau, sigma, beyond) = (number(tau)?, number(sigma)?, number(1.0)?);
            Ok::<_, crate::Error>(Numbers { tau, sigma, beyond })
        };
        let (now, after) = (numbers()?, numbers()?);
        let largest = [scratch.number(on, 0.0)?, scratch.number(on, 0.0)?];
        let lengths = [scratch.take(on, &[], wide)?, scratch.take(on, &[], wide)?];
        let mut run = Self {
            f: problem.f,
            g: problem.g,
            a: problem.a.zip(workspace),
            convex,
            balances: method.steps == Steps::Balanced,
            change: CHANGE[0],
            x,
            next,
            pulls,
            model,
            y,
            dual,
            images,
            data,
            now,
            after,
            largest,
            lengths,
        };
        for zero in [&mut run.y, &mut run.dual, &mut run.pulls[0]] {
            zero.assign_on(on, 0.0)?;
        }
        run.next.assign_on(on, &run.x)?;
        forward(on, &mut run.a, run.x.view(), &mut run.images[0])?;
        Ok(run)
    }

    /// The numbers after `x` has moved.
    fn numbers(&mut self, on: &dyn Executor) -> Result<()> {
        let Self { now, after, .. } = self;
        let (tau, sigma) = (input(0), input(1));
        let twice = constant(2.0 * self.convex);
        let beyond = constant(1.0) / (constant(1.0) + twice * tau.clone()).sqrt();
        let inputs = [&now.tau, &now.sigma].map(Array::view);
        let outputs = [
            (tau * beyond.clone(), after.tau.view_mut()),
            (sigma / beyond.clone(), after.sigma.view_mut()),
            (beyond, after.beyond.view_mut()),
        ];
        Ok(on.map_many(&inputs, outputs)?)
    }
}

impl Recurrence for Run<'_> {
    fn iterate(
        &mut self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        column: &mut Column<'_>,
    ) -> Result<()> {
        let [pull, _] = &self.pulls;
        self.model.assign_on(on, &self.x - &self.now.tau * pull)?;
        let (model, next) = (self.model.view(), self.next.view_mut());
        self.f.prox(on, scratch, model, self.now.tau.view(), next)?;
        forward(on, &mut self.a, self.next.view(), &mut self.images[1])?;
        self.numbers(on)?;

        let (Numbers { sigma, beyond, .. }, [old, new]) = (&self.after, &self.images);
        self.data.assign_on(on, &self.y + sigma * (new + beyond * (new - old)))?;
        let (data, dual) = (self.data.view(), self.dual.view_mut());
        self.g.prox_conjugate(on, scratch, data, sigma.view(), dual)?;
        adjoint(on, &mut self.a, self.dual.view(), &mut self.pulls[1])?;

        let ([before, after], tau) = (&self.pulls, &self.now.tau);
        self.model.assign_on(on, (&self.x - &self.next) / tau - (before - after))?;
        self.data.assign_on(on, (&self.y - &self.dual) / sigma + beyond * (new - old))?;
        self.model.norm_squared_into(on, column.row(PRIMAL)?)?;
        self.data.norm_squared_into(on, column.row(DUAL)?)?;
        let [pulled, seen] = &mut self.lengths;
        after.norm_squared_into(on, &mut *pulled)?;
        new.norm_squared_into(on, &mut *seen)?;
        column.largest(on, [pulled, seen], &mut self.largest)?;

        std::mem::swap(&mut self.x, &mut self.next);
        std::mem::swap(&mut self.y, &mut self.dual);
        self.pulls.swap(0, 1);
        self.images.swap(0, 1);
        std::mem::swap(&mut self.now, &mut self.after);
        Ok(())
    }

    fn adapt(&mut self, on: &dyn Executor, primal: f64, dual: f64) -> Result<()> {
        let [_, left, apart] = CHANGE;
        let factor = if primal > apart * dual {
            1.0 / (1.0 - self.change)
        } else if dual > apart * primal {
            1.0 - self.change
        } else {
            return Ok(());
        };
        if !self.balances {
            return Ok(());
        }
        self.change *= left;
        self.now.tau.update_on(on, |tau| factor * tau)?;
        Ok(self.now.sigma.update_on(on, |sigma| sigma / factor)?)
    }

    fn solution(&self) -> &Array {
        &self.x
    }

    fn finish(self: Box<Self>, scratch: &mut Scratch) -> Array {
        let Self { x, next, pulls, model, y, dual, images, data, now, after, .. } = *self;
        let numbers = [now, after].into_iter().flat_map(|n| [n.tau, n.sigma, n.beyond]);
        let few = [next, model, y, dual, data].into_iter().chain(pulls).chain(images);
        let scalars = self.largest.into_iter().chain(self.lengths);
        scratch.give_all(few.chain(numbers).chain(scalars));
        scratch.give_workspace(self.a.map(|(_, workspace)| workspace));
        x
    }
}

/// `image ← A x`
pub(super) fn forward(
    on: &dyn Executor,
    a: &mut Option<(&dyn LinearMap, Workspace)>,
    x: View<'_>,
    image: &mut Array,
) -> Result<()> {
    match a {
        Some((a, workspace)) => {
            Ok(a.apply_with(workspace, on, x, image.view_mut(), Update::set())?)
        }
        None => Ok(on.copy(x, image.view_mut(), Update::set())?),
    }
}

/// `model ← Aᴴ y`
fn adjoint(
    on: &dyn Executor,
    a: &mut Option<(&dyn LinearMap, Workspace)>,
    y: View<'_>,
    model: &mut Array,
) -> Result<()> {
    match a {
        Some((a, workspace)) => {
            Ok(a.apply_adjoint_with(workspace, on, y, model.view_mut(), Update::set())?)
        }
        None => Ok(on.copy(y, model.view_mut(), Update::set())?),
    }
}
