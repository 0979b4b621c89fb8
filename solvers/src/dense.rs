//! Small dense matrices on the host, in double precision: what large problems are projected onto.
//!
//! Decompositions begin with those of `nalgebra`, whose vectors are off by up to `1e-9` where values are clustered, and are made exact to
//! rounding by rotations of Jacobi, of which one or two sweeps are left to do. Matrices are brought near 1 first, so that no square
//! overflows or underflows; numbers that are not finite are no matrix to decompose; results are sorted.

use nalgebra::linalg::{SVD, SymmetricEigen};
use nalgebra::{ComplexField, DMatrix, DVector};

use crate::engine::scale::{exponent, power};

/// A matrix of `f64` or `Complex64`.
pub(crate) type Small<T> = DMatrix<T>;

/// Steps for each row of the first decomposition, at most. Three are usual.
const STEPS: usize = 100;

/// Sweeps of rotations at most.
const SWEEPS: usize = 40;

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
    for _ in 0..SWEEPS {
        let mut turned = false;
        for q in 1..n {
            for p in 0..q {
                let beside = nearly[(p, q)].clone();
                if beside.clone().modulus() > small {
                    let ends = [p, q].map(|at| nearly[(at, at)].clone().real());
                    let turn = Turn::of(ends, beside);
                    turn.columns(&mut nearly, (p, q));
                    turn.rows(&mut nearly, (p, q));
                    turn.columns(&mut vectors, (p, q));
                    turned = true;
                }
            }
        }
        if !turned {
            break;
        }
    }
    let found: Vec<f64> = nearly.diagonal().iter().map(|value| value.clone().real()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| found[*a].total_cmp(&found[*b]));
    let values = order.iter().map(|at| power(scale, found[*at])).collect();
    Some(Eigen { values, vectors: vectors.select_columns(&order) })
}

/// The singular values and vectors; `None` if the matrix is not finite.
pub(crate) fn singular<T: ComplexField<RealField = f64>>(matrix: &Small<T>) -> Option<Singular<T>> {
    let (m, n) = matrix.shape();
    if m.min(n) == 0 {
        let (left, right) = (Small::zeros(m, 0), Small::zeros(n, 0));
        return Some(Singular { left, values: Vec::new(), right });
    }
    if m < n {
        let Singular { left, values, right } = singular(&matrix.adjoint())?;
        return Some(Singular { left: right, values, right: left });
    }
    let (scaled, scale) = near_one(matrix)?;
    let first = SVD::try_new(scaled.clone(), false, true, f64::EPSILON, STEPS * m);
    let first = first.and_then(|found| found.v_t);
    let mut right = first.map_or_else(|| Small::identity(n, n), |turned| turned.adjoint());
    let mut images = scaled * &right;
    // That of a product of columns.
    let rounding = f64::EPSILON * m as f64;
    for _ in 0..SWEEPS {
        let mut turned = false;
        for q in 1..n {
            for p in 0..q {
                let beside = images.column(p).dotc(&images.column(q));
                let ends = [p, q].map(|at| images.column(at).norm_squared());
                if beside.clone().modulus() > rounding * (ends[0] * ends[1]).sqrt() {
                    let turn = Turn::of(ends, beside);
                    turn.columns(&mut images, (p, q));
                    turn.columns(&mut right, (p, q));
                    turned = true;
                }
            }
        }
        if !turned {
            break;
        }
    }
    let lengths: Vec<f64> = images.column_iter().map(|column| column.norm()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| lengths[*b].total_cmp(&lengths[*a]));
    let mut left: Vec<DVector<T>> = Vec::new();
    for at in &order {
        let own = images.column(*at).into_owned();
        // What is so small has lost its direction, and any that is orthogonal to the others does.
        let lost = lengths[*at] <= 1e-150;
        let next = if lost { beside_all(&left, m) } else { own.unscale(lengths[*at]) };
        left.push(next);
    }
    let values = order.iter().map(|at| power(scale, lengths[*at])).collect();
    Some(Singular { left: Small::from_columns(&left), values, right: right.select_columns(&order) })
}

