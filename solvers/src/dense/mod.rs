//! Small dense matrices on the host, in double precision: what large problems are projected onto.
//!
//! Decompositions begin with those of `nalgebra`, whose vectors are off by up to `1e-9` where values are clustered, and are made exact to
//! rounding by rotations of Jacobi, of which one or two sweeps are left to do. Matrices are brought near 1 first, so that no square
//! overflows or underflows; numbers that are not finite are no matrix to decompose; results are sorted.

mod jacobi;
mod self_adjoint;
mod singular;
mod transfer;

use nalgebra::{ComplexField, DMatrix};

use crate::engine::scale::exponent;

pub(crate) use self_adjoint::{eigenvectors, self_adjoint};
pub(crate) use singular::singular;
pub(crate) use transfer::{download, numbers, upload};

/// A matrix of `f64` or `Complex64`.
pub(crate) type Small<T> = DMatrix<T>;

/// Steps for each row of the first decomposition, at most. Three are usual.
const STEPS: usize = 100;

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
mod tests;
