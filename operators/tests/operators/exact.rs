//! Matrices in double precision, with a measure of rounding, for operators to be compared with.

use arrayspan_bridge::DType;
use arrayspan_operators::prelude::*;
use num_complex::Complex64;
use proptest::prelude::*;

use crate::support::dense;
use crate::trees::{LEN, Tree};

/// A matrix by rows, and one of what is added up in absolute values: the measure of rounding.
#[derive(Clone)]
pub(crate) struct Exact {
    pub(crate) matrix: Vec<Vec<Complex64>>,
    pub(crate) size: Vec<Vec<f64>>,
    /// Operations from a value to a result, about.
    pub(crate) depth: f64,
}

impl Exact {
    pub(crate) fn of(operator: &Operator) -> Self {
        let columns = dense(operator);
        let entry = |i: usize, j: usize| columns[j][i];
        let rows = |i| (0..LEN).map(|j| entry(i, j)).collect::<Vec<_>>();
        let matrix: Vec<_> = (0..LEN).map(rows).collect();
        let size = matrix.iter().map(|row| row.iter().map(|v| v.norm()).collect()).collect();
        Self { matrix, size, depth: 8.0 }
    }

    pub(crate) fn each(self, change: impl Fn(Complex64) -> Complex64) -> Self {
        let matrix: Vec<Vec<_>> =
            self.matrix.iter().map(|row| row.iter().map(|v| change(*v)).collect()).collect();
        // None of the changes makes more than a multiple of what there was.
        let factor = change(1.0.into()).norm();
        let size = self.size.iter().map(|row| row.iter().map(|v| v * factor).collect()).collect();
        Self { matrix, size, depth: self.depth + 1.0 }
    }

    pub(crate) fn transposed(self) -> Self {
        let matrix = (0..LEN).map(|i| (0..LEN).map(|j| self.matrix[j][i]).collect()).collect();
        let size = (0..LEN).map(|i| (0..LEN).map(|j| self.size[j][i]).collect()).collect();
        Self { matrix, size, depth: self.depth }
    }

    pub(crate) fn plus(self, other: &Self) -> Self {
        let sum = |a: &[Complex64], b: &[Complex64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        let sizes = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Self {
            matrix: self.matrix.iter().zip(&other.matrix).map(|(a, b)| sum(a, b)).collect(),
            size: self.size.iter().zip(&other.size).map(|(a, b)| sizes(a, b)).collect(),
            depth: self.depth + other.depth,
        }
    }

    pub(crate) fn times(self, other: &Self) -> Self {
        let row = |i: usize| {
            (0..LEN)
                .map(|j| (0..LEN).map(|k| self.matrix[i][k] * other.matrix[k][j]).sum())
                .collect()
        };
        let sizes = |i: usize| {
            (0..LEN).map(|j| (0..LEN).map(|k| self.size[i][k] * other.size[k][j]).sum()).collect()
        };
        Self {
            matrix: (0..LEN).map(row).collect(),
            size: (0..LEN).map(sizes).collect(),
            depth: self.depth + other.depth + LEN as f64,
        }
    }
}

pub(crate) fn close(
    found: &[Vec<Complex64>],
    exact: &Exact,
    dtype: DType,
    tree: &Tree,
) -> Result<(), TestCaseError> {
    let single = dtype.real() == DType::Float32;
    let epsilon = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    for (j, column) in found.iter().enumerate() {
        for (i, value) in column.iter().enumerate() {
            let (expected, size) = (exact.matrix[i][j], exact.size[i][j]);
            let bound = 2.0 * epsilon * exact.depth * size;
            prop_assert!(
                (value - expected).norm() <= bound,
                "{tree:?} in {dtype}: ({i}, {j}) is {value}, expected {expected} within {bound:e}"
            );
        }
    }
    Ok(())
}
