//! How a run begins and ends.

use std::time::Duration;

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::VectorMut;

use super::history::Norms;
use super::read::{largest, reals, squared};
use super::run::{Method, Run};
use super::scale::{epsilon, power, times};
use super::system::squared_into;
use crate::{Result, Stopped};

impl<M: Method> Run<'_, M> {
    /// The state before the first iteration, and its norms, of each right-hand side. Waits for it.
    pub(crate) fn begin(&mut self) -> Result<Vec<Norms>> {
        let on = self.on;
        if !self.started {
            self.x.assign_on(on, 0.0)?;
        }
        let seen = self.scaled(self.damping)?;
        let objective = |seen: &Norms| seen.column[M::OBJECTIVE];
        let mut wholes: Vec<f64> = seen.iter().map(objective).collect();
        self.forget_damping(&seen, &wholes);
        self.data = if self.started { self.squared_data()? } else { wholes.clone() };
        for (whole, data) in wholes.iter_mut().zip(&self.data) {
            *whole = whole.max(*data);
        }
        self.whole = wholes.iter().copied().fold(0.0, f64::max);
        self.w.history.explain(on, &wholes)?;
        M::measure(self)?;
        M::turn(self)?;
        Ok(seen)
    }

    /// Takes damping for none that is far below the rounding errors of the operator, `ε² ‖A‖`: what it adds to gradient and misfit is
    /// lost in them, and residual and gradient of data that are explained would fall below all numbers before it shows.
    fn forget_damping(&mut self, seen: &[Norms], objectives: &[f64]) {
        if !M::DESCENDS || self.damping == 0.0 {
            return;
        }
        let epsilon = epsilon(self.y.dtype());
        // Damping has no more than `damping √objective` of the gradient, so that most of it is `Aᴴ r`, and that is at most
        // `‖A‖ √objective`.
        let little = |(seen, objective): (&Norms, &f64)| {
            *objective == 0.0
                || self.damping * objective.sqrt() < epsilon.powi(2) * seen.scaled_gradient()
        };
        if seen.iter().zip(objectives).all(little) {
            self.damping = 0.0;
        }
    }

    /// The squared norm of the data, scaled, of each right-hand side. Waits for it.
    pub(crate) fn squared_data(&mut self) -> Result<Vec<f64>> {
        let data = times(self.scale.data, self.y.dtype(), &self.y);
        if let Some(columns) = self.w.history.columns() {
            let mut squares = self.on.empty(&[columns], self.w.history.dtype())?;
            squared_into(self.on, &data, &mut squares)?;
            return reals(&squares.view());
        }
        Ok(vec![squared(self.on, &mut self.w.number, &data)?])
    }

    /// `‖y‖`, scaled, of that right-hand side.
    pub(crate) fn scaled_data(&self, column: usize) -> f64 {
        self.data[column].sqrt()
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

    /// Whether what was seen of a right-hand side is enough: `data` is the norm of it, scaled.
    pub(crate) fn judge(&self, seen: &Norms, data: f64, elapsed: Duration) -> Option<Stopped> {
        let done = self.damped_alone && seen.iterations() > 0;
        let frozen = seen.frozen.then(|| M::frozen(&seen.column, self.x.dtype()));
        let judged = self.method.stop().judge(seen, data, frozen, elapsed);
        // A square that is none: of a preconditioner that is not positive.
        let gradient = seen.column.get(self.method.gradient());
        let negative = seen.scaled_residual.is_finite() && gradient.is_some_and(|g| *g < 0.0);
        // Or of one that maps a residual to nothing that it has a part along.
        let conditioned = self.method.preconditioner().is_some();
        let left = conditioned && seen.scaled_residual > 0.0;
        let none = left && gradient.is_some_and(|g| *g == 0.0);
        let judged = match judged {
            Some(Stopped::NotFinite) if negative => Some(Stopped::Indefinite),
            Some(Stopped::Gradient) if none => Some(Stopped::Indefinite),
            judged => judged,
        };
        judged.or(done.then_some(Stopped::Precision))
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
        let mut lost = self.lost[0];
        // Operators of methods that do not descend are not scaled: their models may leave the dtype while the residuals of the recurrence fall.
        if unscaled.is_some() || !M::DESCENDS {
            let size = largest(on, scalar, unscaled.unwrap_or(&self.x))?;
            if !size.is_finite() {
                return Ok(Stopped::NotFinite);
            }
            let vanished = unscaled.is_some() && size < least_normal(self.x.dtype());
            lost |= vanished && largest(on, scalar, &self.x)? > 0.0;
        }
        Ok(if lost { Stopped::Underflow } else { stopped })
    }
}

/// The smallest normal number of a dtype.
pub(super) fn least_normal(dtype: DType) -> f64 {
    if dtype.real() == DType::Float32 { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE }
}
