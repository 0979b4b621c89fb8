//! Convolutions with filters at places by sums of products.

use std::sync::Arc;

use arrayspan_bridge::{View, ViewMut};
use arrayspan_kernels::{Along, Update, VaryingConvolution};
use num_complex::Complex64;

use super::bank::Places;
use crate::{Context, LinearMap, Result, Space};

/// Products that take as long as it takes to transform a sample of a window and back: on one H200 some thousands, on its host as many.
const PRODUCTS: f64 = 1000.0;

/// Results that go through the same filters together, along the last axis, the one before and the first of three.
const TOGETHER: [usize; 3] = [32, 8, 1];

/// A convolution with filters at places of all axes, in both directions, each in one pass.
#[derive(Debug)]
pub(super) struct Direct {
    name: &'static str,
    space: Space,
    forward: VaryingConvolution,
    adjoint: VaryingConvolution,
}

/// Whether products take less time than transforms of windows.
pub(super) fn is_cheaper(places: &[Places]) -> bool {
    let (mut products, mut transformed) = (1.0, PRODUCTS);
    for (places, together) in places.iter().rev().zip(TOGETHER) {
        let (taps, distance) = (places.taps() as f64, places.distance());
        // Together they have the filters of all places that they reach, and of two between which these are.
        products *= taps * (2.0 + (together as f64 + taps - 1.0) / distance);
        transformed *= 2.0 + taps / distance;
    }
    products <= transformed
}

impl Direct {
    /// With taps of filters, `[places…, taps…]` along all axes of a space.
    pub(super) fn new(
        name: &'static str,
        space: Space,
        places: &[Places],
        taps: &[Complex64],
    ) -> Result<Self> {
        let along = places.iter().enumerate().map(|(axis, places)| Along {
            axis,
            extent: space.shape()[axis],
            places: places.at().to_vec(),
            taps: places.taps(),
            offset: places.taps() / 2,
        });
        let forward = VaryingConvolution::new(&along.collect::<Vec<_>>(), taps)?;
        Ok(Self { name, space, adjoint: forward.adjoint(), forward })
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
        Ok(on.convolve_varying(&self.forward, x, y, update)?)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update,
    ) -> Result<()> {
        Ok(on.convolve_varying(&self.adjoint, y, x, update)?)
    }

    fn only_enqueues(&self) -> bool {
        true
    }

    fn batched(&self, before: &[usize], behind: &[usize]) -> Option<Result<Arc<dyn LinearMap>>> {
        let lifted = || {
            let shape = [before, self.space.shape(), behind].concat();
            let space = Space::of(self.name, shape, self.space.dtype())?;
            let [forward, adjoint] =
                [&self.forward, &self.adjoint].map(|of| of.behind(before.len()));
            Ok(Arc::new(Self { name: self.name, space, forward, adjoint }) as Arc<dyn LinearMap>)
        };
        Some(lifted())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]
mod tests {
    use arrayspan_bridge::DType;

    use super::*;

    #[test]
    fn long_filters_and_many_places_are_transformed() {
        let space = Space::new([1000, 1000], DType::Float32).unwrap();
        let cheaper = |count: usize, taps: usize| {
            let at: Vec<usize> = (0..count).map(|k| k * 1000 / count).collect();
            let places = [0, 1].map(|axis| Places::new("test", &space, axis, &at, taps).unwrap());
            is_cheaper(&places)
        };
        assert!(cheaper(1, 1) && cheaper(3, 5) && cheaper(10, 11));
        assert!(!cheaper(3, 101) && !cheaper(500, 31));
    }
}
