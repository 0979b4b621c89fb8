//! The alternating direction method of multipliers.

use arrayspan_bridge::Array;
use arrayspan_kernels::{
    Executor, Update, Vector, VectorMut, constant, input, previous, widest_real,
};
use arrayspan_operators::{LinearMap, LinearOperator, Space, Workspace};

use super::arithmetic::{bound, bytes, wrong};
use super::chambolle_pock::forward;
use super::functional::{Misfit, NUMBER};
use super::minimizer::{Place, default_stop};
use super::minimizing::{
    Column, DUAL, DUAL_SCALE, PRIMAL, PRIMAL_SCALE, Recurrence, check, columns_bytes,
};
use super::quadratic::{self, Square, descend};
use super::{Minimizer, Minimizing, Proximal, Scratch, Split};
use crate::{Result, Stop};

/// `min f(x) + g(z)` where `A x = z`, by turns: `x ← argmin f(x) + ρ/2 ‖A x - z + u‖²`, `z ← prox_{g/ρ}(A x + u)`, `u ← u + A x - z`.
///
/// How `x` is found depends on what is known:
/// * Without `A`: by the proximal operator of `f`.
/// * With an `f` that is a [`SquaredL2`](super::SquaredL2), whatever operator that has: by [`inner`](field@Self::inner) steps of conjugate gradients on the normal
///   equations, from the last `x` on, enqueued without waiting.
/// * With any other `f`: linearised, `x ← prox_{τf}(x - τρ Aᴴ(A x - z + u))` with `τρ ‖A‖² = 1`. The norm is
///   [`norm`](field@Self::norm), or the upper bound of a [`NormEstimator`](crate::NormEstimator). No relaxation then.
///
/// A sum of functions of one `x` is [`Blocks`](super::Blocks) for `f` and [`Equal`](super::Equal) for `g`: consensus, where each function has
/// a copy.
///
/// *Residuals*: the primal one is `‖A x - z‖`, against the larger one of `‖A x‖` and `‖z‖`. The dual one is `‖z - last z‖` (and, linearised,
/// `‖A‖ ‖x - last x‖`), against the largest `‖u‖` so far.
///
/// Storage: `n + 4m` elements, solution included (`2n` more where it is linearised, `2n + 2m` and what a misfit has where it is solved),
/// beside what the functions take. Values moved an iteration, beside what they and `A` move and what finding `x` takes: `14m`. Launches: 11.
///
/// Reference: Boyd et al., Found. Trends Mach. Learn. 3 (2011) 1, sections 3.4 and 7.1; Wohlberg, arXiv:1704.06209, for
/// relative balancing. Golden: pyproximal 0.13 `ADMM`, `LinearizedADMM`. (Its `ADMML2` is the second kind.)
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::Stopped;
/// use arrayspan_solvers::proximal::{Admm, Bounds, Minimizer, Split, SquaredL2};
///
/// // The nearest array between 0 and 1.
/// let b = Array::from_slice(&[-1.0, 0.5, 7.0], [3])?;
/// let start = Array::zeros_like(&b)?;
/// let (near, between) = (SquaredL2::new(1.0)?.target(b), Bounds::new(0.0, 1.0)?);
/// let solution = Admm::default().solve(Split { f: &near, g: &between, a: None }, start)?;
/// assert_eq!(solution.stopped, Stopped::Residual);
/// for (found, expected) in solution.x.to_vec::<f64>()?.iter().zip([0.0, 0.5, 1.0]) {
///     assert!((found - expected).abs() < 1e-5);
/// }
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admm {
    /// The weight of `A x = z` at first. Above 0.
    pub rho: f64,
    /// Whether `ρ` is doubled or halved where, at a look, one residual is more than 10 times the other, both divided by their
    /// sizes; at most 40 times.
    pub balances: bool,
    /// Over-relaxation: `relaxation A x + (1 - relaxation) z` in place of `A x`. Above 0 and below 2.
    pub relaxation: f64,
    /// Conjugate gradient steps in each iteration, where `x` is found by them. At least 1.
    pub inner: usize,
    /// `‖A‖` or more, where `x` is found linearised; `None`: a bound is estimated.
    pub norm: Option<f64>,
    /// When to stop.
    pub stop: Stop,
    /// How many iterations are enqueued before the host looks at their residuals and decides whether to go on. At least 1.
    pub check_every: usize,
}

impl Default for Admm {
    /// `ρ` is 1 and balanced, relaxation 1.5, 5 inner steps, at most 1000 iterations to 1e-6 of both residuals, a look every 10
    /// iterations.
    fn default() -> Self {
        let (rho, balances, relaxation, inner, norm) = (1.0, true, 1.5, 5, None);
        Self { rho, balances, relaxation, inner, norm, stop: default_stop(), check_every: 10 }
    }
}

