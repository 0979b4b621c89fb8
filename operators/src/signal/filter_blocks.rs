//! Convolutions along an axis by Fourier transforms of blocks.

use std::sync::Arc;

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Filter as Taps, Update};

use super::filter::Filter;
use crate::{Context, LinearMap, Result, Space};

/// From so many taps on a pass with transforms takes less than one with products: on one H100 they take as long for 350 to 700 taps
/// (`cargo test --release -p arrayspan-kernels --test filter_times -- --ignored --nocapture`).
const LONG: usize = 512;

/// A filter along one axis, in both directions.
#[derive(Debug)]
pub(super) struct Blocks {
    name: &'static str,
    space: Space,
    forward: Taps,
    adjoint: Taps,
}

/// Whether blocks have room for the filter.
pub(super) fn hold(filter: &Filter, space: &Space) -> bool {
    Taps::takes(&filter.taps, space.dtype())
}

/// Whether that takes less time than products.
pub(super) fn is_cheaper(filter: &Filter) -> bool {
    filter.taps.len() >= LONG
}

impl Blocks {
    /// Of a filter that they [`hold`].
    pub(super) fn new(name: &'static str, space: &Space, filter: &Filter) -> Result<Self> {
        let forward = Taps::new(filter.axes[0], &filter.taps, filter.offsets[0])?;
        Ok(Self { name, space: space.clone(), adjoint: forward.adjoint(), forward })
    }
}

impl LinearMap for Blocks {
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
        Ok(on.filter(&self.forward, x, y, update)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        Ok(on.filter(&self.adjoint, y, x, update)?)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        let lifted = || {
            let shape = [before, self.space.shape(), behind].concat();
            let axis = self.forward.axis() + before.len();
            let [forward, adjoint] = [&self.forward, &self.adjoint].map(|taps| taps.at_axis(axis));
            let space = Space::of(self.name, shape, self.space.dtype())?;
            Ok(Arc::new(Self { name: self.name, space, forward, adjoint }) as Arc<dyn LinearMap>)
        };
        Some(lifted())
    }
}
