//! Convolutions with filters at places by sums of products.

use arrayspan_kernels::{Along, VaryingConvolution};
use num_complex::Complex64;

use super::bank::Places;
use super::filter_pass::Pass;
use crate::{Operator, Result, Space};

/// Products that take as long as it takes to transform a sample of a window and back: on one H200 some thousands, on its host as many.
const PRODUCTS: f64 = 1000.0;

/// Results that go through the same filters together, along the last axis, the one before and the first of three.
const TOGETHER: [usize; 3] = [32, 8, 1];

/// Whether products take less time than transforms of windows.
pub(super) fn is_cheaper(places: &[Places]) -> bool {
    let (mut products, mut transformed) = (1.0, PRODUCTS);
    for (places, together) in places.iter().rev().zip(TOGETHER) {
        let (taps, distance) = (places.taps() as f64, places.distance());
        // Together they have the filters of all places that they reach, and of two between which these are.
        let filters = 2.0 + (together as f64 + taps - 1.0) / distance;
        products *= taps * filters.min(places.count() as f64);
        transformed *= 2.0 + taps / distance;
    }
    products <= transformed
}

/// With taps of filters, `[places…, taps…]` along all axes of a space.
pub(super) fn operator(
    name: &'static str,
    space: Space,
    places: &[Places],
    taps: &[Complex64],
) -> Result<Operator> {
    let along = places.iter().enumerate().map(|(axis, places)| Along {
        axis,
        extent: space.shape()[axis],
        places: places.at().to_vec(),
        taps: places.taps(),
        offset: places.taps() / 2,
    });
    let forward = VaryingConvolution::new(&along.collect::<Vec<_>>(), taps)?;
    Ok(Operator::new(Pass::new(name, space, forward)))
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
