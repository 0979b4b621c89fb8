//! `Convolve1D`: odd and even filters, every position of time zero, every axis, complex filters, by transforms, a filter for each signal.

use arrayspan_bridge::DType;
use arrayspan_operators::{Convolution, Convolve1D, Result};
use num_complex::Complex64;

use super::{fourier, golden_array, space};
use crate::suite::{Case, Cell, Moves};

/// One launch that reads and writes each value once; the filter is in the kernel.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let mut cases = vec![
        golden(&[11], 0, 1, "odd"),
        golden(&[11], 0, 2, "even"),
        golden(&[11], 0, 0, "causal"),
        golden(&[11], 0, 4, "anticausal"),
        golden(&[7, 5], 0, 1, "axis0"),
        golden(&[5, 7], 1, 1, "axis1"),
        golden(&[2, 7, 3], 1, 3, "middle"),
        golden(&[11], 0, 0, "one_tap"),
        golden(&[7], 0, 2, "as_long"),
        golden(&[1, 5], 0, 0, "single"),
        // A filter as long as the axis, an axis of one sample, a filter of one tap.
        given(&[5, 3], 0, 2, &[1.0, -2.0, 0.5, 4.0, 0.25]),
        given(&[3, 1], 1, 0, &[-1.5]),
        given(&[13, 17], 1, 0, &[2.0]),
    ];
    cases.push(by_blocks(&[11], 0, 2, "even", Convolution::Fourier));
    cases.push(by_blocks(&[7, 5], 0, 1, "axis0", Convolution::Blocks));
    cases.push(by_blocks(&[2, 7, 3], 1, 3, "middle", Convolution::Fourier));
    cases.push(by_one(dtype, &[2, 7, 3], 1, 3, "middle", 10));
    // Arrays of coefficients, or of spectra.
    let coefficients = |taps: usize, len: usize, others: usize| Moves::one(len + taps * others, len);
    cases.push(each(&[3, 11], 1, 1, "each_last", coefficients(3, 33, 3)));
    cases.push(each(&[7, 2, 3], 0, 2, "each_axis0", coefficients(4, 42, 6)));
    let bins = if dtype.is_complex() { 24 } else { 24 / 2 + 1 };
    let spectra = fourier::filtered(dtype, &[34, 2 * bins], 2 * bins);
    cases.push(each(&[2, 17, 1], 1, 3, "each_long", spectra));
    if dtype.is_complex() {
        cases.push(golden(&[11], 0, 1, "complex"));
        cases.push(by_blocks(&[11], 0, 1, "complex", Convolution::Blocks));
        cases.push(by_one(dtype, &[11], 0, 1, "complex", 14));
    }
    cases
}

/// By transforms of blocks, in one launch that reads and writes each value once.
fn by_blocks(shape: &[usize], axis: isize, offset: usize, key: &str, method: Convolution) -> Case {
    let len: usize = shape.iter().product();
    let moves = Moves::one(len, len);
    spectral(shape, axis, offset, key, method).moves(moves, moves)
}

/// By one transform of so many points: to a spectrum, over that, and back.
fn by_one(
    dtype: DType,
    shape: &[usize],
    axis: isize,
    offset: usize,
    key: &str,
    points: usize,
) -> Case {
    let len: usize = shape.iter().product();
    let bins = if dtype.is_complex() { points } else { points / 2 + 1 };
    let all = len / shape[axis as usize] * bins;
    let [there, back] = fourier::spectra_of(dtype, &[len, all]);
    let [product, _] = fourier::weighted(dtype, all, bins);
    let moves = there.then(product).then(back);
    spectral(shape, axis, offset, key, Convolution::Whole).moves(moves, moves)
}

/// By transforms.
fn spectral(shape: &[usize], axis: isize, offset: usize, key: &str, method: Convolution) -> Case {
    let key = format!("convolve1d/{key}");
    let name = format!("{key} along axis {axis} of {shape:?}, {method:?}");
    let (shape, of_key) = (shape.to_vec(), key.clone());
    let make = move |cell: &Cell| {
        let filter = golden_array(cell, &of_key, "filter")?.numbers;
        Convolve1D::by(space(cell, &shape)?, axis, &filter, offset, method)
    };
    Case::new(name, make).golden(key)
}

/// A filter for each signal.
fn each(shape: &[usize], axis: isize, offset: usize, key: &str, moves: Moves) -> Case {
    let key = format!("convolve1d/{key}");
    let (shape, of_key) = (shape.to_vec(), key.clone());
    let make = move |cell: &Cell| {
        let filters = cell.array(&golden_array(cell, &of_key, "filter")?)?;
        Convolve1D::each(space(cell, &shape)?, axis, filters.into_shared(), offset)
    };
    Case::new(key.clone(), make).moves(moves, moves).golden(key)
}

fn golden(shape: &[usize], axis: isize, offset: usize, key: &str) -> Case {
    let key = format!("convolve1d/{key}");
    let name = format!("{key} along axis {axis} of {shape:?}");
    let filter = {
        let key = key.clone();
        move |cell: &Cell| Ok(golden_array(cell, &key, "filter")?.numbers)
    };
    case(name, shape, axis, offset, filter).golden(key)
}

fn given(shape: &[usize], axis: isize, offset: usize, filter: &[f64]) -> Case {
    let name = format!("{} taps along axis {axis} of {shape:?}", filter.len());
    let filter: Vec<Complex64> = filter.iter().map(|&tap| tap.into()).collect();
    case(name, shape, axis, offset, move |_| Ok(filter.clone()))
}

fn case(
    name: String,
    shape: &[usize],
    axis: isize,
    offset: usize,
    filter: impl Fn(&Cell) -> Result<Vec<Complex64>> + Send + Sync + 'static,
) -> Case {
    let len = shape.iter().product();
    let shape = shape.to_vec();
    let make =
        move |cell: &Cell| Convolve1D::new(space(cell, &shape)?, axis, &filter(cell)?, offset);
    Case::new(name, make).moves(Moves::one(len, len), Moves::one(len, len))
}
