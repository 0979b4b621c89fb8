//! How a run begins and ends.

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::VectorMut;

use super::history::Norms;
use super::read::{largest, reals, squared};
use super::run::{Method, Run};
use super::scale::{epsilon, power, times};
use crate::{Result, Stopped};

impl<M: Method> Run<'_, M> {
    /// The state before the first iteration, and its norms. Waits for it.
    pub(crate) fn begin(&mut self) -> Result<Norms> {
        let on = self.on;
        if !self.started {
            self.x.assign_on(on, 0.0)?;
        }
        let seen = self.scaled(self.damping)?;
        self.whole = reals(&self.w.history.get(M::OBJECTIVE, 0)?)?[0];
        self.forget_damping(&seen, self.whole);
        self.data = if self.started { self.squared_data()? } else { self.whole };
        self.whole = self.whole.max(self.data);
        M::measure(self)?;
        M::turn(self)?;
        Ok(seen)
    }

    /// Takes damping for none that is far below the rounding errors of the operator, `ε² ‖A‖`: what it adds to gradient and misfit is
    /// lost in them, and residual and gradient of data that are explained would fall below all numbers before it shows.
    fn forget_damping(&mut self, seen: &Norms, objective: f64) {
        if !M::DESCENDS || self.damping == 0.0 {
            return;
        }
        let epsilon = epsilon(self.y.dtype());
        // Damping has no more than `damping √objective` of the gradient, so that most of it is `Aᴴ r`, and that is at most
        // `‖A‖ √objective`.
        if self.damping * objective.sqrt() < epsilon.powi(2) * seen.scaled_gradient() {
            self.damping = 0.0;
        }
    }

    /// The squared norm of the data, scaled. Waits for it.
    pub(crate) fn squared_data(&mut self) -> Result<f64> {
        let data = times(self.scale.data, self.y.dtype(), &self.y);
        squared(self.on, &mut self.w.number, &data)
    }

    /// `‖y‖`, scaled.
    pub(crate) fn scaled_data(&self) -> f64 {
        self.data.sqrt()
    }

    /// A scaled norm of data in the units of the data.
    pub(crate) fn unscaled_data(&self, norm: f64) -> f64 {
        power(-self.scale.data, norm)
    }

    /// The model without its scale: a copy, if it has one.
    pub(crate) fn unscaled(&self) -> Result<Option<Array>> {
        if self.scale.model() == 0 {
            return Ok(None);
        }
        let mut x = self.on.empty(self.x.shape(), self.x.dtype())?;
        x.assign_on(self.on, times(-self.scale.model(), self.x.dtype(), &self.x))?;
        Ok(Some(x))
    }

    /// How a run ends that would end with `stopped`, and whose model without its scale is `unscaled`. Waits for it.
    pub(crate) fn outcome(
        &mut self,
        stopped: Stopped,
        unscaled: Option<&Array>,
    ) -> Result<Stopped> {
        if stopped == Stopped::NotFinite {
            return Ok(stopped);
        }
        let (on, scalar) = (self.on, &mut self.w.number);
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
