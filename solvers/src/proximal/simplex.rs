//! Elements that are shares of a whole.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Executor, Vector, VectorMut, widest_real};
use arrayspan_operators::Space;

use super::arithmetic::{indicate, real_only};
use super::threshold::{Threshold, slack};
use super::{Proximal, Scratch};
use crate::Result;
use crate::parameters::positive;

/// `f(x) = 0` where `x ≥ 0` and `Σ x = radius`, and infinity elsewhere. Real dtypes.
///
/// That the sum is the radius is judged by `4 ε √n radius`, for `n` elements that are rounded. `prox` is the projection
/// `max(x - θ, 0)`; the `θ` is found on the device by Newton's method, without sorting, in a dozen passes mostly, and is exact to rounding, of
/// the radius, not of `x`. The host looks every 8 passes whether it is found, and waits then.
///
/// Reference: Condat, Math. Program. 158 (2016) 575. Golden: pyproximal 0.13 `Simplex`, by bisection.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{Proximal, Simplex};
///
/// let x = Array::from_slice(&[3.0, 2.5, 0.0], [3])?;
/// let shares = Simplex::new(1.0)?.proximal(&x, 1.0)?;
/// assert_eq!(shares.to_vec::<f64>()?, [0.75, 0.25, 0.0]);
/// assert_eq!(Simplex::new(1.0)?.at(&shares)?, 0.0);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Simplex {
    radius: f64,
}

impl Simplex {
    const NAME: &'static str = "Simplex";

    /// With this sum.
    ///
    /// # Errors
    /// A radius that is not a finite number above 0.
    pub fn new(radius: f64) -> Result<Self> {
        Ok(Self { radius: positive(Self::NAME, "radius", radius)? })
    }
}

impl Proximal for Simplex {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, _: Device) -> Result<()> {
        real_only(Self::NAME, space)
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut sum = scratch.take(on, &[], widest_real(on.device()))?;
        x.sum_into(on, &mut sum)?;
        x.min_into(on, out.reborrow())?;
        let allowed = slack(x.layout().len(), x.dtype()) * self.radius;
        let off = ((&sum - self.radius).abs() - allowed).maximum(0.0);
        out.update_on(on, |least| off + (0.0 - least).maximum(0.0))?;
        scratch.give(sum);
        indicate(on, out)
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        _: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        if x.layout().is_empty() {
            return Ok(());
        }
        let found = Threshold::find(on, scratch, &x, self.radius)?;
        out.assign_on(on, (&found.lowered - &found.threshold).maximum(0.0))?;
        found.give(scratch);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        Threshold::memory(space)
    }
}
