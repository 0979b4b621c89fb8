//! Eigenvalues and eigenvectors of self-adjoint matrices.

use nalgebra::ComplexField;
use nalgebra::linalg::SymmetricEigen;

use super::jacobi::{Turn, sweep};
use super::{STEPS, Small, near_one};
use crate::engine::scale::power;

/// Eigenvalues in ascending order, and their vectors, orthonormal columns in the same order.
#[derive(Clone, Debug)]
pub(crate) struct Eigen<T: ComplexField<RealField = f64>> {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Small<T>,
}

/// The eigenvalues of a self-adjoint matrix; `None` if it is not finite.
pub(crate) fn self_adjoint<T: ComplexField<RealField = f64>>(
    matrix: &Small<T>,
) -> Option<Eigen<T>> {
    let n = matrix.nrows();
    if n == 0 {
        return Some(Eigen { values: Vec::new(), vectors: Small::zeros(0, 0) });
    }
    let (scaled, scale) = near_one(matrix)?;
    let first = SymmetricEigen::try_new(scaled.clone(), f64::EPSILON, STEPS * n);
    let mut vectors = first.map_or_else(|| Small::identity(n, n), |found| found.eigenvectors);
    let mut nearly = vectors.adjoint() * &scaled * &vectors;
    let small = f64::EPSILON * nearly.norm();
    diagonalise(&mut nearly, &mut vectors, |_| small);
    let found: Vec<f64> = nearly.diagonal().iter().map(|value| value.clone().real()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| found[*a].total_cmp(&found[*b]));
    let values = order.iter().map(|at| power(scale, found[*at])).collect();
    Some(Eigen { values, vectors: vectors.select_columns(&order) })
}

/// The eigenvectors of a self-adjoint matrix without negative eigenvalues, as columns, in no order: by rotations alone, until all that stands
/// beside the diagonal is rounding of the two elements on it. So they are as exact for small eigenvalues as for large ones, where the matrix is a product of
/// columns with themselves.
///
/// Reference: Demmel and Veselić, SIAM J. Matrix Anal. Appl. 13 (1992) 1204.
pub(crate) fn eigenvectors<T: ComplexField<RealField = f64>>(mut matrix: Small<T>) -> Small<T> {
    let n = matrix.nrows();
    let mut vectors = Small::identity(n, n);
    let level = |[a, b]: [f64; 2]| f64::EPSILON * (a.abs() * b.abs()).sqrt();
    diagonalise(&mut matrix, &mut vectors, level);
    vectors
}

/// Turns a matrix until what stands beside its diagonal is at most what `level` makes of the elements on it, and vectors with it.
fn diagonalise<T: ComplexField<RealField = f64>>(
    matrix: &mut Small<T>,
    vectors: &mut Small<T>,
    level: impl Fn([f64; 2]) -> f64,
) {
    sweep(matrix.nrows(), |p, q| {
        let beside = matrix[(p, q)].clone();
        let ends = [p, q].map(|at| matrix[(at, at)].clone().real());
        if beside.clone().modulus() <= level(ends) {
            return false;
        }
        let turn = Turn::of(ends, beside);
        turn.columns(matrix, (p, q));
        turn.rows(matrix, (p, q));
        turn.columns(vectors, (p, q));
        true
    });
}
