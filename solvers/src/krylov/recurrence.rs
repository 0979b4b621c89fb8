//! The recurrence of [`Cgls`](super::Cgls): its vectors and one step.

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::{
    self as kernels, Executor, Expression, Reduction, Update, constant, input, previous,
};
use arrayspan_operators::{LinearMap, LinearOperator, Space, Workspace};

use super::Cgls;
use super::freeze::Scalars;
use crate::fit::Fit;
use crate::history::{History, Norms, Scalar, column};
use crate::scale::Scale;
use crate::{Error, Result};

/// What the next scalars are computed of.
const SCALARS: [Scalar; 5] =
    [Scalar::Gradient, Scalar::Residual, Scalar::Bound, Scalar::Lowest, Scalar::Objective];

/// The vectors of [`Cgls`](super::Cgls), for one operator on one device; usable for many right-hand sides.
#[derive(Debug)]
pub struct CglsWorkspace {
    /// `y - A x`
    residual: Array,
    /// `A c`
    image: Array,
    /// `Aᴴ (y - A x) - damping² x`
    gradient: Array,
    /// The conjugate direction, `c`.
    direction: Array,
    pub(super) history: History,
    /// `‖A c‖²`, then `damping² ‖c‖²`.
    curvature: [Array; 2],
    operator: Workspace,
}

impl CglsWorkspace {
    /// For `a` on `on`, `look` iterations from one look to the next, with scalars of that dtype.
    pub(super) fn new(
        a: &(impl LinearMap + ?Sized),
        on: &dyn Executor,
        look: usize,
        scalars: DType,
    ) -> Result<Self> {
        let array = |space: &Space| on.empty(space.shape(), space.dtype());
        let (model, data) = (a.domain(), a.range());
        let scalar = || on.empty(&[], scalars);
        Ok(Self {
            residual: array(data)?,
            image: array(data)?,
            gradient: array(model)?,
            direction: array(model)?,
            history: History::new(on, scalars, look)?,
            curvature: [scalar()?, scalar()?],
            operator: Workspace::of(a, on)?,
        })
    }

    /// Fails unless it is one for `a` on the device.
    pub(super) fn check(&self, fit: Fit, a: &(impl LinearMap + ?Sized)) -> Result<()> {
        fit.array("the workspace's residual", a.range(), &self.residual.view())?;
        fit.array("the workspace's gradient", a.domain(), &self.gradient.view())?;
        fit.device("the workspace's history", self.history.view().device())?;
        let (expected, found) = (a.workspace(), self.operator.bytes());
        if found < expected {
            let (solver, operator) = (fit.solver, a.name().to_owned());
            return Err(Error::Workspace { solver, operator, expected, found });
        }
        Ok(())
    }
}

/// One solution under way.
pub(super) struct Run<'a, A: ?Sized> {
    pub(super) w: &'a mut CglsWorkspace,
    pub(super) on: &'a dyn Executor,
    pub(super) a: &'a A,
    pub(super) damping: f64,
    pub(super) x: Array,
    pub(super) scale: Scale,
    /// The squared norm of the scaled data.
    data: f64,
    /// The squared norm of what is to be explained: the data, or more with a start vector.
    whole: f64,
    /// The scalars of the next column, the same expression for all iterations.
    next: Expression,
}