/// How often `ρ` changes, at most, by what factor, and how far apart residuals may be.
const CHANGES: usize = 40;
const FACTOR: f64 = 2.0;
const APART: f64 = 10.0;

impl Admm {
    const NAME: &'static str = "Admm";

    fn check(&self) -> Result<()> {
        check(Self::NAME, &self.stop, self.check_every)?;
        let positive = |name, number: f64| {
            if number.is_finite() && number > 0.0 {
                return Ok(());
            }
            wrong(Self::NAME, format!("{name} {number} is not a finite number > 0"))
        };
        positive("rho", self.rho)?;
        self.norm.map_or(Ok(()), |norm| positive("norm", norm))?;
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            let relaxation = self.relaxation;
            return wrong(Self::NAME, format!("relaxation {relaxation} is not in 0 < … < 2"));
        }
        if self.inner == 0 {
            return wrong(Self::NAME, "inner is 0: at least 1 step is needed".into());
        }
        Ok(())
    }
}

impl Minimizer for Admm {
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
        let own = problem.a.map_or(0, LinearMap::workspace);
        let x = match (problem.a, problem.f.as_misfit()) {
            (None, _) => problem.f.memory(space),
            (Some(a), Some(f)) => quadratic::memory(space, &[f.a, Some(a)]),
            (Some(_), None) => {
                problem.f.memory(space).saturating_add(bytes(space).saturating_mul(2))
            }
        };
        Ok([
            bytes(range).saturating_mul(5),
            columns_bytes(&self.stop, self.check_every),
            NUMBER * 8,
            own,
            x,
            problem.g.memory(range),
        ]
        .into_iter()
        .fold(0, usize::saturating_add))
    }
}

/// How `x` is found.
#[derive(Debug)]
enum Find<'a> {
    /// By the proximal operator of `f`.
    Plain,
    /// By conjugate gradients, with the weight of the misfit.
    Solved(Misfit<'a>, Array),
    /// By a step: its length `τρ`, the last `x`, and where models are put together.
    Linearised { share: f64, last: Array, model: Array },
}

/// A run.
#[derive(Debug)]
struct Run<'a> {
    f: &'a dyn Proximal,
    g: &'a dyn Proximal,
    a: Option<(&'a dyn LinearMap, Workspace)>,
    find: Find<'a>,
    relaxation: f64,
    inner: usize,
    /// How often `ρ` may change.
    changes: usize,
    x: Array,
    /// `A x`
    image: Array,
    z: Array,
    /// The next `z`, and then the last one.
    next: Array,
    u: Array,
    /// Where data are put together.
    data: Array,
    rho: Array,
    /// The step of `g`, `1/ρ`, and that of `f`.
    steps: [Array; 2],
    /// The largest `‖u‖²`.
    largest: Array,
    /// Squared lengths.
    lengths: [Array; 2],
}

impl<'a> Run<'a> {
    fn new(
        method: &Admm,
        problem: Split<'a>,
        (on, scratch): (&dyn Executor, &mut Scratch),
        [domain, range]: [&Space; 2],
        x: Array,
    ) -> Result<Self> {
        let Split { f, g, a } = problem;
        let mut relaxation = method.relaxation;
        let find = match (a, f.as_misfit()) {
            (None, _) => Find::Plain,
            (Some(_), Some(f)) => {
                let weight = scratch.number(on, f.weight)?;
                Find::Solved(f, weight)
            }
            (Some(a), None) => {
                relaxation = 1.0;
                let norm = method.norm.map_or_else(|| bound(on, a), Ok)?;
                let mut take = || scratch.take(on, domain.shape(), domain.dtype());
                Find::Linearised { share: 1.0 / (norm * norm), last: take()?, model: take()? }
            }
        };
        let workspace = a.map(|a| scratch.workspace(a, on)).transpose()?;
        let wide = widest_real(on.device());
        let mut take = || scratch.take(on, range.shape(), range.dtype());
        let (image, z, next, u, data) = (take()?, take()?, take()?, take()?, take()?);
        let share = if let Find::Linearised { share, .. } = &find { *share } else { 1.0 };
        let rho = scratch.number(on, method.rho)?;
        let steps =
            [scratch.number(on, 1.0 / method.rho)?, scratch.number(on, share / method.rho)?];
        let largest = scratch.number(on, 0.0)?;
        let lengths = [scratch.take(on, &[], wide)?, scratch.take(on, &[], wide)?];
        let (changes, inner) = (if method.balances { CHANGES } else { 0 }, method.inner);
        let a = a.zip(workspace);
        let mut run = Self {
            f,
            g,
            a,
            find,
            relaxation,
            inner,
            changes,
            x,
            image,
            z,
            next,
            u,
            data,
            rho,
            steps,
            largest,
            lengths,
        };
        run.u.assign_on(on, 0.0)?;
        forward(on, &mut run.a, run.x.view(), &mut run.image)?;
        run.z.assign_on(on, &run.image)?;
        run.next.assign_on(on, &run.image)?;
        Ok(run)
    }

