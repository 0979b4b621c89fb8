//! Norms, eigenvalues and singular values: what each method promises, on every device that is here.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod blocks;
mod bytes;
mod eigs;
mod norm;
#[path = "../support/mod.rs"]
mod support;
mod svds;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_operators::{MatrixMult, Operator};
use num_complex::Complex64;
use support::{DTYPES, Random, array, devices, rounded};

/// A matrix `U D Vᴴ` with these singular values, row by row.
fn with_singular_values(
    dtype: DType,
    [rows, columns]: [usize; 2],
    values: &[f64],
    random: &mut Random,
) -> Vec<Complex64> {
    let (left, right) = (orthonormal(dtype, rows, random), orthonormal(dtype, columns, random));
    let entry = |at: usize| {
        let (i, j) = (at / columns, at % columns);
        let terms = values.iter().enumerate().map(|(k, v)| left[k][i] * v * right[k][j].conj());
        rounded(dtype, terms.sum::<Complex64>())
    };
    (0..rows * columns).map(entry).collect()
}

/// A self-adjoint matrix with these eigenvalues, to the last bit.
fn hermitian(dtype: DType, eigenvalues: &[f64], random: &mut Random) -> Vec<Complex64> {
    let n = eigenvalues.len();
    let vectors = orthonormal(dtype, n, random);
    let entry = |at: usize| {
        let (i, j) = (at / n, at % n);
        let terms = (0..n).map(|k| vectors[k][i] * eigenvalues[k] * vectors[k][j].conj());
        rounded(dtype, terms.sum::<Complex64>())
    };
    let mut matrix: Vec<Complex64> = (0..n * n).map(entry).collect();
    for i in 0..n {
        matrix[i * n + i].im = 0.0;
        for j in 0..i {
            matrix[i * n + j] = matrix[j * n + i].conj();
        }
    }
    matrix
}

/// Orthonormal vectors, by Gram-Schmidt done twice.
fn orthonormal(dtype: DType, n: usize, random: &mut Random) -> Vec<Vec<Complex64>> {
    let wide = if dtype.is_complex() { DType::Complex128 } else { DType::Float64 };
    let mut vectors: Vec<Vec<Complex64>> = Vec::new();
    for _ in 0..n {
        let mut new = random.numbers(wide, n);
        for _ in 0..2 {
            for old in &vectors {
                let part: Complex64 = old.iter().zip(&new).map(|(a, b)| a.conj() * b).sum();
                new.iter_mut().zip(old).for_each(|(new, old)| *new -= part * old);
            }
        }
        let length = support::norm(&new);
        vectors.push(new.into_iter().map(|v| v / length).collect());
    }
    vectors
}

fn operator(dtype: DType, matrix: &[Complex64], shape: [usize; 2], device: Device) -> Operator {
    let matrix = array(dtype, matrix, &shape).into_device(device).unwrap().0;
    MatrixMult::new(matrix.into_shared(), &[]).unwrap()
}
