//! Small dense matrices on the host, in double precision.

use num_complex::Complex64;

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Small {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) entries: Vec<Complex64>,
}

/// Sweeps over all pairs of columns at most. Ten are enough for what converges.
const MOST_SWEEPS: usize = 60;

impl Small {
    pub(super) fn new(rows: usize, columns: usize, entries: Vec<Complex64>) -> Self {
        debug_assert_eq!(entries.len(), rows * columns);
        Self { rows, columns, entries }
    }

    fn at(&self, row: usize, column: usize) -> Complex64 {
        self.entries[row * self.columns + column]
    }

    pub(super) fn adjoint(&self) -> Self {
        let entry = |at: usize| self.at(at % self.rows, at / self.rows).conj();
        Self::new(self.columns, self.rows, (0..self.entries.len()).map(entry).collect())
    }

    /// `self · other`
    pub(super) fn times(&self, other: &Self) -> Self {
        let dot = |row: usize, column: usize| {
            (0..self.columns).map(|k| self.at(row, k) * other.at(k, column)).sum()
        };
        let entries =
            (0..self.rows * other.columns).map(|at| dot(at / other.columns, at % other.columns));
        Self::new(self.rows, other.columns, entries.collect())
    }

    pub(super) fn trace(&self) -> Complex64 {
        (0..self.rows.min(self.columns)).map(|at| self.at(at, at)).sum()
    }

    /// The pseudo-inverse (Moore and Penrose): singular values below `cut` times the largest count as zero.
    ///
    /// By rotations of pairs of columns until all are orthogonal (Hestenes, SIAM Journal 6, 1958; Golub and Van Loan, Matrix
    /// Computations, 8.6.3): `A V = U Σ`, so that `A⁺ = V Σ⁻² (A V)ᴴ`.
    pub(super) fn pseudo_inverse(&self, cut: f64) -> Self {
        if self.rows < self.columns {
            return self.adjoint().pseudo_inverse(cut).adjoint();
        }
        // Near 1, so that squares are numbers.
        let scale = self.entries.iter().fold(0.0, |largest: f64, v| largest.max(v.norm()));
        if scale == 0.0 || !scale.is_finite() {
            let none = if scale == 0.0 { Complex64::ZERO } else { Complex64::from(f64::NAN) };
            return Self::new(self.columns, self.rows, vec![none; self.entries.len()]);
        }
        // Columns one after the other.
        let (m, n) = (self.rows, self.columns);
        let mut a: Vec<Vec<Complex64>> =
            (0..n).map(|j| (0..m).map(|i| self.at(i, j) / scale).collect()).collect();
        let unit =
            |j: usize| (0..n).map(|i| Complex64::from(f64::from(u8::from(i == j)))).collect();
        let mut v: Vec<Vec<Complex64>> = (0..n).map(unit).collect();
        for _ in 0..MOST_SWEEPS {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    turned |= rotated(&mut a, &mut v, p, q);
                }
            }
            if !turned {
                break;
            }
        }
        let squares: Vec<f64> = a.iter().map(|column| square(column)).collect();
        let largest = squares.iter().copied().fold(0.0, f64::max);
        let mut entries = vec![Complex64::ZERO; n * m];
        for k in (0..n).filter(|k| squares[*k] > cut * cut * largest) {
            for i in 0..n {
                for j in 0..m {
                    entries[i * m + j] += v[k][i] * a[k][j].conj() / (squares[k] * scale);
                }
            }
        }
        Self::new(n, m, entries)
    }
}

fn square(column: &[Complex64]) -> f64 {
    column.iter().map(Complex64::norm_sqr).sum()
}

/// Makes two columns orthogonal, unless they are; whether it did.
fn rotated(a: &mut [Vec<Complex64>], v: &mut [Vec<Complex64>], p: usize, q: usize) -> bool {
    let (alpha, beta) = (square(&a[p]), square(&a[q]));
    let gamma: Complex64 = a[p].iter().zip(&a[q]).map(|(x, y)| x.conj() * y).sum();
    let size = gamma.norm();
    if size <= f64::EPSILON * (alpha * beta).sqrt() {
        return false;
    }
    let phase = gamma / size;
    let zeta = (beta - alpha) / (2.0 * size);
    let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = c * t;
    for columns in [a, v] {
        let (first, second) = columns.split_at_mut(q);
        for (x, y) in first[p].iter_mut().zip(&mut second[0]) {
            // The second column turned so that the product with the first one is real.
            let turned = *y * phase.conj();
            (*x, *y) = (c * *x - s * turned, s * *x + c * turned);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(rows: usize, columns: usize, seed: u64) -> Small {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let entries = (0..rows * columns).map(|_| Complex64::new(next(), next())).collect();
        Small::new(rows, columns, entries)
    }

    fn near(a: &Small, b: &Small) -> bool {
        let size = b.entries.iter().map(|v| v.norm()).fold(1.0, f64::max);
        a.entries.iter().zip(&b.entries).all(|(a, b)| (a - b).norm() < 1e-11 * size)
    }

    #[test]
    fn pseudo_inverses_satisfy_the_four_equations_of_penrose() {
        let deficient = some(7, 2, 5).times(&some(2, 5, 6));
        for a in [some(1, 1, 1), some(5, 5, 2), some(7, 3, 3), some(2, 6, 4), deficient] {
            let x = a.pseudo_inverse(1e-12);
            assert!(near(&a.times(&x).times(&a), &a));
            assert!(near(&x.times(&a).times(&x), &x));
            assert!(near(&a.times(&x).adjoint(), &a.times(&x)));
            assert!(near(&x.times(&a).adjoint(), &x.times(&a)));
        }
    }

    #[test]
    fn pseudo_inverses_of_large_small_and_no_numbers_are_their_reciprocals() {
        for size in [1e-150, 1.0, 1e150] {
            let one = Small::new(1, 1, vec![Complex64::new(0.0, size)]);
            let expected = Complex64::new(0.0, -1.0 / size);
            assert!((one.pseudo_inverse(1e-12).entries[0] / expected - 1.0).norm() < 1e-12);
        }
        let zero = Small::new(2, 1, vec![Complex64::ZERO; 2]);
        assert_eq!(zero.pseudo_inverse(1e-12).entries, [Complex64::ZERO; 2]);
    }
}
