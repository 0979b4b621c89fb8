//! Singular values and vectors.

use nalgebra::linalg::SVD;
use nalgebra::{ComplexField, DVector};

use super::jacobi::{Turn, sweep};
use super::{STEPS, Small, near_one};
use crate::engine::scale::power;

/// `A = U Σ Vᴴ`, singular values in descending order.
#[derive(Clone, Debug)]
pub(crate) struct Singular<T: ComplexField<RealField = f64>> {
    /// Orthonormal columns.
    pub(crate) left: Small<T>,
    pub(crate) values: Vec<f64>,
    /// Orthonormal columns: `V`, not its adjoint.
    pub(crate) right: Small<T>,
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
    sweep(n, |p, q| {
        let beside = images.column(p).dotc(&images.column(q));
        let ends = [p, q].map(|at| images.column(at).norm_squared());
        if beside.clone().modulus() <= rounding * (ends[0] * ends[1]).sqrt() {
            return false;
        }
        let turn = Turn::of(ends, beside);
        turn.columns(&mut images, (p, q));
        turn.columns(&mut right, (p, q));
        true
    });
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
