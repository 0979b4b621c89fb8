//! A run of the alternating direction method of multipliers.

use arrayspan_bridge::Array;
use arrayspan_kernels::{
    Executor, Update, Vector, VectorMut, constant, input, previous, widest_real,
};
use arrayspan_operators::{LinearMap, LinearOperator, Space, Workspace};

use super::Admm;
use crate::proximal::applied::forward;
use crate::proximal::arithmetic::bound;
use crate::proximal::functional::NUMBER;
use crate::proximal::minimizer::Place;
use crate::proximal::minimizing::{
    Column, DUAL, DUAL_SCALE, PRIMAL, PRIMAL_SCALE, Recurrence, columns_bytes,
};
use crate::proximal::quadratic::{self, Square, descend};
use crate::proximal::{Minimizer, Minimizing, Misfit, Proximal, Scratch, Split};
use crate::{Result, bytes};

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
                problem.f.memory(space).saturating_add(bytes::of(space).saturating_mul(2))
            }
        };
        Ok(bytes::total([
            bytes::of(range).saturating_mul(5),
            columns_bytes(&self.stop, self.check_every),
            NUMBER * 8,
            own,
            x,
            problem.g.memory(range),
        ]))
    }
}

/// How often `ρ` changes, at most, by what factor, and how far apart residuals may be.
const CHANGES: usize = 40;
const FACTOR: f64 = 2.0;
const APART: f64 = 10.0;

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
    balances: bool,
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
            balances: method.balances,
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

    fn kept(&mut self) -> Vec<&mut Array> {
        let Self { x, image, z, next, u, rho, steps, largest, .. } = self;
        [x, image, z, next, u, rho, largest].into_iter().chain(steps).collect()
    }

    fn fixed(&self) -> Vec<(&'static str, f64)> {
        let linearised = matches!(self.find, Find::Linearised { .. });
        let [balances, linearised] = [self.balances, linearised].map(|v| f64::from(u8::from(v)));
        let inner = self.inner as f64;
        vec![
            ("relaxation", self.relaxation),
            ("number of inner steps", inner),
            ("balancing of ρ", balances),
            ("linearisation", linearised),
        ]
    }

    fn numbers(&self) -> Vec<f64> {
        let share = if let Find::Linearised { share, .. } = self.find { share } else { 1.0 };
        vec![self.changes as f64, share]
    }

    fn renumber(&mut self, numbers: &[f64]) -> bool {
        let [changes, found] = *numbers else { return false };
        let Some(left) = (0..=CHANGES).find(|left| (*left as f64).to_bits() == changes.to_bits())
        else {
            return false;
        };
        self.changes = left;
        if let Find::Linearised { share, .. } = &mut self.find {
            *share = found;
        }
        found.is_finite() && found > 0.0
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
