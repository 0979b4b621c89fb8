//! `Patch3D`: patches that share samples along all axes, along none, are alone along two; a matrix of all elements.

use arrayspan_bridge::DType;
use arrayspan_operators::{Operator, Patch3D, Result};

use super::windowed::{TAPERED, Windowed};
use crate::suite::Case;

/// The matrix on all patches, and one launch that adds them up.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let volume = Windowed { shape: &[7, 8, 5], windows: &[(3, 1), (5, 2), (3, 1)], ..TAPERED };
    let windows = &[(2, 1), (4, 2), (3, 0)];
    let flat = Windowed { shape: &[3, 7, 6], windows, flat: true, ..TAPERED };
    let windows = &[(1, 0), (1, 0), (2, 0)];
    let thin = Windowed { shape: &[1, 13, 2], windows, columns: 1, ..TAPERED };
    let alone = Windowed { shape: &[4, 8, 3], ..volume };
    vec![
        volume.case(dtype, make, Some("patch3d/volume")),
        Windowed { taper: None, ..volume }.case(dtype, make, Some("patch3d/untapered")),
        flat.case(dtype, make, Some("patch3d/flat")),
        alone.case(dtype, make, Some("patch3d/alone")),
        thin.case(dtype, make, None),
    ]
}

fn make(inner: Operator, windowed: Windowed) -> Result<Operator> {
    let shape = [windowed.shape[0], windowed.shape[1], windowed.shape[2]];
    Patch3D::new(inner, shape, [0, 1, 2].map(|axis| windowed.along(axis)))
}
