//! Methods that look for the solution in Krylov spaces: what each promises, on every device that is here.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod bytes;
mod general;
mod indefinite;
mod least_squares;
mod positive;
mod single_reduction;
#[path = "../support/mod.rs"]
mod support;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{MatrixMult, Operator};
use arrayspan_solvers::{Solution, Solver};
use num_complex::Complex64;
use support::{DTYPES, Random, array, devices, rounded, values};

/// A square matrix with its right-hand side and its solution.
#[derive(Clone, Debug)]
struct System {
    dtype: DType,
    n: usize,
    matrix: Vec<Complex64>,
    truth: Vec<Complex64>,
    y: Vec<Complex64>,
}

impl System {
    fn new(dtype: DType, matrix: Vec<Complex64>, random: &mut Random) -> Self {
        let n = matrix.len().isqrt();
        let matrix: Vec<_> = matrix.into_iter().map(|entry| rounded(dtype, entry)).collect();
        let truth = random.numbers(dtype, n);
        let y = times(&matrix, &truth).into_iter().map(|v| rounded(dtype, v)).collect();
        Self { dtype, n, matrix, truth, y }
    }

    /// Self-adjoint, with eigenvalues around those given.
    fn hermitian(dtype: DType, eigenvalues: &[f64], random: &mut Random) -> Self {
        let n = eigenvalues.len();
        let vectors = orthonormal(dtype, n, random);
        let entry = |at: usize| {
            let (i, j) = (at / n, at % n);
            let terms = (0..n).map(|k| vectors[k][i] * eigenvalues[k] * vectors[k][j].conj());
            terms.sum::<Complex64>()
        };
        let mut matrix: Vec<_> = (0..n * n).map(|at| rounded(dtype, entry(at))).collect();
        // To the last bit.
        for i in 0..n {
            matrix[i * n + i].im = 0.0;
            for j in 0..i {
                matrix[i * n + j] = matrix[j * n + i].conj();
            }
        }
        Self::new(dtype, matrix, random)
    }

    fn operator(&self) -> Operator {
        let matrix = array(self.dtype, &self.matrix, &[self.n, self.n]);
        MatrixMult::new(matrix.into_shared(), &[]).unwrap()
    }

    fn data(&self) -> Array {
        array(self.dtype, &self.y, &[self.n])
    }

    fn scaled(&self, operator: f64, data: f64) -> Self {
        let times = |values: &[Complex64], factor: f64| -> Vec<Complex64> {
            values.iter().map(|v| rounded(self.dtype, v * factor)).collect()
        };
        let truth = self.truth.iter().map(|v| v * (data / operator)).collect();
        let (matrix, y) = (times(&self.matrix, operator), times(&self.y, data));
        Self { matrix, truth, y, ..self.clone() }
    }
}

fn times(matrix: &[Complex64], x: &[Complex64]) -> Vec<Complex64> {
    let row = |row: &[Complex64]| row.iter().zip(x).map(|(a, x)| a * x).sum();
    matrix.chunks(x.len()).map(row).collect()
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

/// Eigenvalues from `least` to `most`, evenly in their logarithms.
fn spread(n: usize, least: f64, most: f64) -> Vec<f64> {
    let share = |k: usize| k as f64 / (n - 1).max(1) as f64;
    (0..n).map(|k| least * (most / least).powf(share(k))).collect()
}

fn on_device(solver: &impl Solver, system: &System, device: Device) -> Solution {
    let matrix = array(system.dtype, &system.matrix, &[system.n, system.n]);
    let matrix = matrix.into_device(device).unwrap().0;
    let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
    let mut solution = solver.solve(&a, system.data().into_device(device).unwrap().0).unwrap();
    solution.x = solution.x.into_device(Device::cpu()).unwrap().0;
    solution
}

/// How far a solution is from the true one, relatively.
fn off(solution: &Solution, system: &System) -> f64 {
    support::distance(&values(&solution.x), &system.truth)
}

/// `‖y - A x‖ / ‖y‖`, computed anew.
fn left(system: &System, x: &Array) -> f64 {
    let image = times(&system.matrix, &values(x));
    let rest: Vec<_> = system.y.iter().zip(image).map(|(y, image)| y - image).collect();
    support::norm(&rest) / support::norm(&system.y)
}
