//! The length of an array.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Executor, Vector, VectorMut, constant, input, widest_real};
use arrayspan_operators::Space;

use super::functional::NUMBER;
use super::{Proximal, Scratch};
use crate::Result;
use crate::parameters::not_negative;

/// `f(x) = w ‖x‖₂`, `w ≥ 0`: one vector, which is either zero or has a length.
///
/// `prox` makes it shorter by `step w`; that of the conjugate no longer than `w`. Three launches. Golden: pyproximal 0.13 `Euclidean`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{L2, Proximal};
///
/// let x = Array::from_slice(&[3.0, -4.0], [2])?;
/// assert_eq!(L2::new(1.0)?.at(&x)?, 5.0);
/// assert_eq!(L2::new(1.0)?.proximal(&x, 2.5)?.to_vec::<f64>()?, [1.5, -2.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct L2 {
    weight: f64,
}

impl L2 {
    const NAME: &'static str = "L2";

    /// With this weight.
    ///
    /// # Errors
    /// A weight that is not a finite number of at least 0.
    pub fn new(weight: f64) -> Result<Self> {
        Ok(Self { weight: not_negative(Self::NAME, "weight", weight)? })
    }
}

impl Proximal for L2 {
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
        x.norm_into(on, out.reborrow())?;
        Ok(out.update_on(on, |norm| self.weight * norm)?)
    }

    fn prox(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let mut norm = scratch.take(on, &[], widest_real(on.device()))?;
        x.norm_into(on, &mut norm)?;
        let left = (input(1) - input(2) * self.weight).max(constant(0.0));
        let share = left.div_or_zero(input(1));
        on.map(&(share * input(0)), &[x, norm.view(), step], out)?;
        scratch.give(norm);
        Ok(())
    }

    fn prox_conjugate(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        _: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        let mut norm = scratch.take(on, &[], widest_real(on.device()))?;
        x.norm_into(on, &mut norm)?;
        let share = input(1).min(constant(self.weight)).div_or_zero(input(1));
        on.map(&(share * input(0)), &[x, norm.view()], out)?;
        scratch.give(norm);
        Ok(())
    }

    fn memory(&self, _: &Space) -> usize {
        NUMBER
    }

    fn conjugate_memory(&self, _: &Space) -> usize {
        NUMBER
    }
}
