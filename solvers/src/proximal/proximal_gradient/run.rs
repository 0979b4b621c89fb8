//! A run of gradient steps and proximal steps.

use arrayspan_bridge::Array;
use arrayspan_kernels::{Executor, Vector, VectorMut, constant, input, widest_real};
use arrayspan_operators::Space;

use super::ProximalGradient;
use crate::engine::run::above;
use crate::engine::scale::epsilon;
use crate::engine::system::real_dot;
use crate::proximal::functional::NUMBER;
use crate::proximal::minimizer::Place;
use crate::proximal::minimizing::{
    Column, DUAL, DUAL_SCALE, PRIMAL, PRIMAL_SCALE, Recurrence, columns_bytes,
};
use crate::proximal::{Composite, Minimizer, Minimizing, Proximal, Scratch, Smooth};
use crate::{Result, bytes};

impl Minimizer for ProximalGradient {
    type Problem<'p> = Composite<'p>;

    fn start<'a, 'p: 'a>(
        &'a self,
        scratch: &'a mut Scratch,
        on: &'a dyn Executor,
        problem: Composite<'p>,
        start: Array,
    ) -> Result<Minimizing<'a>> {
        self.check()?;
        let place = Place::of(Self::NAME, on, &start)?;
        problem.f.check(&place.domain, on.device())?;
        problem.g.check(&place.domain, on.device())?;
        let run = Run::new(self, problem, (on, scratch), &place.domain, start)?;
        let loops = (self.stop, self.check_every);
        Minimizing::new(Self::NAME, (on, scratch), Box::new(run), loops)
    }

    fn memory(&self, problem: Composite<'_>, space: &Space) -> Result<usize> {
        self.check()?;
        Ok(bytes::total([
            bytes::of(space).saturating_mul(4),
            columns_bytes(&self.stop, self.check_every),
            NUMBER * 13,
            problem.f.memory(space),
            problem.g.memory(space),
        ]))
    }
}

/// The numbers of an iteration, on the device.
#[derive(Debug)]
struct Numbers {
    tau: Array,
    /// Of which the share is made that `y` is ahead.
    momentum: Array,
}

/// What is known of a step, on the device.
#[derive(Debug)]
struct Known {
    /// `f(y)`, `f(x⁺)`, `Re <∇f(y), x⁺ - y>`
    values: [Array; 3],
    /// `‖x⁺ - y‖²`, `‖x⁺‖²`, `Re <x⁺ - y, x⁺ - x>`
    lengths: [Array; 3],
    /// The share of the last step that `y` is ahead, and 1 if the step is taken, else 0.
    ahead: Array,
    go: Array,
    /// `‖∇f(y)‖²`, the largest so far.
    largest: Array,
}

/// A run.
#[derive(Debug)]
struct Run<'a> {
    f: &'a dyn Smooth,
    g: &'a dyn Proximal,
    backtracking: bool,
    accelerated: bool,
    epsilon: f64,
    x: Array,
    y: Array,
    /// The next `x`.
    next: Array,
    gradient: Array,
    /// Where models are put together.
    model: Array,
    now: Numbers,
    after: Numbers,
    known: Known,
}

/// What rounding makes of `f(y)`, and of steps, in `ε`.
const SLACK: f64 = 10.0;
const ROUNDING: f64 = 4.0;

impl<'a> Run<'a> {
    fn new(
        method: &ProximalGradient,
        problem: Composite<'a>,
        (on, scratch): (&dyn Executor, &mut Scratch),
        space: &Space,
        x: Array,
    ) -> Result<Self> {
        let step = if let Some(step) = method.step {
            step
        } else {
            let found = problem.f.lipschitz(on, space)?;
            found.filter(|found| *found > 0.0 && found.is_finite()).map_or(1.0, f64::recip)
        };
        let wide = widest_real(on.device());
        let mut take = || scratch.take(on, space.shape(), space.dtype());
        let (mut y, mut next, gradient, model) = (take()?, take()?, take()?, take()?);
        let mut numbers = || {
            let (tau, momentum) = (scratch.number(on, step)?, scratch.number(on, 1.0)?);
            Ok::<_, crate::Error>(Numbers { tau, momentum })
        };
        let (now, after) = (numbers()?, numbers()?);
        let mut number = || scratch.take(on, &[], wide);
        let values = [number()?, number()?, number()?];
        let lengths = [number()?, number()?, number()?];
        let (ahead, go, largest) = (number()?, number()?, scratch.number(on, 0.0)?);
        let known = Known { values, lengths, ahead, go, largest };
        y.assign_on(on, &x)?;
        next.assign_on(on, &x)?;
        Ok(Self {
            f: problem.f,
            g: problem.g,
            backtracking: method.backtracking,
            accelerated: method.accelerated,
            epsilon: epsilon(space.dtype()),
            x,
            y,
            next,
            gradient,
            model,
            now,
            after,
            known,
        })
    }

