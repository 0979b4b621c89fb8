//! Functions of scaled and shifted arrays, and multiples of functions.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Elementwise, SharedArray, View, ViewMut};
use arrayspan_kernels::{Executor, VectorMut, widest_real};
use arrayspan_operators::Space;

use super::arithmetic::fits;
use super::functional::NUMBER;
use super::{Proximal, Scratch};
use crate::parameters::{positive, wrong};
use crate::{Result, bytes};

/// `x ↦ factor · f(scale · x - center)`
///
/// `prox(x, step) = (prox_f(scale x - center, factor scale² step) + center) / scale`: four launches beside that of `f`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{Composed, L1, Proximal};
///
/// // 3 ‖x - b‖₁
/// let b = Array::from_slice(&[1.0, 2.0], [2])?;
/// let f = Composed::new(L1::new(1.0)?).times(3.0)?.minus(b)?;
/// let x = Array::from_slice(&[5.0, 2.5], [2])?;
/// assert_eq!(f.at(&x)?, 13.5);
/// assert_eq!(f.proximal(&x, 1.0)?.to_vec::<f64>()?, [2.0, 2.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Composed<F> {
    inner: F,
    factor: f64,
    scale: f64,
    shift: Option<SharedArray>,
}

impl<F: Proximal> Composed<F> {
    const NAME: &'static str = "Composed";

    /// The function itself.
    pub fn new(inner: F) -> Self {
        Self { inner, factor: 1.0, scale: 1.0, shift: None }
    }

    /// Times a factor.
    ///
    /// # Errors
    /// A factor that is not a finite number above 0.
    pub fn times(mut self, factor: f64) -> Result<Self> {
        self.factor *= positive(Self::NAME, "factor", factor)?;
        Ok(self)
    }

    /// Of the argument times a scale, before what was shifted so far.
    ///
    /// # Errors
    /// A scale that is zero or not finite.
    pub fn scaled(mut self, scale: f64) -> Result<Self> {
        if !scale.is_finite() || scale == 0.0 {
            return wrong(Self::NAME, format!("scale {scale} is not a finite number ≠ 0"));
        }
        self.scale *= scale;
        Ok(self)
    }

    /// Of the argument less `center`. Before the argument is scaled, and once.
    ///
    /// # Errors
    /// When it has been scaled or shifted already.
    pub fn minus(mut self, center: impl Into<SharedArray>) -> Result<Self> {
        if self.shift.is_some() || self.scale.to_bits() != 1.0_f64.to_bits() {
            return wrong(Self::NAME, "it has been scaled or shifted already");
        }
        self.shift = Some(center.into());
        Ok(self)
    }

    /// `scale x - center`
    fn inside<'v>(&'v self, x: &View<'v>) -> Elementwise<'v> {
        let scaled = self.scale * x;
        match &self.shift {
            Some(center) => scaled - center,
            None => scaled,
        }
    }
}

impl<F: Proximal> Proximal for Composed<F> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn check(&self, space: &Space, device: Device) -> Result<()> {
        if let Some(center) = &self.shift {
            fits(Self::NAME, "center", &center.view(), (space, &[space.dtype()]), device)?;
        }
        self.inner.check(space, device)
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut inside = scratch.take(on, x.shape(), x.dtype())?;
        inside.assign_on(on, self.inside(&x))?;
        self.inner.value(on, scratch, inside.view(), out.reborrow())?;
        scratch.give(inside);
        Ok(out.update_on(on, |value| self.factor * value)?)
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut inside = scratch.take(on, x.shape(), x.dtype())?;
        let mut own = scratch.take(on, &[], widest_real(on.device()))?;
        own.assign_on(on, self.factor * self.scale * self.scale * &step)?;
        inside.assign_on(on, self.inside(&x))?;
        // What the last call left, as the inner function would have left it.
        let last = self.scale * Elementwise::previous();
        match &self.shift {
            Some(center) => out.assign_on(on, last - center)?,
            None => out.assign_on(on, last)?,
        }
        self.inner.prox(on, scratch, inside.view(), own.view(), out.reborrow())?;
        let back = match &self.shift {
            Some(center) => Elementwise::previous() + center,
            None => Elementwise::previous(),
        };
        out.assign_on(on, back * (1.0 / self.scale))?;
        scratch.give(inside);
        scratch.give(own);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        self.inner.memory(space).saturating_add(bytes::of(space)).saturating_add(NUMBER)
    }
}
