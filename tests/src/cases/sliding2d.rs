//! `Sliding2D`: windows of the first axis with a matrix along it, or of all elements; one window; an axis of one sample.

use arrayspan_bridge::DType;
use arrayspan_operators::{Operator, Result, Sliding2D};

use super::windowed::{TAPERED, Windowed};
use crate::suite::Case;

/// The matrix on all windows, and one launch that adds them up.
#[must_use]
pub fn cases(dtype: DType) -> Vec<Case> {
    let plane = Windowed { shape: &[11, 3], windows: &[(5, 2)], ..TAPERED };
    let flat = Windowed { columns: 2, flat: true, ..plane };
    let alone = Windowed { shape: &[6, 3], ..plane };
    let thin = Windowed { shape: &[8, 1], columns: 11, ..plane };
    vec![
        plane.case(dtype, make, Some("sliding2d/plane")),
        Windowed { taper: None, ..plane }.case(dtype, make, Some("sliding2d/untapered")),
        flat.case(dtype, make, Some("sliding2d/flat")),
        alone.case(dtype, make, Some("sliding2d/alone")),
        thin.case(dtype, make, None),
    ]
}

fn make(inner: Operator, windowed: Windowed) -> Result<Operator> {
    Sliding2D::new(inner, [windowed.shape[0], windowed.shape[1]], windowed.along(0))
}
