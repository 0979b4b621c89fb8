//! Convolutions by sums of products.

use std::sync::Arc;

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Convolution as Taps, Update};

use super::filter::Filter;
use crate::{Context, LinearMap, Result, Space};

/// A filter along several axes, in both directions, each in one pass.
#[derive(Debug)]
pub(super) struct Direct {
    name: &'static str,
    space: Space,
    forward: Taps,
    adjoint: Taps,
}

impl Direct {
    pub(super) fn new(name: &'static str, space: &Space, filter: &Filter) -> Result<Self> {
        let Filter { axes, extents, offsets, taps } = filter;
        let forward = Taps::new(axes, extents, taps, offsets)?;
        Ok(Self { name, space: space.clone(), adjoint: forward.adjoint(), forward })
    }
}

impl LinearMap for Direct {
    fn name(&self) -> &str {
        self.name
    }

    fn domain(&self) -> &Space {
        &self.space
    }

    fn range(&self) -> &Space {
        &self.space
    }

    fn enqueue(&self, on: Context<'_>, x: View<'_>, y: ViewMut<'_>, update: Update) -> Result<()> {
        Ok(on.convolve(&self.forward, x, y, update)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        Ok(on.convolve(&self.adjoint, y, x, update)?)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        let lifted = || {
            let shape = [before, self.space.shape(), behind].concat();
            let space = Space::of(self.name, shape, self.space.dtype())?;
            let [forward, adjoint] =
                [&self.forward, &self.adjoint].map(|taps| taps.behind(before.len()));
            Ok(Arc::new(Self { name: self.name, space, forward, adjoint }) as Arc<dyn LinearMap>)
        };
        Some(lifted())
    }
}
