//! Dense convolutions.

use arrayspan_kernels::{Convolution, Update};
use num_complex::Complex64;

use super::tensor::{Expected, Tensor, indices};
use super::updated;

/// The sums of products of the taps that are not zero, with the samples that there are. The parts of complex numbers are apart unless taps
/// or factors are complex.
pub fn convolve(convolution: &Convolution, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let (axes, extents) = (convolution.axes(), convolution.extents());
    let real = convolution.is_real();
    let taps: Vec<(Vec<usize>, Complex64)> =
        indices(extents).zip(convolution.taps().iter().copied()).collect();
    let product = |tap: Complex64, x: Complex64| if real { x * tap.re } else { tap * x };
    let element = |index: Vec<usize>| {
        let mut sum = (Complex64::default(), 0.0);
        for (k, tap) in taps.iter().filter(|(_, tap)| *tap != Complex64::ZERO) {
            let mut from = index.clone();
            let there =
                axes.iter().zip(k).zip(convolution.offsets()).all(|((&axis, k), offset)| {
                    let place = (index[axis] + offset).checked_sub(*k);
                    from[axis] = place.unwrap_or(usize::MAX);
                    from[axis] < x.shape[axis]
                });
            if there {
                let term = product(*tap, x.at(&from));
                sum = (sum.0 + term, sum.1 + size(term));
            }
        }
        if update == Update::set() { sum } else { updated(update, sum, y.at(&index)) }
    };
    let (values, scale) = indices(&y.shape).map(element).unzip();
    Expected { result: Tensor::new(&y.shape, values), scale, terms: taps.len() + 2 }
}

/// The magnitude of the parts that are finite: those of the other results are not lost where one is no number.
pub(super) fn size(term: Complex64) -> f64 {
    let part = |part: f64| if part.is_finite() { part } else { 0.0 };
    part(term.re).hypot(part(term.im))
}
