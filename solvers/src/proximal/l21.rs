//! The sum of the lengths of groups.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Axis, View, ViewMut};
use arrayspan_kernels::{Executor, Vector};
use arrayspan_operators::Space;

use super::radial::{FEW, Level, Radial, lengths};
use super::{Proximal, Scratch};
use crate::parameters::{not_negative, wrong};
use crate::{Result, bytes};

/// `f(x) = w Σ √Σ |x|²`: the sum of the lengths of vectors that lie along an axis, `w ≥ 0`. Behind a
/// [`Gradient`](arrayspan_operators::Gradient), along axis 0, it is the isotropic total variation.
///
/// `prox` makes each vector shorter by `step w`; that of the conjugate makes none longer than `w`. Vectors of up to 8 elements take one
/// launch, longer ones five. No square leaves the dtype. Golden: pyproximal 0.13 `L21`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{L21, Proximal};
///
/// let x = Array::from_slice(&[3.0, 0.375, 4.0, 0.5], [2, 2])?; // the vectors (3, 4) and (0.375, 0.5)
/// let f = L21::new(1.0, 0)?;
/// assert_eq!(f.at(&x)?, 5.625);
/// let short = f.proximal(&x, 2.5)?.to_vec::<f64>()?;
/// assert_eq!(short, [1.5, 0.0, 2.0, 0.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct L21 {
    weight: f64,
    axis: isize,
}

impl L21 {
    const NAME: &'static str = "L21";

    /// Of vectors along `axis`; -1 is the last one.
    ///
    /// # Errors
    /// A weight that is not a finite number of at least 0.
    pub fn new(weight: f64, axis: isize) -> Result<Self> {
        Ok(Self { weight: not_negative(Self::NAME, "weight", weight)?, axis })
    }

    fn axis(&self, shape: &[usize]) -> Result<usize> {
        let axis = Axis::from(self.axis).of(shape.len());
        axis.map_or_else(
            || {
                let why = format!("axis {} is none of an array of shape {shape:?}", self.axis);
                wrong(Self::NAME, why)
            },
            Ok,
        )
    }
}

impl Proximal for L21 {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, _: Device) -> Result<()> {
        self.axis(space.shape()).map(drop)
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let axis = self.axis(x.shape())?;
        let lengths = lengths(on, scratch, (x, axis))?;
        (self.weight * &lengths).sum_into(on, out)?;
        scratch.give(lengths);
        Ok(())
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let axis = self.axis(x.shape())?;
        let level = [step];
        let level = Level::times(self.weight, &level);
        Radial::Shrink.groups(on, scratch, (x, axis), &level, out)
    }

    fn prox_conjugate(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        _: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let axis = self.axis(x.shape())?;
        Radial::Clip.groups(on, scratch, (x, axis), &Level::fixed(self.weight), out)
    }

    fn memory(&self, space: &Space) -> usize {
        let len = self.axis(space.shape()).map_or(1, |axis| space.shape()[axis]).max(1);
        bytes::of_real(space).saturating_add(bytes::of_real(space).div_ceil(len).saturating_mul(2))
    }

    fn conjugate_memory(&self, space: &Space) -> usize {
        let few = self.axis(space.shape()).is_ok_and(|axis| space.shape()[axis] <= FEW);
        if few { 0 } else { self.memory(space) }
    }
}
