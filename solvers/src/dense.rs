//! Small dense matrices on the host, in double precision: what large problems are projected onto.
//!
//! Decompositions are those of `nalgebra`, with what it leaves open closed: matrices are brought near 1 first, so that no square
//! overflows or underflows; numbers that are not finite are no matrix to decompose; rotations that do not come to an end do; and
//! results are sorted.

use nalgebra::linalg::{SVD, SymmetricEigen};
use nalgebra::{ComplexField, DMatrix};

use crate::engine::scale::{exponent, power};

/// A matrix of `f64` or `Complex64`.
pub(crate) type Small<T> = DMatrix<T>;

/// Sweeps of rotations for each row, at most. Three are usual.
const SWEEPS: usize = 100;

/// Eigenvalues in ascending order, and their vectors, orthonormal columns in the same order.
#[derive(Clone, Debug)]
pub(crate) struct Eigen<T: ComplexField<RealField = f64>> {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Small<T>,
}

/// `A = U Σ Vᴴ`, singular values in descending order.
#[derive(Clone, Debug)]
pub(crate) struct Singular<T: ComplexField<RealField = f64>> {
    /// Orthonormal columns.
    pub(crate) left: Small<T>,
    pub(crate) values: Vec<f64>,
    /// Orthonormal columns: `V`, not its adjoint.
    pub(crate) right: Small<T>,
}

/// The eigenvalues of a self-adjoint matrix, of which the lower triangle is read; `None` if it is not finite.
pub(crate) fn self_adjoint<T: ComplexField<RealField = f64>>(
    matrix: &Small<T>,
) -> Option<Eigen<T>> {
    let n = matrix.nrows();
    if n == 0 {
        return Some(Eigen { values: Vec::new(), vectors: Small::zeros(0, 0) });
    }
    let (scaled, scale) = near_one(matrix)?;
    let found = SymmetricEigen::try_new(scaled, f64::EPSILON, SWEEPS * n)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| found.eigenvalues[*a].total_cmp(&found.eigenvalues[*b]));
    let values = order.iter().map(|at| power(scale, found.eigenvalues[*at])).collect();
    let vectors = found.eigenvectors.select_columns(&order);
    Some(Eigen { values, vectors })
}

/// The singular values and vectors; `None` if the matrix is not finite.
pub(crate) fn singular<T: ComplexField<RealField = f64>>(matrix: &Small<T>) -> Option<Singular<T>> {
    let (m, n) = matrix.shape();
    if m.min(n) == 0 {
        let (left, right) = (Small::zeros(m, 0), Small::zeros(n, 0));
        return Some(Singular { left, values: Vec::new(), right });
    }
    let (scaled, scale) = near_one(matrix)?;
    let found = SVD::try_new(scaled, true, true, f64::EPSILON, SWEEPS * m.max(n))?;
    let (left, right) = (found.u?, found.v_t?.adjoint());
    let mut order: Vec<usize> = (0..m.min(n)).collect();
    order.sort_by(|a, b| found.singular_values[*b].total_cmp(&found.singular_values[*a]));
    let values = order.iter().map(|at| power(scale, found.singular_values[*at])).collect();
    Some(Singular {
        left: left.select_columns(&order),
        values,
        right: right.select_columns(&order),
    })
}

/// The matrix times a power of two that brings its largest element near 1, and the exponent of what brings it back.
fn near_one<T: ComplexField<RealField = f64>>(matrix: &Small<T>) -> Option<(Small<T>, i32)> {
    let mut largest = 0.0_f64;
    for element in matrix {
        let size = element.clone().modulus();
        if !size.is_finite() {
            return None;
        }
        largest = largest.max(size);
    }
    let scale = exponent(largest).unwrap_or(0);
    let (half, rest) = (-scale / 2, -scale - (-scale / 2));
    let [half, rest] = [half, rest].map(|part| T::from_real(2.0_f64.powi(part)));
    Some((matrix.map(|element| element * half.clone() * rest.clone()), scale))
}

#[cfg(test)]
mod tests {
    use num_complex::Complex64;

    use super::*;

