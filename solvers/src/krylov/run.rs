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
    /// The state before the first iteration, and its norms. Waits for it.
    pub(super) fn begin(
        w: &'a mut CglsWorkspace,
        on: &'a dyn Executor,
        a: &'a A,
        damping: f64,
        y: View<'a>,
        start: Option<Array>,
    ) -> Result<(Self, Norms)> {
        let started = start.is_some();
        let x = if let Some(x) = start {
            x
        } else {
            let mut x = on.empty(a.domain().shape(), a.domain().dtype())?;
            x.assign_on(on, 0.0)?;
            x
        };
        let (scale, next) = (Scale::default(), constant(0.0));
        let (data, whole, lost, damped_alone) = (0.0, 0.0, false, false);
        let mut run =
            Self { w, on, a, y, x, started, scale, damping, data, whole, lost, damped_alone, next };
        let seen = run.scaled(damping)?;
        run.whole = reals(&run.w.history.get(Scalar::Objective, 0)?)?[0];
        run.data = if started {
            let data = times(run.scale.data, run.y.dtype(), &run.y);
            squared(on, &mut run.w.curvature[0], &data)?
        } else {
            run.whole
        };
        run.whole = run.whole.max(run.data);
        run.next = run.scalars();
        let (gradient, direction) = (run.w.gradient.view(), run.w.direction.view_mut());
        on.copy(gradient, direction, Update::set())?;
        Ok((run, seen))
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