/// A vector of length 1 that is orthogonal to some of that kind, of which there are fewer than it has elements.
fn beside_all<T: ComplexField<RealField = f64>>(known: &[DVector<T>], len: usize) -> DVector<T> {
    let mut best = DVector::zeros(len);
    for at in 0..len {
        let mut own = DVector::zeros(len);
        own[at] = T::one();
        for _ in 0..2 {
            for known in known {
                let along = known.dotc(&own);
                own.axpy(-along, known, T::one());
            }
        }
        let length = own.norm();
        // One of the unit vectors keeps this much.
        if length * (len as f64).sqrt() >= 0.5 {
            return own.unscale(length);
        }
        best = own;
    }
    best
}

/// A rotation of two columns that makes a matrix `[a, g; conj(g), b]` diagonal (Golub and Van Loan, Matrix Computations, 8.5).
struct Turn<T> {
    cos: f64,
    sin: f64,
    phase: T,
}

impl<T: ComplexField<RealField = f64>> Turn<T> {
    /// With a `g` that is not zero.
    fn of([a, b]: [f64; 2], g: T) -> Self {
        let size = g.clone().modulus();
        let zeta = (b - a) / (2.0 * size);
        let tan = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
        let cos = 1.0 / tan.hypot(1.0);
        Self { cos, sin: cos * tan, phase: g.unscale(size) }
    }

    fn columns(&self, matrix: &mut Small<T>, (p, q): (usize, usize)) {
        for row in 0..matrix.nrows() {
            let (x, y) = (matrix[(row, p)].clone(), matrix[(row, q)].clone());
            let y = y * self.phase.clone().conjugate();
            matrix[(row, p)] = x.clone().scale(self.cos) - y.clone().scale(self.sin);
            matrix[(row, q)] = x.scale(self.sin) + y.scale(self.cos);
        }
    }

    fn rows(&self, matrix: &mut Small<T>, (p, q): (usize, usize)) {
        for column in 0..matrix.ncols() {
            let (x, y) = (matrix[(p, column)].clone(), matrix[(q, column)].clone());
            let y = y * self.phase.clone();
            matrix[(p, column)] = x.clone().scale(self.cos) - y.clone().scale(self.sin);
            matrix[(q, column)] = x.scale(self.sin) + y.scale(self.cos);
        }
    }
}

/// The matrix times a power of two that brings its largest element near 1, and the exponent of what brings it back.
pub(crate) fn near_one<T: ComplexField<RealField = f64>>(
    matrix: &Small<T>,
) -> Option<(Small<T>, i32)> {
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
        for n in [1, 2, 3, 5, 17, 31] {
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

    /// What a restarted bidiagonalisation projects to: an arrow, and couplings of any size beside it. nalgebra's own vectors are off here.
    #[test]
    fn arrows_with_couplings_of_all_sizes_are_decomposed_to_rounding() {
        let mut next = random(7);
        for trial in 0..300 {
            let kept = trial % 12;
            let a = Small::from_fn(12, 12, |i, j| {
                let (size, value) = (next(), next().re);
                if i == j {
                    4.0 - 0.3 * i as f64 + 0.01 * value
                } else if j == kept && i < kept {
                    10.0_f64.powf(-8.0 * (size.re + 1.0)) * value
                } else if j == i + 1 && i >= kept {
                    value
                } else {
                    0.0
                }
            });
            let Singular { left, values, right } = singular(&a).unwrap();
            let d = Small::from_fn(12, 12, |i, j| if i == j { values[i] } else { 0.0 });
            assert!((&left * d * right.adjoint() - &a).norm() < 1e-13, "{trial}");
            let both = &a + a.adjoint();
            let Eigen { values, vectors } = self_adjoint(&both).unwrap();
            let d = Small::from_fn(12, 12, |i, j| if i == j { values[i] } else { 0.0 });
            assert!((&vectors * d * vectors.adjoint() - &both).norm() < 1e-13, "{trial}");
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
