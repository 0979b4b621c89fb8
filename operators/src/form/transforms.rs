//! Fourier transforms along several axes, one after the other, as one step.

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Cost, Fourier, Update};

use crate::{Context, Result, Space, scratch_bytes};

/// Two or three transforms along axes of their own, and the spaces between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Transforms {
    pub(super) all: Vec<Fourier>,
    pub(super) between: Vec<Space>,
}

impl Transforms {
    /// The bytes of the arrays between them.
    pub(super) fn bytes(&self) -> usize {
        self.between.iter().map(scratch_bytes).fold(0, usize::saturating_add)
    }

    /// What they cost, of an array of that space.
    pub(super) fn cost(&self, from: &Space, to: &Space) -> Option<Cost> {
        let spaces = std::iter::once(from).chain(&self.between);
        let mut cost = Cost::default();
        for (fourier, space) in self.all.iter().zip(spaces) {
            cost += fourier.cost(space.shape(), to.dtype()).ok()?;
        }
        Some(cost)
    }

    /// Enqueues them.
    pub(super) fn run(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let mut on = on;
        let mut arrays = [const { None }; Fourier::MOST_JOINT - 1];
        for (array, space) in arrays.iter_mut().zip(&self.between) {
            let (between, rest) = on.scratch(space)?;
            (*array, on) = (Some(between), rest);
        }
        Ok(on.fft_axes(&self.all, x, arrays.into_iter().flatten(), y, update)?)
    }
}
