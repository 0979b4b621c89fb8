//! Phases that are products of a frequency and two places, both evenly spaced, by transforms.
//!
//! `exp(2πi f (a + i d) (b + j e))` for all pairs `i`, `j`: as `2 i j = i² + j² - (j - i)²`, it is a convolution along `i` with phases
//! of the square, between phases of each side (Bluestein). For `n` places this takes `n log n` operations in place of `n²`, and no matrix.

use std::f64::consts::TAU;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::vectors::{collected, filled};
use arrayspan_kernels::Fourier;
use num_complex::Complex64;

use super::Spectrum;
use super::fftnd::along;
use super::filter_spectral::{smooth, transformed};
use super::line_weights::line_weights;
use crate::number::ZERO;
use crate::{Error, Formula, LinearMap as _, Operator, Result, Space, adjoint};

/// Places that are evenly spaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) first: f64,
    pub(super) step: f64,
    pub(super) count: usize,
}

impl Line {
    /// The line that places lie on, but for rounding, if there is one.
    pub(super) fn of(places: &[f64]) -> Option<Self> {
        let (first, last) = (*places.first()?, *places.last()?);
        let count = places.len();
        let step = (last - first) / (count - 1).max(1) as f64;
        let most = 1e-12 * places.iter().fold(0.0, |most: f64, place| most.max(place.abs()));
        let near = |(at, place): (usize, &f64)| (first + at as f64 * step - place).abs() <= most;
        places.iter().enumerate().all(near).then_some(Self { first, step, count })
    }
}

/// `y[…, j, f, …] = Σᵢ exp(2πi frequency(f) to(j) from(i)) x[…, i, f, …]` along `axis` of complex arrays, whose frequencies lie along the next
/// one.
pub(super) fn chirp(
    name: &'static str,
    space: &Space,
    axis: usize,
    [from, to]: [Line; 2],
    frequencies: &[f64],
) -> Result<Operator> {
    let count = frequencies.len();
    let fits = space.shape().get(axis..axis + 2) == Some(&[from.count, count][..]);
    if !fits || to.count == 0 || from.count == 0 {
        let why = format!("phases of {} places and {count} frequencies for {space}", from.count);
        return Error::parameter(name, why);
    }
    let points = smooth(from.count + to.count - 1);
    let curvature = from.step * to.step / 2.0;
    // The turns of each place, in units of a frequency.
    let inner = |i: usize| {
        let i = i as f64;
        i * from.step * to.first + curvature * i * i
    };
    let outer = |j: usize| {
        let j = j as f64;
        from.first * (to.first + j * to.step) + curvature * j * j
    };
    let inner = phases(name, space, axis, from.count, frequencies, inner)?;
    let fourier = Fourier::new(axis, points)?;
    let there = along(name, space.clone(), fourier.of_extent(from.count))?;
    let kernel = kernel(name, points, [from.count, to.count], curvature, frequencies)?;
    let bins = there.range().clone();
    let kernel = diagonal(name, &bins, axis, [points, count], kernel)?;
    let mut shape = space.shape().to_vec();
    shape[axis] = to.count;
    let range = Space::of(name, shape, space.dtype())?;
    let scaled = fourier.of_extent(to.count).scaled(1.0 / points as f64)?;
    let back = adjoint(&along(name, range.clone(), scaled)?);
    let outer = phases(name, &range, axis, to.count, frequencies, outer)?;
    let product = Formula::from(outer).after(back).after(kernel).after(there).after(inner);
    Ok(product.build()?.named(name))
}

/// The spectrum of `exp(-2πi f curvature d²)` for distances `d` from the last place of one side to the last one of the other.
fn kernel(
    name: &'static str,
    points: usize,
    [from, to]: [usize; 2],
    curvature: f64,
    frequencies: &[f64],
) -> Result<Vec<Complex64>> {
    let count = frequencies.len();
    let mut kernel = filled(points.saturating_mul(count), ZERO)?;
    for distance in 1 - from as isize..to as isize {
        let place = distance.rem_euclid(points as isize) as usize;
        let square = (distance as f64).powi(2);
        let row = kernel[place * count..].iter_mut().zip(frequencies);
        row.for_each(|(number, frequency)| *number = phase(-frequency * curvature * square));
    }
    let shape = [points, count];
    transformed(name, &shape, &[0], DType::Complex128, Spectrum::Full, &kernel)
}

/// Phases of so many turns for each place and unit of frequency.
fn phases(
    name: &'static str,
    space: &Space,
    axis: usize,
    places: usize,
    frequencies: &[f64],
    turns: impl Fn(usize) -> f64,
) -> Result<Operator> {
    let all = (0..places).flat_map(|place| {
        let turns = turns(place);
        frequencies.iter().map(move |frequency| phase(frequency * turns))
    });
    let weights = collected(places.saturating_mul(frequencies.len()), all)?;
    diagonal(name, space, axis, [places, frequencies.len()], weights)
}

/// Weights of two neighbouring axes.
fn diagonal(
    name: &'static str,
    space: &Space,
    axis: usize,
    extents: [usize; 2],
    weights: Vec<Complex64>,
) -> Result<Operator> {
    let form = line_weights(name, axis, &extents, weights)?;
    Operator::of(name, space.clone(), space.clone(), form)
}

/// `exp(2πi turns)`, of whole turns nothing.
pub(super) fn phase(turns: f64) -> Complex64 {
    let (sin, cos) = (TAU * (turns - turns.round())).sin_cos();
    Complex64::new(cos, sin)
}
