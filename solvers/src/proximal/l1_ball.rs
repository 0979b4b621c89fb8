//! Arrays whose absolute values have a bounded sum.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Executor, Vector, VectorMut, constant, input, widest_real};
use arrayspan_operators::Space;

use super::arithmetic::{indicate, write};
use super::functional::NUMBER;
use super::threshold::{Threshold, slack};
use super::{Proximal, Scratch};
use crate::engine::run::above;
use crate::parameters::positive;
use crate::{Result, bytes};

/// `f(x) = 0` where `Σ |x| ≤ radius`, and infinity elsewhere; complex elements by their moduli.
///
/// That the sum is not more than the radius is judged by `4 ε √n radius`, for `n` elements that are rounded. `prox` is the projection:
/// `x` itself where it is inside, and else soft thresholding by the `θ` that leaves the sum `radius`, found as that of a
/// [`Simplex`](super::Simplex). Golden: pyproximal 0.13 `L1Ball`, by bisection.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{L1Ball, Proximal};
///
/// let x = Array::from_slice(&[3.0, -2.5, 0.0], [3])?;
/// let near = L1Ball::new(1.0)?.proximal(&x, 1.0)?;
/// assert_eq!(near.to_vec::<f64>()?, [0.75, -0.25, 0.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct L1Ball {
    radius: f64,
}

impl L1Ball {
    const NAME: &'static str = "L1Ball";

    /// With this radius.
    ///
    /// # Errors
    /// A radius that is not a finite number above 0.
    pub fn new(radius: f64) -> Result<Self> {
        Ok(Self { radius: positive(Self::NAME, "radius", radius)? })
    }
}

impl Proximal for L1Ball {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn value(
        &self,
        on: &dyn Executor,
        _: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        x.abs().sum_into(on, out.reborrow())?;
        let most = self.radius * (1.0 + slack(x.layout().len(), x.dtype()));
        out.update_on(on, |sum| (sum - most).maximum(0.0))?;
        indicate(on, out)
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        _: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        if x.layout().is_empty() {
            return Ok(());
        }
        let mut absolute = scratch.take(on, x.shape(), x.dtype().real())?;
        let mut beyond = scratch.take(on, &[], widest_real(on.device()))?;
        write(on, absolute.view_mut(), x.abs())?;
        absolute.sum_into(on, &mut beyond)?;
        let found = Threshold::find(on, scratch, &absolute.view(), self.radius)?;
        beyond.update_on(on, |sum| sum - self.radius)?;
        let [modulus, lowered, threshold, excess] = [1, 2, 3, 4].map(input);
        // 1 outside, 0 inside
        let outside = above(excess, constant(0.0));
        let shorter = outside.clone() * (lowered - threshold).max(constant(0.0));
        let size = shorter + (constant(1.0) - outside) * modulus.clone();
        let views =
            [x, absolute.view(), found.lowered.view(), found.threshold.view(), beyond.view()];
        on.map_many(&views, [(size * input(0).div_or_zero(modulus), out)])?;
        found.give(scratch);
        scratch.give(absolute);
        scratch.give(beyond);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        bytes::of_real(space).saturating_add(NUMBER).saturating_add(Threshold::memory(space))
    }
}
