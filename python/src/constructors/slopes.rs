//! Operators along slopes.

use arrayspan::operators as of;
use arrayspan::operators::SeisletBasis;
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, numbers, space};
use crate::dtype::Named;
use crate::error::Result;
use crate::operator::PyOperator;
use crate::shape::Shape;

/// The seislet transform of sections, ``[traces, time]``, along ``slopes`` of the same shape, or its inverse. ``steps`` are from trace to
/// trace and from sample to sample.
#[pyfunction(name = "Seislet")]
#[pyo3(signature = (shape, slopes, levels, steps=[1.0, 1.0], basis=Choice(SeisletBasis::Haar), *, inverse=false, dtype=DTYPE))]
pub(crate) fn seislet(
    shape: Shape,
    slopes: &Bound<'_, PyAny>,
    levels: usize,
    steps: [f64; 2],
    basis: Choice<SeisletBasis>,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, slopes) = (space(shape, dtype)?, numbers(slopes, "slopes")?);
    let made = if inverse {
        of::Seislet::inverse(space, slopes, steps, levels, basis.0)?
    } else {
        of::Seislet::new(space, slopes, steps, levels, basis.0)?
    };
    Ok(made.into())
}

/// Every value sprayed to both sides along local ``slopes``, in samples per column, of the shape of models.
#[pyfunction(name = "PWSprayer2D")]
#[pyo3(signature = (shape, slopes, radius=8, decay=0.9, dtype=DTYPE))]
pub(crate) fn pwsprayer2d(
    shape: Shape,
    slopes: &Bound<'_, PyAny>,
    radius: usize,
    decay: f64,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, slopes) = (space(shape, dtype)?, numbers(slopes, "slopes")?);
    Ok(of::PWSprayer2D::new(space, slopes, radius, decay)?.into())
}

/// Every value sprayed along local ``slopes`` and collected there.
#[pyfunction(name = "PWSmoother2D")]
#[pyo3(signature = (shape, slopes, radius=8, decay=0.9, dtype=DTYPE))]
pub(crate) fn pwsmoother2d(
    shape: Shape,
    slopes: &Bound<'_, PyAny>,
    radius: usize,
    decay: f64,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, slopes) = (space(shape, dtype)?, numbers(slopes, "slopes")?);
    Ok(of::PWSmoother2D::new(space, slopes, radius, decay)?.into())
}
