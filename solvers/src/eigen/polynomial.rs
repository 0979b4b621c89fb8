//! Polynomials of the tridiagonal matrix that Lanczos' process makes: its largest eigenvalue, and where the polynomial that the
//! process has applied becomes large.

/// A symmetric tridiagonal matrix `T`, by the Sturm sequence `dⱼ = t - aⱼ - bⱼ₋₁² / dⱼ₋₁` of `T - t`.
#[derive(Clone, Debug, Default)]
pub(super) struct Tridiagonal {
    /// `a`
    pub(super) diagonal: Vec<f64>,
    /// `b`, at least 0. The last of them couples to a vector that is not in the matrix.
    pub(super) off: Vec<f64>,
}

/// Halvings of an interval: what is left is as small as numbers are.
const HALVINGS: usize = 200;

impl Tridiagonal {
    /// `ln p(t)` of the polynomial `p` with `‖p(A) v‖ = 1` for the vector `v` that the process began with: the product of all
    /// `dⱼ / bⱼ`. `None` if `t` is not above all eigenvalues; infinity if the last `b` is zero.
    fn log_polynomial(&self, t: f64) -> Option<f64> {
        let (mut sum, mut coupled, mut before) = (0.0, 0.0, 1.0);
        for (a, b) in self.diagonal.iter().zip(&self.off) {
            let d = t - a - coupled / before;
            if d.is_nan() || d <= 0.0 {
                return None;
            }
            sum += d.ln() - b.ln();
            (coupled, before) = (b * b, d);
        }
        Some(sum)
    }

    /// The largest eigenvalue: an interval that it is in, as short as numbers allow. The matrix is not empty.
    pub(super) fn largest(&self) -> [f64; 2] {
        let last = self.diagonal.len() - 1;
        let off = |at: usize| if at < last { self.off[at] } else { 0.0 };
        let row = |at: usize| self.diagonal[at] + off(at) + at.checked_sub(1).map_or(0.0, off);
        let largest =
            |of: &dyn Fn(usize) -> f64| (0..=last).map(of).fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = (largest(&|at| self.diagonal[at]), largest(&row));
        halved(low, high, |t| self.log_polynomial(t).is_some())
    }

    /// A `t` above the largest eigenvalue from which on `ln p(t)` is at least that: the least one, rounded up.
    pub(super) fn reaches(&self, log: f64) -> f64 {
        let [_, low] = self.largest();
        if self.off.last() == Some(&0.0) {
            return low;
        }
        let there = |t: f64| self.log_polynomial(t).is_some_and(|found| found >= log);
        let mut gap = low.abs().max(f64::MIN_POSITIVE) * f64::EPSILON;
        while !there(low + gap) && gap.is_finite() {
            gap *= 2.0;
        }
        halved(low, low + gap, there)[1]
    }
}

/// The end of an interval at which something holds that does not at its start, as close as numbers are.
fn halved(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> [f64; 2] {
    for _ in 0..HALVINGS {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_second_differences_are_those_of_the_book() {
        for n in [1, 2, 3, 10, 50] {
            let matrix = Tridiagonal { diagonal: vec![2.0; n], off: vec![1.0; n] };
            let angle = std::f64::consts::PI / (n as f64 + 1.0);
            let expected = 2.0 + 2.0 * angle.cos();
            let [low, high] = matrix.largest();
            assert!((low - expected).abs() < 1e-14 * expected && high - low < 1e-14 * expected);
            // The polynomial is Chebyshev's of the second kind: U(n) at (t - 2) / 2.
            let t = 2.0 + 2.0 * 1.3;
            let y: f64 = 1.3_f64.acosh();
            let chebyshev = ((n as f64 + 1.0) * y).sinh() / y.sinh();
            assert!((matrix.log_polynomial(t).unwrap() - chebyshev.ln()).abs() < 1e-12);
            assert!((matrix.reaches(chebyshev.ln()) - t).abs() < 1e-12);
            assert_eq!(matrix.log_polynomial(expected - 1e-9), None);
        }
    }

    #[test]
    fn a_matrix_that_is_coupled_to_nothing_has_its_largest_eigenvalue_as_bound() {
        let matrix = Tridiagonal { diagonal: vec![1.0, 3.0], off: vec![0.0, 0.0] };
        assert!((matrix.reaches(100.0) - 3.0).abs() < 1e-15);
        let zero = Tridiagonal { diagonal: vec![0.0], off: vec![0.0] };
        assert!(zero.largest().into_iter().all(|end| end.abs() < 1e-300));
    }
}
