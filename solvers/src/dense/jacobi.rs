//! Rotations of Jacobi.

use nalgebra::ComplexField;

use super::Small;

/// Sweeps over all pairs at most: they converge quadratically.
const SWEEPS: usize = 40;

/// Calls `turn` for all pairs of so many columns, over and over, until it has turned none; it says whether it has.
pub(super) fn sweep(columns: usize, mut turn: impl FnMut(usize, usize) -> bool) {
    for _ in 0..SWEEPS {
        let mut turned = false;
        for q in 1..columns {
            for p in 0..q {
                turned |= turn(p, q);
            }
        }
        if !turned {
            return;
        }
    }
}

/// A rotation of two columns that makes a matrix `[a, g; conj(g), b]` diagonal (Golub and Van Loan, Matrix Computations, 8.5).
pub(super) struct Turn<T> {
    cos: f64,
    sin: f64,
    phase: T,
}

impl<T: ComplexField<RealField = f64>> Turn<T> {
    /// With a `g` that is not zero.
    pub(super) fn of([a, b]: [f64; 2], g: T) -> Self {
        let size = g.clone().modulus();
        let zeta = (b - a) / (2.0 * size);
        let tan = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
        let cos = 1.0 / tan.hypot(1.0);
        Self { cos, sin: cos * tan, phase: g.unscale(size) }
    }

    pub(super) fn columns(&self, matrix: &mut Small<T>, (p, q): (usize, usize)) {
        for row in 0..matrix.nrows() {
            let (x, y) = (matrix[(row, p)].clone(), matrix[(row, q)].clone());
            let y = y * self.phase.clone().conjugate();
            matrix[(row, p)] = x.clone().scale(self.cos) - y.clone().scale(self.sin);
            matrix[(row, q)] = x.scale(self.sin) + y.scale(self.cos);
        }
    }

    pub(super) fn rows(&self, matrix: &mut Small<T>, (p, q): (usize, usize)) {
        for column in 0..matrix.ncols() {
            let (x, y) = (matrix[(p, column)].clone(), matrix[(q, column)].clone());
            let y = y * self.phase.clone();
            matrix[(p, column)] = x.clone().scale(self.cos) - y.clone().scale(self.sin);
            matrix[(q, column)] = x.scale(self.sin) + y.scale(self.cos);
        }
    }
}
