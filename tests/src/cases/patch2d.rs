//! `Patch2D`: patches that share samples along both axes, touch, are alone along one; a matrix of all elements.

use arrayspan_bridge::DType;
use arrayspan_operators::taper::Ramp;
use arrayspan_operators::{Operator, Patch2D, Result};

use super::windowed::{TAPERED, Windowed};
use crate::suite::Case;

/// The matrix on all patches, and one launch that adds them up.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let plane = Windowed { shape: &[11, 10], windows: &[(5, 2), (6, 3)], ..TAPERED };
    let root = Windowed { taper: Some(Ramp::SquareRootCosine), ..plane };
    let flat = Windowed { shape: &[7, 8], windows: &[(3, 1), (4, 2)], flat: true, ..TAPERED };
    let apart = Windowed { shape: &[7, 9], windows: &[(2, 0), (3, 0)], ..TAPERED };
    let alone = Windowed { shape: &[6, 10], ..plane };
    let thin = Windowed { shape: &[1, 34], windows: &[(1, 0), (4, 1)], columns: 1, ..TAPERED };
    vec![
        plane.case(dtype, make, Some("patch2d/plane")),
        root.case(dtype, make, Some("patch2d/square_root")),
        flat.case(dtype, make, Some("patch2d/flat")),
        apart.case(dtype, make, Some("patch2d/apart")),
        alone.case(dtype, make, Some("patch2d/alone")),
        thin.case(dtype, make, None),
    ]
}

fn make(inner: Operator, windowed: Windowed) -> Result<Operator> {
    let shape = [windowed.shape[0], windowed.shape[1]];
    Patch2D::new(inner, shape, [windowed.along(0), windowed.along(1)])
}