impl<'a, A: LinearMap + ?Sized> Run<'a, A> {
    /// The state before the first iteration, and its norms. Waits for it.
    pub(super) fn begin(
        w: &'a mut CglsWorkspace,
        on: &'a dyn Executor,
        a: &'a A,
        damping: f64,
        y: View<'_>,
        start: Option<Array>,
    ) -> Result<(Self, Norms)> {
        on.copy(y.clone(), w.residual.view_mut(), Update::set())?;
        let started = start.is_some();
        let x = if let Some(x) = start {
            let subtract = Update::new(-1.0, 1.0);
            a.apply_with(&mut w.operator, on, x.view(), w.residual.view_mut(), subtract)?;
            x
        } else {
            let mut x = on.empty(a.domain().shape(), a.domain().dtype())?;
            on.map(&constant(0.0), &[], x.view_mut())?;
            x
        };
        let (scale, next) = (Scale::default(), constant(0.0));
        let mut run = Self { w, on, a, damping, x, scale, data: 0.0, whole: 0.0, next };
        run.scale_data(y.clone(), started)?;
        if damping > 1.0 {
            let (dtype, scalars) = (a.range().dtype(), run.w.history.dtype());
            run.scale = run.scale.of_operator(dtype, scalars, damping).unwrap_or(run.scale);
            run.can_damp(dtype)?;
        }
        let mut seen = run.descend_first(started)?;
        if run.scale_operator(&seen)? {
            seen = run.descend_first(started)?;
        }
        run.whole = crate::read::reals(&run.w.history.get(Scalar::Objective, 0)?)?[0];
        run.data = if started {
            squared(on, &mut run.w.curvature[0], y, run.scale.data)?
        } else {
            run.whole
        };
        run.whole = run.whole.max(run.data);
        run.next = run.scalars();
        let (gradient, direction) = (run.w.gradient.view(), run.w.direction.view_mut());
        on.copy(gradient, direction, Update::set())?;
        Ok((run, seen))
    }

    /// Fails where `damping²` is beyond the dtype's numbers however it is scaled.
    fn can_damp(&self, dtype: DType) -> Result<()> {
        let damping = self.damping;
        match kernels::fit(damping * (damping * self.scale.operator), dtype) {
            kernels::Fit::Held | kernels::Fit::TooSmall => Ok(()),
            _ => {
                let why =
                    format!("damping {damping:e} is too large to be computed with in {dtype}");
                Err(Error::Parameter { solver: Cgls::NAME, why })
            }
        }
    }

    /// `‖y‖`
    pub(super) fn data(&self) -> f64 {
        self.data.sqrt() / self.scale.data
    }

    /// Chooses the scale of data and models, and scales what there is.
    fn scale_data(&mut self, y: View<'_>, started: bool) -> Result<()> {
        let (on, [first, second]) = (self.on, &mut self.w.curvature);
        let mut sizes = vec![largest(on, first, y)?];
        if started {
            sizes.push(largest(on, second, self.w.residual.view())?);
        }
        let size = sizes.into_iter().fold(0.0, f64::max);
        self.scale = Scale::of_data(self.a.range().dtype(), self.w.history.dtype(), size);
        if !self.scale.is_one() {
            let scaled = previous() * constant(self.scale.data);
            on.map(&scaled, &[], self.w.residual.view_mut())?;
            on.map(&scaled, &[], self.x.view_mut())?;
        }
        Ok(())
    }

    /// Chooses the scale of the operator, if the first gradient looks as if it needed one.
    fn scale_operator(&mut self, seen: &Norms) -> Result<bool> {
        // With the scale of the data, which both have and which the unscaled gradient may not survive.
        let (mut residual, mut gradient) =
            (seen.last().0 * self.scale.data, seen.scaled_gradient());
        if !gradient.is_normal() {
            // The square has left the range of scalars; the elements need not have.
            let [one, other] = &mut self.w.curvature;
            residual = largest(self.on, one, self.w.residual.view())?;
            gradient = largest(self.on, other, self.w.gradient.view())?;
        }
        gradient /= self.scale.operator;
        let (dtype, scalars) = (self.a.range().dtype(), self.w.history.dtype());
        let Some(guess) = self.scale.of_operator(dtype, scalars, gradient / residual) else {
            return Ok(false);
        };
        // Near a solution gradients are small, whatever the operator is; its image is not.
        let (w, on) = (&mut *self.w, self.on);
        let unit = constant(guess.operator / self.scale.operator) * input(0);
        on.map(&unit, &[w.gradient.view()], w.direction.view_mut())?;
        let (direction, image) = (w.direction.view(), w.image.view_mut());
        let update = Update::new(guess.operator, 0.0);
        self.a.apply_with(&mut w.operator, on, direction, image, update)?;
        let [image_norm, direction_norm] = &mut w.curvature;
        let image = squared(on, image_norm, w.image.view(), 1.0)?;
        let direction = squared(on, direction_norm, w.direction.view(), 1.0)?;
        let norm = (image / direction).sqrt() / guess.operator;
        let scale = self.scale.of_operator(dtype, scalars, norm.max(self.damping));
        let scale = scale.unwrap_or(self.scale);
        let other = scale != self.scale;
        self.scale = scale;
        Ok(other)
    }

