//! Eigenvectors of small Hermitian matrices, on the host.

use num_complex::Complex64;

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    pub(super) n: usize,
    pub(super) entries: Vec<Complex64>,
}

/// Sweeps over all pairs, at most: they converge quadratically.
const SWEEPS: usize = 40;

impl Matrix {
    pub(super) fn identity(n: usize) -> Self {
        let one = |at: usize| f64::from(u8::from(at.is_multiple_of(n + 1))).into();
        Self { n, entries: (0..n * n).map(one).collect() }
    }

    pub(super) fn at(&self, row: usize, column: usize) -> Complex64 {
        self.entries[row * self.n + column]
    }

    pub(super) fn is_finite(&self) -> bool {
        self.entries.iter().all(|z| z.is_finite())
    }

    /// Whether the columns whose products it holds are orthogonal, as far as the largest one can tell.
    pub(super) fn is_diagonal(&self, level: f64) -> bool {
        let length = |i: usize| self.at(i, i).re.max(0.0).sqrt();
        let most = (0..self.n).map(length).fold(0.0, f64::max);
        (0..self.n).all(|i| {
            (0..i).all(|j| self.at(i, j).norm() <= level * most * length(i).max(length(j)))
        })
    }

    /// The product with another one.
    pub(super) fn times(&self, other: &Self) -> Self {
        let n = self.n;
        let mut entries = vec![Complex64::ZERO; n * n];
        for (row, out) in entries.chunks_exact_mut(n).enumerate() {
            for k in 0..n {
                let factor = self.at(row, k);
                let line = &other.entries[k * n..(k + 1) * n];
                out.iter_mut().zip(line).for_each(|(out, entry)| *out += factor * entry);
            }
        }
        Self { n, entries }
    }

    /// The adjoint, with each row times a number, and what `function` makes of its parts.
    pub(super) fn adjoint_scaled(&self, rows: &[f64], function: impl Fn(f64) -> f64) -> Self {
        let n = self.n;
        let entry = |at: usize| {
            let (row, column) = (at / n, at % n);
            let z = self.at(column, row).conj() * rows[row];
            Complex64::new(function(z.re), function(z.im))
        };
        Self { n, entries: (0..n * n).map(entry).collect() }
    }
}

/// The eigenvectors of a Hermitian matrix, as columns, in no order: Jacobi's cyclic method, which is as exact for small
/// eigenvalues as for large ones where the matrix is a product of columns with themselves.
///
/// Reference: Golub and Van Loan, Matrix Computations, 4th edition, section 8.5; Demmel and Veselić, SIAM J. Matrix Anal. Appl. 13
/// (1992) 1204.
pub(super) fn eigenvectors(mut matrix: Matrix) -> Matrix {
    let n = matrix.n;
    let mut vectors = Matrix::identity(n);
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (a, b, off) = (matrix.at(p, p).re, matrix.at(q, q).re, matrix.at(p, q));
                let size = off.norm();
                if size <= f64::EPSILON * (a.abs() * b.abs()).sqrt() || size == 0.0 {
                    continue;
                }
                turned = true;
                let ratio = (b - a) / (2.0 * size);
                let tangent = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = tangent * cosine * (off / size);
                columns(&mut matrix, [p, q], cosine, sine);
                columns(&mut vectors, [p, q], cosine, sine);
                rows(&mut matrix, [p, q], cosine, sine);
            }
        }
        if !turned {
            break;
        }
    }
    vectors
}

/// Times a rotation of two columns.
fn columns(matrix: &mut Matrix, [p, q]: [usize; 2], cosine: f64, sine: Complex64) {
    for row in matrix.entries.chunks_exact_mut(matrix.n) {
        let (a, b) = (row[p], row[q]);
        row[p] = cosine * a - sine.conj() * b;
        row[q] = sine * a + cosine * b;
    }
}

/// The adjoint of that rotation times a matrix.
fn rows(matrix: &mut Matrix, [p, q]: [usize; 2], cosine: f64, sine: Complex64) {
    let n = matrix.n;
    for column in 0..n {
        let (a, b) = (matrix.entries[p * n + column], matrix.entries[q * n + column]);
        matrix.entries[p * n + column] = cosine * a - sine * b;
        matrix.entries[q * n + column] = sine.conj() * a + cosine * b;
    }
}
