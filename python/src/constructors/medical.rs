//! Medical imaging.

use arrayspan::operators as of;
use arrayspan::operators::KSpace;
use pyo3::prelude::*;

use super::{kept, space};
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::operator::PyOperator;
use crate::shape::Shape;

/// What is measured of the spectra of images, zero frequency in the middle: weights for all frequencies (``mask``, complex), ``lines`` of the
/// second axis, or ``points``, a sequence of rows and one of columns, in samples.
///
#[doc = include_str!("../../docs/operators/MRI2D.txt")]
#[pyfunction(name = "MRI2D")]
#[pyo3(signature = (shape, mask=None, *, lines=None, points=None, dtype=Named(arrayspan::bridge::DType::Complex64)))]
pub(crate) fn mri2d(
    shape: Shape,
    mask: Option<&Bound<'_, PyAny>>,
    lines: Option<Shape>,
    points: Option<[Vec<f64>; 2]>,
    dtype: Named,
) -> Result<PyOperator> {
    let k_space = match (mask, lines, points) {
        (Some(mask), None, None) => KSpace::Mask(kept(mask, "mask")?),
        (None, Some(lines), None) => KSpace::Lines(lines.0),
        (None, None, Some([rows, columns])) if rows.len() == columns.len() => {
            KSpace::Points(rows.into_iter().zip(columns).map(|(i, j)| [i, j]).collect())
        }
        (None, None, Some([rows, columns])) => {
            let why = format!("MRI2D: {} rows and {} columns", rows.len(), columns.len());
            return Ok(refuse(Class::Parameter, why)?);
        }
        _ => {
            let why = "MRI2D: expected one of mask, lines and points".to_owned();
            return Ok(refuse(Class::Parameter, why)?);
        }
    };
    Ok(of::MRI2D::new(space(shape, dtype)?, &k_space)?.into())
}