    /// The first gradient and the scalars that belong to it, on the host, too.
    fn descend_first(&mut self, started: bool) -> Result<Norms> {
        self.descend(0)?;
        let (residual, gradient) = (input(0), input(1));
        let [_, model] = &mut self.w.curvature;
        // Without a start vector the model is zero.
        let mut objective = residual;
        if started && self.damping != 0.0 {
            // Not `damping²`, which may overflow where the product does not.
            let pull = (constant(self.damping) * input(0)).abs2();
            self.on.sum(&pull, &[self.x.view()], model.view_mut())?;
            objective = objective + input(2);
        }
        let state = [constant(1.0), constant(0.0), gradient, objective];
        let [_, model] = &self.w.curvature;
        let others = if started && self.damping != 0.0 { vec![model.view()] } else { Vec::new() };
        let state = column(state, 2 + others.len());
        self.w.history.begin(self.on, &others, &state)?;
        let mut seen = Norms::default();
        self.w.history.read(0, self.scale, &mut seen)?;
        Ok(seen)
    }

    /// One step along the conjugate direction. All of it is enqueued; nothing comes to the host.
    ///
    /// With `μ` the scale of the operator this is the recurrence for `μ A` and the model `x / μ`.
    pub(super) fn iterate(&mut self, step: usize) -> Result<()> {
        let (w, on, operator) = (&mut *self.w, self.on, self.scale.operator);
        let (direction, image) = (w.direction.view(), w.image.view_mut());
        self.a.apply_with(&mut w.operator, on, direction, image, Update::new(operator, 0.0))?;
        let [image_norm, direction_norm] = &mut w.curvature;
        on.sum(&input(0).abs2(), &[w.image.view()], image_norm.view_mut())?;
        if self.damping != 0.0 {
            let pull = constant(self.damping * operator) * input(0);
            on.sum(&pull.abs2(), &[w.direction.view()], direction_norm.view_mut())?;
        }
        self.advance(step)?;

        let (w, on) = (&mut *self.w, self.on);
        let length = w.history.get(Scalar::Step, step + 1)?;
        let forward = previous() + constant(operator) * input(1) * input(0);
        on.map(&forward, &[w.direction.view(), length.clone()], self.x.view_mut())?;
        let back = previous() - input(1) * input(0);
        on.map(&back, &[w.image.view(), length], w.residual.view_mut())?;
        self.descend(step + 1)?;

        let w = &mut *self.w;
        let scalars = [
            w.history.get(Scalar::Gradient, step + 1)?,
            w.history.get(Scalar::Gradient, step)?,
            w.history.get(Scalar::Step, step + 1)?,
        ];
        // Once the step is zero the direction is the gradient, which stays as it is.
        let ratio = input(1).div_or_zero(input(2)) * input(3).div_or_zero(input(3));
        let [new, old, length] = scalars;
        let inputs = [w.gradient.view(), new, old, length];
        let conjugate = input(0) + ratio * previous();
        Ok(on.map(&conjugate, &inputs, w.direction.view_mut())?)
    }

