//! `Sliding3D`: windows of two axes of three, one window along one of them, a matrix of all elements.

use arrayspan_bridge::DType;
use arrayspan_operators::{Operator, Result, Sliding3D};

use super::windowed::{TAPERED, Windowed};
use crate::suite::Case;

/// The matrix on all windows, and one launch that adds them up.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let volume = Windowed { shape: &[11, 9, 2], windows: &[(5, 2), (4, 1)], ..TAPERED };
    let flat = Windowed { shape: &[7, 6, 3], windows: &[(3, 1), (2, 0)], flat: true, ..TAPERED };
    let windows = &[(1, 0), (2, 1)];
    let thin = Windowed { shape: &[11, 3, 1], windows, columns: 1, ..TAPERED };
    let alone = Windowed { shape: &[6, 9, 2], ..volume };
    vec![
        volume.case(dtype, make, Some("sliding3d/volume")),
        Windowed { taper: None, ..volume }.case(dtype, make, Some("sliding3d/untapered")),
        flat.case(dtype, make, Some("sliding3d/flat")),
        alone.case(dtype, make, Some("sliding3d/alone")),
        thin.case(dtype, make, None),
    ]
}

fn make(inner: Operator, windowed: Windowed) -> Result<Operator> {
    let shape = [windowed.shape[0], windowed.shape[1], windowed.shape[2]];
    Sliding3D::new(inner, shape, [windowed.along(0), windowed.along(1)])
}
