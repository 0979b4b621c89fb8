//! Sums of functions of parts of an array.

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Relayout, View, ViewMut};
use arrayspan_kernels::{Executor, VectorMut, widest_real};
use arrayspan_operators::Space;

use super::functional::NUMBER;
use super::{Proximal, Scratch};
use crate::parameters::wrong;
use crate::{Result, bytes};

/// `f(x) = Σ fₖ(xₖ)`, where `xₖ` are parts of `x` that lie one after the other along axis 0, as the data of `vstack`.
///
/// Each function is one of an array of as many axes as `x` has. What a part costs is what its function costs.
///
/// ```
/// use arrayspan_bridge::Array;
/// use arrayspan_solvers::proximal::{Blocks, Bounds, L1, Proximal};
///
/// let f = Blocks::default().and(2, L1::new(1.0)?).and(1, Bounds::new(0.0, 1.0)?);
/// let x = Array::from_slice(&[3.0, -0.5, 7.0], [3])?;
/// assert_eq!(f.proximal(&x, 1.0)?.to_vec::<f64>()?, [2.0, 0.0, 1.0]);
/// # Ok::<(), arrayspan_solvers::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    parts: Vec<(usize, Arc<dyn Proximal>)>,
}

/// What is done with each part of an array and of another one.
type Each<'f> = &'f mut dyn FnMut(&dyn Proximal, View<'_>, ViewMut<'_>) -> Result<()>;

impl Blocks {
    const NAME: &'static str = "Blocks";

    /// A further part, of so many indices of axis 0.
    #[must_use]
    pub fn and(mut self, extent: usize, f: impl Proximal + 'static) -> Self {
        self.parts.push((extent, Arc::new(f)));
        self
    }

    fn spaces(&self, space: &Space) -> Result<Vec<Space>> {
        let shape = space.shape();
        let total: usize = self.parts.iter().map(|(extent, _)| extent).sum();
        if shape.first() != Some(&total) {
            let why = format!("the parts have {total} indices of axis 0, the arrays are {space}");
            return wrong(Self::NAME, why);
        }
        let part = |(extent, _): &(usize, _)| {
            let mut shape = shape.to_vec();
            shape[0] = *extent;
            Ok(Space::new(shape, space.dtype())?)
        };
        self.parts.iter().map(part).collect()
    }

    fn each(&self, x: &View<'_>, out: ViewMut<'_>, each: Each<'_>) -> Result<()> {
        let (mut rest, mut first) = (out, 0);
        for (extent, f) in &self.parts {
            let (part, left) = rest.split_at(0, *extent)?;
            each(&**f, x.clone().sliced(0, first, *extent)?, part)?;
            (rest, first) = (left, first + extent);
        }
        Ok(())
    }
}

impl Proximal for Blocks {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn check(&self, space: &Space, device: Device) -> Result<()> {
        let spaces = self.spaces(space)?;
        self.parts.iter().zip(&spaces).try_for_each(|((_, f), space)| f.check(space, device))
    }

    fn value(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        mut out: ViewMut<'_>,
    ) -> Result<()> {
        let mut one = scratch.take(on, &[], widest_real(on.device()))?;
        out.assign_on(on, 0.0)?;
        let mut first = 0;
        for (extent, f) in &self.parts {
            f.value(on, scratch, x.clone().sliced(0, first, *extent)?, one.view_mut())?;
            out.update_on(on, |sum| sum + &one)?;
            first += extent;
        }
        scratch.give(one);
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
        self.each(&x, out, &mut |f, x, out| f.prox(on, scratch, x, step.clone(), out))
    }

    fn prox_conjugate(
        &self,
        on: &dyn Executor,
        scratch: &mut Scratch,
        x: View<'_>,
        step: View<'_>,
        out: ViewMut<'_>,
    ) -> Result<()> {
        self.each(&x, out, &mut |f, x, out| f.prox_conjugate(on, scratch, x, step.clone(), out))
    }

    fn memory(&self, space: &Space) -> usize {
        let parts = self.spaces(space).unwrap_or_default();
        let parts = self.parts.iter().zip(&parts).map(|((_, f), space)| f.memory(space));
        bytes::total(parts.chain([NUMBER]))
    }

    fn conjugate_memory(&self, space: &Space) -> usize {
        let parts = self.spaces(space).unwrap_or_default();
        let parts = self.parts.iter().zip(&parts).map(|((_, f), space)| f.conjugate_memory(space));
        bytes::total(parts)
    }
}
