//! Convolutions with filters that change from place to place.

use arrayspan_kernels::{Along, Update, VaryingConvolution};
use num_complex::Complex64;

use super::convolve::size;
use super::tensor::{Expected, Tensor, indices};
use super::updated;

/// The weight of a place at a sample.
fn hat(along: &Along, place: usize, sample: usize) -> f64 {
    let at = |place: usize| along.places[place] as f64;
    let (last, sample) = (along.places.len() - 1, sample as f64);
    if place == 0 && sample <= at(0) || place == last && sample >= at(last) {
        1.0
    } else if sample <= at(place) && place > 0 {
        (1.0 - (at(place) - sample) / (at(place) - at(place - 1))).max(0.0)
    } else if sample > at(place) && place < last {
        (1.0 - (sample - at(place)) / (at(place + 1) - at(place))).max(0.0)
    } else {
        0.0
    }
}

/// The sums of products of taps that are not zero, with samples whose places have a weight.
pub fn convolve_varying(
    convolution: &VaryingConvolution,
    x: &Tensor,
    y: &Tensor,
    update: Update,
) -> Expected {
    let along = convolution.along();
    let counts: Vec<usize> = along.iter().map(|along| along.places.len()).collect();
    let taps: Vec<usize> = along.iter().map(|along| along.taps).collect();
    let times: Vec<Vec<usize>> = indices(&taps).collect();
    let real = convolution.is_real();
    let product = |tap: Complex64, x: Complex64| if real { x * tap.re } else { tap * x };
    let transposed = convolution.is_transposed();
    let element = |index: Vec<usize>| {
        let mut sum = (Complex64::default(), 0.0);
        for (number, place) in indices(&counts).enumerate() {
            for (at, time) in times.iter().enumerate() {
                let tap = convolution.filters()[number * times.len() + at];
                let (mut from, mut there, mut weight) = (index.clone(), true, 1.0);
                for ((along, &place), &time) in along.iter().zip(&place).zip(time) {
                    let own = &mut from[along.axis];
                    let moved = if transposed {
                        (*own + time).checked_sub(along.offset)
                    } else {
                        (*own + along.offset).checked_sub(time)
                    };
                    there = there && moved.is_some_and(|moved| moved < along.extent);
                    *own = moved.unwrap_or(0);
                    weight *= hat(along, place, if transposed { index[along.axis] } else { *own });
                }
                if there && weight > 0.0 && tap != Complex64::ZERO {
                    let term = product(tap, x.at(&from) * weight);
                    sum = (sum.0 + term, sum.1 + size(term));
                }
            }
        }
        if update == Update::set() { sum } else { updated(update, sum, y.at(&index)) }
    };
    let (values, scale) = indices(&y.shape).map(element).unzip();
    Expected { result: Tensor::new(&y.shape, values), scale, terms: 4 * times.len() + 4 }
}