    /// Whether the step is taken, and the numbers after it.
    fn decide(&mut self, on: &dyn Executor) -> Result<()> {
        let Self { known, now, after, .. } = self;
        let [value, next, slope, moved, size, against, tau, momentum] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(input);
        let (one, zero) = (|| constant(1.0), || constant(0.0));
        let go = if self.backtracking {
            let most = value.clone() + slope + constant(0.5) * moved.clone() / tau.clone();
            let slack = constant(SLACK * self.epsilon) * value.abs();
            // Of what is infinite there is no share.
            let excess = (next - most - slack).min(constant(1e30));
            one() - above(excess, zero())
        } else {
            one()
        };
        let rounding = constant((ROUNDING * self.epsilon).powi(2)) * size;
        let keeps = if self.accelerated {
            above(moved, rounding) * (one() - above(zero(), against))
        } else {
            zero()
        };
        let four = constant(4.0) * momentum.clone() * momentum.clone();
        let grown = constant(0.5) * (one() + (one() + four).sqrt());
        let share = keeps.clone() * (momentum.clone() - one()) / grown.clone();
        let taken = keeps.clone() * grown + (one() - keeps);
        let momentum = go.clone() * taken + (one() - go.clone()) * momentum;
        let tau = tau * (constant(0.5) + constant(0.5) * go.clone());
        let Known { values, lengths, ahead, go: goes, .. } = known;
        let scalars = values.iter().chain(&*lengths).chain([&now.tau, &now.momentum]);
        let inputs: Vec<_> = scalars.map(Array::view).collect();
        let outputs = [
            (tau, after.tau.view_mut()),
            (momentum, after.momentum.view_mut()),
            (share, ahead.view_mut()),
            (go, goes.view_mut()),
        ];
        Ok(on.map_many(&inputs, outputs)?)
    }

    /// The next `x` and `y`.
    fn go(&mut self, on: &dyn Executor) -> Result<()> {
        let ahead = input(0) + input(2) * (input(0) - input(1));
        let Known { ahead: share, go, .. } = &self.known;
        let inputs = [&self.next, &self.x, share, go].map(Array::view);
        if !self.backtracking {
            on.map(&ahead, &inputs[..3], self.y.view_mut())?;
            std::mem::swap(&mut self.x, &mut self.next);
            return Ok(());
        }
        let stay = || constant(1.0) - input(3);
        let kept = || arrayspan_kernels::previous().mul_or_zero(stay());
        on.map(&(ahead.mul_or_zero(input(3)) + kept()), &inputs, self.y.view_mut())?;
        let inputs = [&self.next, go].map(Array::view);
        let kept = arrayspan_kernels::previous().mul_or_zero(constant(1.0) - input(1));
        Ok(on.map(&(input(0).mul_or_zero(input(1)) + kept), &inputs, self.x.view_mut())?)
    }
}

impl Recurrence for Run<'_> {
    fn iterate(
        &mut self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        column: &mut Column<'_>,
    ) -> Result<()> {
        let Self { f, g, x, y, next, gradient, model, now, known, .. } = self;
        let [value, value_after, slope] = &mut known.values;
        f.gradient(on, scratch, y.view(), gradient.view_mut(), value.view_mut())?;
        model.assign_on(on, &*y - &now.tau * &*gradient)?;
        g.prox(on, scratch, model.view(), now.tau.view(), next.view_mut())?;
        model.assign_on(on, &*next - &*y)?;
        if self.backtracking {
            f.value(on, scratch, next.view(), value_after.view_mut())?;
            real_dot(on, gradient, model, &mut *slope)?;
        }
        let [moved, size, against] = &mut known.lengths;
        model.norm_squared_into(on, &mut *moved)?;
        next.norm_squared_into(on, &mut *size)?;
        if self.accelerated {
            (model.conj() * (&*next - &*x)).re().sum_into(on, &mut *against)?;
        }
        column.row(PRIMAL)?.assign_on(on, &*moved)?;
        column.row(PRIMAL_SCALE)?.assign_on(on, &*size)?;
        column.row(DUAL)?.assign_on(on, &*moved / &now.tau / &now.tau)?;
        gradient.norm_squared_into(on, &mut known.go)?;
        known.largest.update_on(on, |most| most.maximum(&known.go))?;
        column.row(DUAL_SCALE)?.assign_on(on, &known.largest)?;

        self.decide(on)?;
        self.go(on)?;
        std::mem::swap(&mut self.now, &mut self.after);
        Ok(())
    }

    fn kept(&mut self) -> Vec<&mut Array> {
        let Self { x, y, next, now, known, .. } = self;
        vec![x, y, next, &mut now.tau, &mut now.momentum, &mut known.largest]
    }

    fn fixed(&self) -> Vec<(&'static str, f64)> {
        let flags = [("backtracking", self.backtracking), ("acceleration", self.accelerated)];
        flags.map(|(name, flag)| (name, f64::from(u8::from(flag)))).into()
    }

    fn solution(&self) -> &Array {
        &self.x
    }

    fn finish(self: Box<Self>, scratch: &mut Scratch) -> Array {
        let Self { x, y, next, gradient, model, now, after, known, .. } = *self;
        let numbers = [now, after].into_iter().flat_map(|numbers| [numbers.tau, numbers.momentum]);
        let Known { values, lengths, ahead, go, largest } = known;
        let all = [y, next, gradient, model, ahead, go, largest].into_iter();
        let all = all.chain(numbers).chain(values).chain(lengths);
        scratch.give_all(all);
        x
    }
}
