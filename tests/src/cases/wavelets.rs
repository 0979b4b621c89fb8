//! What discrete wavelet transforms read and write.

use arrayspan_bridge::DType;
use arrayspan_operators::Wavelet;

use super::table;
use crate::suite::Moves;

/// The matrix of a level along an axis with so many samples, and zeros behind them, in the first rows of as many as the axis has then.
pub(super) fn level(wavelet: &str, [own, extent]: [usize; 2], level: usize) -> Vec<Vec<f64>> {
    // Cannot fail: the operator is made of the same.
    let filters = Wavelet::named(wavelet).map_or_else(|_| Default::default(), |own| own.analysis());
    let samples = extent >> level;
    let mut matrix = vec![vec![0.0; own]; extent];
    for (number, filter) in filters.iter().enumerate() {
        for (k, row) in matrix[number * samples / 2..][..samples / 2].iter_mut().enumerate() {
            for (tap, weight) in filter.iter().enumerate() {
                let at = (filter.len() / 2 + 2 * k + filter.len() * samples - tap) % samples;
                if at < own {
                    row[at] += weight;
                }
            }
        }
    }
    for (at, row) in matrix.iter_mut().enumerate().skip(samples) {
        row[at] = 1.0;
    }
    matrix
}

/// The product of two matrices.
pub(super) fn product(outer: &[Vec<f64>], inner: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let columns = inner.first().map_or(0, Vec::len);
    let element = |row: &[f64], column: usize| {
        row.iter().zip(inner).map(|(weight, inner)| weight * inner[column]).sum()
    };
    outer.iter().map(|row| (0..columns).map(|column| element(row, column)).collect()).collect()
}

/// One launch that applies a matrix along an axis, with so many other indices.
pub(super) fn applied(matrix: &[Vec<f64>], others: usize, dtype: DType) -> [Moves; 2] {
    let columns = matrix.first().map_or(0, Vec::len);
    let named = |row: &Vec<f64>| (0..columns).filter(|&column| row[column] != 0.0).collect();
    let rows: Vec<Vec<usize>> = matrix.iter().map(named).collect();
    table::moves(&rows, columns, others, Some(dtype.real()))
}

/// The first level along an axis, and all others in one launch.
pub(super) fn first_apart(
    wavelet: &str,
    [own, extent]: [usize; 2],
    levels: usize,
    others: usize,
    dtype: DType,
) -> [Moves; 2] {
    let first = applied(&level(wavelet, [own, extent], 0), others, dtype);
    let next = |inner: Vec<Vec<f64>>, number| product(&level(wavelet, [extent; 2], number), &inner);
    let second = level(wavelet, [extent; 2], 1);
    let further = applied(&(2..levels).fold(second, next), others, dtype);
    [first[0].then(further[0]), further[1].then(first[1])]
}

/// All levels along an axis in one launch.
pub(super) fn at_once(
    wavelet: &str,
    [own, extent]: [usize; 2],
    levels: usize,
    others: usize,
    dtype: DType,
) -> [Moves; 2] {
    let first = level(wavelet, [own, extent], 0);
    let next = |inner: Vec<Vec<f64>>, number| product(&level(wavelet, [extent; 2], number), &inner);
    applied(&(1..levels).fold(first, next), others, dtype)
}
