//! A run of the method of Chambolle and Pock.

use arrayspan_bridge::Array;
use arrayspan_kernels::{Executor, Vector, VectorMut, constant, input, widest_real};
use arrayspan_operators::{LinearMap, Space, Workspace};

use super::{ChambollePock, Steps};
use crate::proximal::applied::{adjoint, forward};
use crate::proximal::arithmetic::bound;
use crate::proximal::functional::NUMBER;
use crate::proximal::minimizer::Place;
use crate::proximal::minimizing::{Column, DUAL, PRIMAL, Recurrence, columns_bytes};
use crate::proximal::{Minimizer, Minimizing, Proximal, Scratch, Split};
use crate::{Result, bytes};

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
        Ok(bytes::total([
            bytes::of(space).saturating_mul(4),
            bytes::of(range).saturating_mul(5),
            columns_bytes(&self.stop, self.check_every),
            NUMBER * 10,
            problem.a.map_or(0, LinearMap::workspace),
            problem.f.memory(space),
            problem.g.conjugate_memory(range),
        ]))
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

    fn kept(&mut self) -> Vec<&mut Array> {
        let Self { x, next, pulls: [pull, _], y, dual, images: [image, _], now, largest, .. } =
            self;
        let kept = vec![x, next, pull, y, dual, image, &mut now.tau, &mut now.sigma];
        kept.into_iter().chain(largest).collect()
    }

    fn fixed(&self) -> Vec<(&'static str, f64)> {
        let balances = f64::from(u8::from(self.balances));
        vec![("balancing of steps", balances), ("constant of strong convexity", self.convex)]
    }

    fn numbers(&self) -> Vec<f64> {
        vec![self.change]
    }

    fn renumber(&mut self, numbers: &[f64]) -> bool {
        let [change] = *numbers else { return false };
        self.change = change;
        (0.0..=CHANGE[0]).contains(&change)
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
