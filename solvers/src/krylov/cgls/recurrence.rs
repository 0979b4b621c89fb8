//! The recurrence of [`Cgls`](super::Cgls): one step.
//!
//! Vectors are computed with in the words of the vector layer. The scalars of the next column are not: four numbers that
//! share most of what they are computed of are one call there, with the same expressions in all iterations (see
//! [`History::advance`](crate::engine::history::History::advance)).

use arrayspan_bridge::Array;
use arrayspan_kernels::{Update, Vector, VectorMut, constant, input};
use arrayspan_operators::LinearOperator;

use super::freeze::Scalars;
use crate::engine::history::{GRADIENT, RESIDUAL, STEP, State};
use crate::engine::run::{Run, explained};
use crate::engine::scale::times;
use crate::engine::system::{squared_into, update_squared};
use crate::krylov::step::{ratio, step_and_turn};
use crate::{Cgls, Result};

/// The row of a lower bound of `‖A‖²`.
const BOUND: usize = 3;
/// The row of the smallest squared norm of a gradient so far.
const LOWEST: usize = 4;
/// The row of the misfit with damping, before rounding.
pub(super) const OBJECTIVE: usize = 5;
/// How many rows there are.
pub(super) const ROWS: usize = 6;

/// What the next scalars are computed of.
const SCALARS: [usize; 5] = [GRADIENT, RESIDUAL, BOUND, LOWEST, OBJECTIVE];

/// The vectors of [`Cgls`].
#[derive(Debug)]
pub struct Vectors {
    /// `y - A x`
    pub(super) residual: Array,
    /// `A c`
    pub(super) image: Array,
    /// `Aᴴ (y - A x) - damping² x`
    pub(super) gradient: Array,
    /// The conjugate direction, `c`.
    pub(super) direction: Array,
    /// `‖A c‖²`, then `damping² ‖c‖²`.
    pub(super) curvature: [Array; 2],
}