    /// Numbers in ±1 of a seed.
    fn random(seed: u64) -> impl FnMut() -> Complex64 {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state ^ (state >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        move || Complex64::new(next(), next())
    }

    fn orthonormal(columns: &Small<Complex64>) -> bool {
        let n = columns.ncols();
        (columns.adjoint() * columns - Small::identity(n, n)).norm() < 1e-13 * (n as f64 + 1.0)
    }

    /// Products `Q D Qᴴ` with `D` spread, clustered, multiple, graded, of rank one and zero.
    fn spectra(n: usize) -> Vec<Vec<f64>> {
        let each = |f: &dyn Fn(f64) -> f64| (0..n).map(|k| f(k as f64)).collect::<Vec<_>>();
        vec![
            each(&|k| k - 2.0),
            each(&|k| 1.0 + 1e-14 * k),
            each(&|k| if k < 3.0 { 2.0 } else { -1.0 }),
            each(&|k| 10.0_f64.powf(-k)),
            each(&|k| f64::from(u8::from(k == 0.0))),
            each(&|_| 0.0),
        ]
    }

    #[test]
    fn matrices_are_what_their_decompositions_multiply_to() {
        let mut next = random(1);
        for n in [1, 2, 3, 5, 17, 64] {
            let q = Small::from_fn(n, n, |_, _| next()).qr().q();
            for spectrum in spectra(n) {
                for scale in [1e-300, 1e-20, 1.0, 1e20, 1e300] {
                    let d = |k: usize| Complex64::from(spectrum[k] * scale);
                    let a =
                        &q * Small::from_fn(n, n, |i, j| if i == j { d(i) } else { 0.0.into() });
                    let a = a * q.adjoint();
                    let a = (&a + a.adjoint()).map(|v| v * 0.5);
                    let found = self_adjoint(&a).unwrap();
                    let size = spectrum.iter().fold(0.0, |most: f64, v| most.max(v.abs())) * scale;
                    let mut expected = spectrum.clone();
                    expected.sort_by(f64::total_cmp);
                    for (found, expected) in found.values.iter().zip(&expected) {
                        assert!((found - expected * scale).abs() <= 1e-13 * n as f64 * size);
                    }
                    assert!(orthonormal(&found.vectors));
                    let back = &found.vectors
                        * Small::from_fn(n, n, |i, j| {
                            Complex64::from(if i == j { found.values[i] / scale } else { 0.0 })
                        })
                        * found.vectors.adjoint();
                    let off = a.map(|v| v / scale) - back;
                    assert!(off.norm() <= 1e-13 * n as f64 * size / scale, "{n} {scale}");
                    let singular = singular(&a).unwrap();
                    assert!(orthonormal(&singular.left) && orthonormal(&singular.right));
                    let mut sizes: Vec<f64> = expected.iter().map(|v| v.abs() * scale).collect();
                    sizes.sort_by(|a, b| b.total_cmp(a));
                    for (found, expected) in singular.values.iter().zip(&sizes) {
                        assert!((found - expected).abs() <= 1e-13 * n as f64 * size);
                    }
                }
            }
        }
    }

    #[test]
    fn matrices_that_are_not_square_have_as_many_singular_values_as_their_shorter_side() {
        let mut next = random(5);
        for [m, n] in [[1, 4], [4, 1], [7, 3], [3, 7], [40, 11], [0, 3]] {
            let a = Small::from_fn(m, n, |_, _| next());
            let Singular { left, values, right } = singular(&a).unwrap();
            assert_eq!(values.len(), m.min(n));
            assert!(orthonormal(&left) && orthonormal(&right));
            let d = Small::from_fn(values.len(), values.len(), |i, j| {
                Complex64::from(if i == j { values[i] } else { 0.0 })
            });
            assert!((&left * d * right.adjoint() - &a).norm() <= 1e-13 * (a.norm() + 1.0));
            assert!(values.is_sorted_by(|a, b| a >= b));
        }
    }

    #[test]
    fn what_is_not_finite_has_no_decomposition() {
        for bad in [f64::NAN, f64::INFINITY] {
            let a = Small::from_fn(3, 3, |i, j| if i + j == 2 { bad } else { 1.0 });
            assert!(self_adjoint(&a).is_none() && singular(&a).is_none());
        }
    }
}
