//! How a run of [`Cgls`](super::Cgls) begins and ends.

use arrayspan_bridge::{Array, DType, View};
use arrayspan_kernels::{Executor, Update, VectorMut, constant};
use arrayspan_operators::LinearMap;

use super::recurrence::Run;
use super::workspace::CglsWorkspace;
use crate::history::{Norms, Scalar};
use crate::read::{largest, reals, squared};
use crate::scale::{Scale, times};
use crate::{Result, Stopped};

impl<'a, A: LinearMap + ?Sized> Run<'a, A> {
    /// A run that has computed nothing yet; `x` is where it starts, or where its model goes.
    pub(super) fn new(
        w: &'a mut CglsWorkspace,
        on: &'a dyn Executor,
        a: &'a A,
        damping: f64,
        y: View<'a>,
        (x, started): (Array, bool),
    ) -> Self {
        let (scale, next) = (Scale::default(), constant(0.0));
        let (data, whole, lost, damped_alone) = (0.0, 0.0, false, false);
        Self { w, on, a, y, x, started, scale, damping, data, whole, lost, damped_alone, next }
    }

    /// The state before the first iteration, and its norms. Waits for it.
    pub(super) fn begin(&mut self) -> Result<Norms> {
        let on = self.on;
        if !self.started {
            self.x.assign_on(on, 0.0)?;
        }
        let seen = self.scaled(self.damping)?;
        self.whole = reals(&self.w.history.get(Scalar::Objective, 0)?)?[0];
        self.data = if self.started {
            let data = times(self.scale.data, self.y.dtype(), &self.y);
            squared(on, &mut self.w.curvature[0], &data)?
        } else {
            self.whole
        };
        self.whole = self.whole.max(self.data);
        self.turn()?;
        Ok(seen)
    }

    /// Makes the first gradient the first direction.
    pub(super) fn turn(&mut self) -> Result<()> {
        self.next = self.scalars();
        let (gradient, direction) = (self.w.gradient.view(), self.w.direction.view_mut());
        Ok(self.on.copy(gradient, direction, Update::set())?)
    }

    /// `‖y‖`, scaled.
    pub(super) fn scaled_data(&self) -> f64 {
        self.data.sqrt()
    }

    /// The model without its scale: a copy, if it has one.
    pub(super) fn unscaled(&self) -> Result<Option<Array>> {
        if self.scale.model() == 0 {
            return Ok(None);
        }
        let mut x = self.on.empty(self.x.shape(), self.x.dtype())?;
        x.assign_on(self.on, times(-self.scale.model(), self.x.dtype(), &self.x))?;
        Ok(Some(x))
    }

    /// How a run ends that would end with `stopped`, and whose model without its scale is `unscaled`. Waits for it.
    pub(super) fn outcome(
        &mut self,
        stopped: Stopped,
        unscaled: Option<&Array>,
    ) -> Result<Stopped> {
        if stopped == Stopped::NotFinite {
            return Ok(stopped);
        }
        let (on, scalar) = (self.on, &mut self.w.curvature[0]);
        let mut lost = self.lost;
        if let Some(x) = unscaled {
            let size = largest(on, scalar, x)?;
            if !size.is_finite() {
                return Ok(Stopped::NotFinite);
            }
            let least = match x.dtype().real() {
                DType::Float32 => f32::MIN_POSITIVE.into(),
                _ => f64::MIN_POSITIVE,
            };
            lost |= size < least && largest(on, scalar, &self.x)? > 0.0;
        }
        Ok(if lost { Stopped::Underflow } else { stopped })
    }
}