    /// Enqueues the length of the step, and the scalars that tell when it is zero.
    fn advance(&mut self, step: usize) -> Result<()> {
        let w = &mut *self.w;
        let [image_norm, direction_norm] = &w.curvature;
        let others = [image_norm.view(), direction_norm.view()];
        let others = &others[..if self.damping == 0.0 { 1 } else { 2 }];
        w.history.advance(self.on, step, &SCALARS, others, &self.next)
    }

    /// The length of the step, zero at the rounding level, and the scalars that tell: of [`SCALARS`], `‖A c‖²` and, with
    /// damping, `damping² ‖c‖²`.
    fn scalars(&self) -> Expression {
        let [gradient, residual, bound, lowest, objective] = [0, 1, 2, 3, 4].map(input);
        let damped = self.damping != 0.0;
        let (curvature, misfit) = if damped {
            (input(5) + input(6), residual.max(objective))
        } else {
            (input(5), residual)
        };
        let bound = bound.max(curvature.clone().div_or_zero(gradient.clone()));
        let lowest = lowest.min(gradient.clone());
        let decides = Scalars {
            gradient: gradient.clone(),
            lowest: lowest.clone(),
            bound: bound.clone(),
            objective: misfit.clone(),
        };
        let go = decides.go(self.a.range().dtype(), self.whole);
        let length = go * gradient.clone().div_or_zero(curvature);
        // Without damping the residual is the objective, and nobody reads this one.
        let objective = if damped { misfit - length.clone() * gradient } else { misfit };
        column([length, bound, lowest, objective], SCALARS.len() + if damped { 2 } else { 1 })
    }

    /// The gradient and both norms, for column `step`.
    fn descend(&mut self, step: usize) -> Result<()> {
        let (w, on, operator) = (&mut *self.w, self.on, self.scale.operator);
        let mut update = Update::new(operator, 0.0);
        if self.damping != 0.0 {
            let pull = Update::new(-self.damping * (self.damping * operator), 0.0);
            on.copy(self.x.view(), w.gradient.view_mut(), pull)?;
            update = Update::new(operator, 1.0);
        }
        let (residual, gradient) = (w.residual.view(), w.gradient.view_mut());
        self.a.apply_adjoint_with(&mut w.operator, on, residual, gradient, update)?;
        let square = input(0).abs2();
        on.sum(&square, &[w.residual.view()], w.history.get_mut(Scalar::Residual, step)?)?;
        Ok(on.sum(&square, &[w.gradient.view()], w.history.get_mut(Scalar::Gradient, step)?)?)
    }

    /// The model without its scale: a copy, if it has one.
    pub(super) fn unscaled(&self) -> Result<Option<Array>> {
        if self.scale.is_one() {
            return Ok(None);
        }
        let mut x = self.on.empty(self.x.shape(), self.x.dtype())?;
        let factor = constant(self.scale.data.recip());
        self.on.map(&(factor * input(0)), &[self.x.view()], x.view_mut())?;
        Ok(Some(x))
    }

    /// Whether all elements of a model are finite. Waits for them.
    pub(super) fn is_finite(&mut self, x: &Array) -> Result<bool> {
        Ok(largest(self.on, &mut self.w.curvature[0], x.view())? < f64::INFINITY)
    }
}

/// The largest absolute value; NaN if any is. Waits for it.
fn largest(on: &dyn Executor, scalar: &mut Array, x: View<'_>) -> Result<f64> {
    let axes: Vec<usize> = (0..x.shape().len()).collect();
    on.reduce(Reduction::Maximum, &input(0).abs(), &[x], &axes, scalar.view_mut())?;
    Ok(crate::read::reals(&scalar.view())?[0])
}

/// `‖scale · x‖²`. Waits for it.
fn squared(on: &dyn Executor, scalar: &mut Array, x: View<'_>, scale: f64) -> Result<f64> {
    on.sum(&(constant(scale) * input(0)).abs2(), &[x], scalar.view_mut())?;
    Ok(crate::read::reals(&scalar.view())?[0])
}