    /// `x` and `A x`.
    fn find(&mut self, on: &dyn Executor, scratch: &mut Scratch) -> Result<()> {
        let Self { f, a, find, x, image, z, u, data, rho, steps, inner, .. } = self;
        let [_, step] = steps;
        match (find, a.as_mut()) {
            (Find::Solved(f, weight), Some((a, _))) => {
                data.assign_on(on, &*z - &*u)?;
                let a = Some(*a);
                let near = Square { a, target: Some(data.view()), weight: rho.view() };
                let squares = [Square::of(f.clone(), weight.view()), near];
                descend(on, scratch, &squares, &mut x.view_mut(), *inner)?;
            }
            (Find::Linearised { share, last, model }, Some((a, workspace))) => {
                data.assign_on(on, &*image - &*z + &*u)?;
                on.copy(x.view(), model.view_mut(), Update::set())?;
                let descent = Update::new(-*share, 1.0);
                a.apply_adjoint_with(workspace, on, data.view(), model.view_mut(), descent)?;
                on.copy(x.view(), last.view_mut(), Update::set())?;
                f.prox(on, scratch, model.view(), step.view(), x.view_mut())?;
            }
            _ => {
                data.assign_on(on, &*z - &*u)?;
                f.prox(on, scratch, data.view(), step.view(), x.view_mut())?;
            }
        }
        forward(on, a, x.view(), image)
    }
}

impl Recurrence for Run<'_> {
    fn iterate(
        &mut self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        column: &mut Column<'_>,
    ) -> Result<()> {
        self.find(on, scratch)?;
        let (image, kept) = (&self.image, 1.0 - self.relaxation);
        if kept == 0.0 {
            self.data.assign_on(on, image + &self.u)?;
        } else {
            self.data.assign_on(on, self.relaxation * image + kept * &self.z + &self.u)?;
        }
        let (data, next) = (self.data.view(), self.next.view_mut());
        self.g.prox(on, scratch, data, self.steps[0].view(), next)?;
        self.u.assign_on(on, &self.data - &self.next)?;

        (image - &self.next).norm_squared_into(on, column.row(PRIMAL)?)?;
        let [one, other] = &mut self.lengths;
        image.norm_squared_into(on, &mut *one)?;
        self.next.norm_squared_into(on, &mut *other)?;
        column.row(PRIMAL_SCALE)?.assign_on(on, one.maximum(&*other))?;
        (&self.next - &self.z).norm_squared_into(on, &mut *one)?;
        if let Find::Linearised { share, last, .. } = &self.find {
            (&self.x - last).norm_squared_into(on, &mut *other)?;
            one.update_on(on, |one| one + &*other / *share)?;
        }
        column.row(DUAL)?.assign_on(on, &*one)?;
        self.u.norm_squared_into(on, &mut *other)?;
        on.map(&previous().max(input(0)), &[other.view()], self.largest.view_mut())?;
        column.row(DUAL_SCALE)?.assign_on(on, &self.largest)?;
        std::mem::swap(&mut self.z, &mut self.next);
        Ok(())
    }

    fn adapt(&mut self, on: &dyn Executor, primal: f64, dual: f64) -> Result<()> {
        let factor = if primal > APART * dual {
            FACTOR
        } else if dual > APART * primal {
            1.0 / FACTOR
        } else {
            return Ok(());
        };
        if self.changes == 0 {
            return Ok(());
        }
        self.changes -= 1;
        let times = |factor: f64| previous() * constant(factor);
        on.map(&times(factor), &[], self.rho.view_mut())?;
        for step in &mut self.steps {
            on.map(&times(1.0 / factor), &[], step.view_mut())?;
        }
        // The multipliers stay, ρ u.
        on.map(&times(1.0 / factor), &[], self.u.view_mut())?;
        Ok(on.map(&times(factor.powi(-2)), &[], self.largest.view_mut())?)
    }

    fn solution(&self) -> &Array {
        &self.x
    }

    fn finish(self: Box<Self>, scratch: &mut Scratch) -> Array {
        let Self { x, image, z, next, u, data, rho, steps, largest, lengths, find, a, .. } = *self;
        let found = match find {
            Find::Plain => Vec::new(),
            Find::Solved(_, weight) => vec![weight],
            Find::Linearised { last, model, .. } => vec![last, model],
        };
        let all = [image, z, next, u, data, rho, largest].into_iter();
        let all = all.chain(steps).chain(lengths).chain(found);
        scratch.give_all(all);
        scratch.give_workspace(a.map(|(_, workspace)| workspace));
        x
    }
}
