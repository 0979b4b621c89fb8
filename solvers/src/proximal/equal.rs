//! Copies of one array.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, Reduction, Vector, VectorMut, input};
use arrayspan_operators::Space;

use super::arithmetic::indicate;
use super::{Proximal, Scratch};
use crate::parameters::wrong;
use crate::{Result, bytes};

/// `f(x) = 0` where `x[0] = x[1] = …`, the arrays along axis 0, and infinity elsewhere, however little they differ.
///
/// `prox` gives each the mean of all. With a sum over [`Blocks`](super::Blocks) along axis 0 it is the consensus form of a sum of functions of one
/// array, each of which sees a copy of its own. In pyproximal: `ConsensusADMM`.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{Equal, Proximal};
///
/// let x = Array::from_slice(&[1.0, 2.0, 3.0, 6.0], [2, 2])?;
/// assert_eq!(Equal.at(&x)?, f64::INFINITY);
/// let means = Equal.proximal(&x, 1.0)?;
/// assert_eq!(means.to_vec::<f64>()?, [2.0, 4.0, 2.0, 4.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Equal;

impl Equal {
    const NAME: &'static str = "Equal";
}

impl Proximal for Equal {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, _: Device) -> Result<()> {
        if space.shape().first().is_none_or(|copies| *copies == 0) {
            return wrong(Self::NAME, format!("{space} has no copies along a first axis"));
        }
        Ok(())
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let first = x.clone().sliced(0, 0, 1)?;
        let mut apart = scratch.take(on, x.shape(), x.dtype())?;
        apart.assign_on(on, &x - &first)?;
        apart.abs().max_into(on, out.reborrow())?;
        scratch.give(apart);
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
        let mut sums = scratch.take(on, &x.shape()[1..], x.dtype())?;
        // Divided before they are added: sums of large numbers might be beyond all.
        let share = input(0) * (1.0 / x.shape()[0] as f64);
        on.reduce(Reduction::Sum, &share, &[x], &[0], sums.view_mut())?;
        out.assign_on(on, &sums)?;
        scratch.give(sums);
        Ok(())
    }

    fn memory(&self, space: &Space) -> usize {
        2 * bytes::of_real(space)
    }
}
