//! The sum of absolute values.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{SharedArray, View, ViewMut};
use arrayspan_kernels::{Executor, Vector};
use arrayspan_operators::Space;

use super::arithmetic::{fits, write};
use super::radial::{Level, Radial};
use super::{Proximal, Scratch};
use crate::parameters::not_negative;
use crate::{Result, bytes};

/// `f(x) = Σ wᵢ |xᵢ|` with weights `w ≥ 0`, one for all or one for each element.
///
/// `prox` is soft thresholding, `max(|x| - step w, 0) x / |x|`, of complex numbers, too; that of the conjugate clips moduli at `w`,
/// exactly. One launch each. Golden: pyproximal 0.13 `L1`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{L1, Proximal};
///
/// let x = Array::from_slice(&[3.0, -1.0, 0.5], [3])?;
/// let f = L1::new(2.0)?;
/// assert_eq!(f.at(&x)?, 9.0);
/// assert_eq!(f.proximal(&x, 0.5)?.to_vec::<f64>()?, [2.0, 0.0, 0.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct L1 {
    weight: f64,
    weights: Option<SharedArray>,
}

impl L1 {
    const NAME: &'static str = "L1";

    /// One weight for all elements.
    ///
    /// # Errors
    /// A weight that is not a finite number of at least 0.
    pub fn new(weight: f64) -> Result<Self> {
        Ok(Self { weight: not_negative(Self::NAME, "weight", weight)?, weights: None })
    }

    /// Weights that broadcast to the arrays it is a function of: real ones of their precision, at least 0, which is not checked.
    pub fn weighted(weights: impl Into<SharedArray>) -> Self {
        Self { weight: 1.0, weights: Some(weights.into()) }
    }
}

impl Proximal for L1 {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, device: Device) -> Result<()> {
        match &self.weights {
            Some(weights) => {
                let dtypes = [space.dtype().real()];
                fits(Self::NAME, "weights", &weights.view(), (space, &dtypes), device)
            }
            None => Ok(()),
        }
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let Some(weights) = &self.weights else {
            return Ok((self.weight * x.abs()).sum_into(on, out)?);
        };
        let mut absolute = scratch.take(on, x.shape(), x.dtype().real())?;
        write(on, absolute.view_mut(), x.abs())?;
        (&absolute * weights).sum_into(on, out)?;
        scratch.give(absolute);
        Ok(())
    }

    fn prox(
        &self,
        on: &dyn Executor,
        _: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        match &self.weights {
            Some(weights) => {
                let inputs = [step, weights.view()];
                Radial::Shrink.each(on, x, &Level::product(&inputs), out)
            }
            None => Radial::Shrink.each(on, x, &Level::times(self.weight, &[step]), out),
        }
    }

    fn prox_conjugate(
        &self,
        on: &dyn Executor,
        _: &mut Scratch,
        x: View<'_>,
        _: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        match &self.weights {
            Some(weights) => Radial::Clip.each(on, x, &Level::alone(&[weights.view()]), out),
            None => Radial::Clip.each(on, x, &Level::fixed(self.weight), out),
        }
    }

    fn memory(&self, space: &Space) -> usize {
        if self.weights.is_some() { bytes::of_real(space) } else { 0 }
    }

    fn conjugate_memory(&self, _: &Space) -> usize {
        0
    }
}