impl Run<'_, Cgls> {
    /// Enqueues the first gradient and the scalars that belong to it.
    pub(super) fn descend_from_start(&mut self) -> Result<()> {
        let w = &mut *self.w;
        squared_into(self.on, &w.vectors.residual, w.history.get_mut(RESIDUAL, 0)?)?;
        self.descend(0)?;
        let (residual, gradient) = (input(0), input(1));
        let [_, model] = &mut self.w.vectors.curvature;
        // Without a start vector the model is zero.
        let damped = self.started && self.damping != 0.0;
        let mut objective = residual;
        if damped {
            // Not `damping²`, which may overflow where the product does not.
            squared_into(self.on, &(self.damping * &self.x), &mut *model)?;
            objective = objective + input(2);
        }
        let state = [constant(1.0), constant(0.0), gradient, objective];
        let [_, model] = &self.w.vectors.curvature;
        let others = if damped { vec![model.view()] } else { Vec::new() };
        self.w.history.begin(self.on, &others, &state)
    }

    /// One step along the conjugate direction. All of it is enqueued; nothing comes to the host.
    pub(super) fn iterate(&mut self, step: usize) -> Result<()> {
        self.forward()?;
        let (w, on) = (&mut *self.w, self.on);
        let [image_norm, direction_norm] = &mut w.vectors.curvature;
        squared_into(on, &w.vectors.image, image_norm)?;
        if self.damping != 0.0 {
            squared_into(on, &(self.damping * &w.vectors.direction), direction_norm)?;
        }
        self.advance(step)?;

        let (w, on) = (&mut *self.w, self.on);
        let damped = self.damping != 0.0;
        if damped {
            // The gradient takes it.
            let length = w.history.get(STEP, step + 1)?;
            self.x.add_scaled_on(on, length, &w.vectors.direction)?;
        }
        let (norm, length) = w.history.get_mut_before(RESIDUAL, STEP, step + 1)?;
        let (length, image) = (length.view(), &w.vectors.image);
        update_squared(on, &mut w.vectors.residual, norm, |r| r - length * image)?;
        self.descend(step + 1)?;

        let w = &mut *self.w;
        let new = w.history.get(GRADIENT, step + 1)?;
        let old = w.history.get(GRADIENT, step)?;
        let length = w.history.get(STEP, step + 1)?;
        let Vectors { direction, gradient, .. } = &mut w.vectors;
        // Once the step is zero the direction is the gradient, which stays as it is.
        if damped {
            let ratio = new.div_or_zero(&old) * length.div_or_zero(&length);
            return Ok(direction.update_on(on, |c| &*gradient + ratio * c)?);
        }
        let numbers = [length, new, old];
        let turn = |g, c| g + ratio() * c;
        step_and_turn(on, [&mut self.x, direction], gradient, numbers, input(0), turn)
    }

    /// Enqueues the length of the step, and the scalars that tell when it is zero.
    fn advance(&mut self, step: usize) -> Result<()> {
        let w = &mut *self.w;
        let [image_norm, direction_norm] = &w.vectors.curvature;
        let others = [image_norm.view(), direction_norm.view()];
        let others = &others[..if self.damping == 0.0 { 1 } else { 2 }];
        w.history.advance(self.on, step, &SCALARS, others, self.next.as_ref())
    }

    /// The length of the step, zero at the rounding level, and the scalars that tell: of [`SCALARS`], `‖A c‖²` and, with
    /// damping, `damping² ‖c‖²`.
    pub(super) fn scalars(&self) -> State {
        let [gradient, residual, bound, lowest, objective] = [0, 1, 2, 3, 4].map(input);
        let damped = self.damping != 0.0;
        let (curvature, misfit) = if damped {
            (input(5) + input(6), residual.clone().max(objective))
        } else {
            (input(5), residual.clone())
        };
        let bound = bound.max(input(5).div_or_zero(gradient.clone()));
        let lowest = lowest.min(gradient.clone());
        let decides = Scalars {
            gradient: gradient.clone(),
            lowest: lowest.clone(),
            bound: bound.clone(),
            objective: misfit.clone(),
            residual,
        };
        let inputs = SCALARS.len() + if damped { 2 } else { 1 };
        let go = decides.go(self.a.range().dtype(), |share| explained(share, inputs));
        let length = go * gradient.clone().div_or_zero(curvature);
        // Without damping the residual is the objective, and nobody reads this one.
        let objective = if damped { misfit - length.clone() * gradient } else { misfit };
        vec![length, bound, lowest, objective]
    }

    /// `μ A c`
    ///
    /// Not by an update with `μ`, which an operator may multiply by its own factors or by `c` first.
    fn forward(&mut self) -> Result<()> {
        let (w, on) = (&mut *self.w, self.on);
        let (direction, image) = (w.vectors.direction.view(), w.vectors.image.view_mut());
        self.a.apply_with(&mut w.operator, on, direction, image, Update::set())?;
        if self.scale.operator != 0 {
            let dtype = w.vectors.image.dtype();
            w.vectors.image.update_on(on, |image| times(self.scale.operator, dtype, image))?;
        }
        Ok(())
    }

    /// The gradient and its norm, for column `step`.
    fn descend(&mut self, step: usize) -> Result<()> {
        let (w, on) = (&mut *self.w, self.on);
        let (plain, damped) = (self.scale.operator == 0, self.damping != 0.0);
        let damping = self.damping * self.damping;
        if plain && damped {
            on.copy(self.x.view(), w.vectors.gradient.view_mut(), Update::new(-damping, 0.0))?;
        }
        let update = if plain && damped { Update::add() } else { Update::set() };
        let (residual, gradient) = (w.vectors.residual.view(), w.vectors.gradient.view_mut());
        self.a.apply_adjoint_with(&mut w.operator, on, residual, gradient, update)?;
        if !plain {
            let (dtype, operator) = (w.vectors.gradient.dtype(), self.scale.operator);
            w.vectors.gradient.update_on(on, |gradient| {
                let scaled = times(operator, dtype, gradient);
                if damped { scaled - damping * &self.x } else { scaled }
            })?;
        }
        squared_into(on, &w.vectors.gradient, w.history.get_mut(GRADIENT, step)?)
    }
}
