//! Kernels of sums along curves.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::{KernelSource, Specialisation};

use super::super::element::Element;
use super::super::formula::Formula;
use super::super::project::Variant;
use super::setting::{checked, row_major, updates};
use crate::projection::{Beam, Projection, Rays};

/// Both directions of curves of every kind.
pub(super) fn all(dtype: DType) -> Vec<KernelSource> {
    let beam = Beam { first: [-5.0, 0.0], step: [0.0, 1.0], rays: Rays::Parallel([1.0, 0.25]) };
    let square = |row, line| (row * line) as f64;
    let projections = [
        Projection::shifts(&[3], &[4], 50, |row, line| row as f64 * 0.3 * line as f64, false),
        Projection::hyperbolas(&[3], &[4], 50, square, false),
        Projection::hyperbolas(&[3], &[4], 50, square, true),
        Projection::beams([4, 50], 50, &[beam; 3], true),
    ];
    let mut kernels = Vec::new();
    for (number, projection) in projections.into_iter().flatten().enumerate() {
        for (turn, projection) in [projection.transpose(), projection].into_iter().enumerate() {
            let layouts = (row_major(projection.rows()), row_major(projection.columns()));
            let (Some(y), Some(x)) = layouts else { continue };
            let Some(factors) = checked(updates(dtype)[(number + turn) % 2], dtype) else {
                continue;
            };
            let formula = Formula::update(&factors, Element(dtype)).0;
            kernels.push(Variant::new(dtype, formula, &projection, [&y, &x], (1, &[], 0)).source());
        }
    }
    kernels
}
