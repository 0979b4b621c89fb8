//! The rule of Gauss that Lanczos' process makes: eigenvalues and weights of `<v, f(A) v>`.

use crate::dense::{Small, self_adjoint};

/// Eigenvalues of the projected matrix, and their weights in the vector that the process began with.
#[derive(Debug)]
pub(super) struct Rule {
    values: Vec<f64>,
    weights: Vec<f64>,
    /// The same with two steps less.
    before: Vec<(f64, f64)>,
}

impl Rule {
    /// Of a tridiagonal matrix; `None` if it is not finite.
    pub(super) fn of(matrix: &Small<f64>) -> Option<Self> {
        let pairs = |matrix: &Small<f64>| {
            let found = self_adjoint(matrix)?;
            let weights = (0..matrix.nrows()).map(|at| found.vectors[(0, at)].powi(2));
            Some(found.values.iter().copied().zip(weights).collect::<Vec<_>>())
        };
        let less = matrix.nrows().saturating_sub(2).max(1);
        let before = pairs(&matrix.view((0, 0), (less, less)).into_owned())?;
        let (values, weights) = pairs(matrix)?.into_iter().unzip();
        Some(Self { values, weights, before })
    }

    /// `Σ ln λ`; `None` unless all are positive, by more than the share `rounding` of the largest.
    pub(super) fn sum_of_logs(&self, rounding: f64) -> Option<f64> {
        let most = self.values.iter().copied().fold(0.0, f64::max);
        let positive = self.values.iter().all(|value| *value > rounding * most);
        positive.then(|| self.values.iter().map(|value| value.ln()).sum())
    }

    /// `n Σ w ln λ`, and the same with two steps less; `None` for a value that is not positive and has a weight.
    pub(super) fn log_rules(&self, n: usize) -> [Option<f64>; 2] {
        let rule = |pairs: &mut dyn Iterator<Item = (f64, f64)>| {
            let mut sum = 0.0;
            for (value, weight) in pairs {
                // What was drawn where a space was left by nothing has no part in it.
                if weight > 0.0 && (value > 0.0 || weight > f64::EPSILON) {
                    if value <= 0.0 {
                        return None;
                    }
                    sum += weight * value.ln();
                }
            }
            Some(sum * n as f64)
        };
        let own = &mut self.values.iter().copied().zip(self.weights.iter().copied());
        [rule(own), rule(&mut self.before.iter().copied())]
    }
}
