//! Operators along slopes.

use arrayspan::operators as of;
use arrayspan::operators::{SeisletBasis, Space};
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, numbers, space};
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::Shape;

/// The seislet transform of sections, ``[traces, time]``, along ``slopes`` of the same shape, or its inverse. ``steps`` are from trace to
/// trace and from sample to sample.
///
#[doc = include_str!("../../docs/operators/Seislet.txt")]
#[pyfunction(name = "Seislet")]
#[pyo3(signature = (shape, slopes, levels, steps=[1.0, 1.0], basis=Choice(SeisletBasis::Haar), *, inverse=false, dtype=DTYPE))]
pub(crate) fn seislet(
    shape: Shape,
    slopes: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] levels: usize,
    steps: [f64; 2],
    basis: Choice<SeisletBasis>,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, slopes) = section(shape, slopes, dtype)?;
    let made = if inverse {
        of::Seislet::inverse(space, slopes, steps, levels, basis.0)?
    } else {
        of::Seislet::new(space, slopes, steps, levels, basis.0)?
    };
    Ok(made.into())
}

/// Every value sprayed to both sides along local ``slopes``, in samples per column, of the shape of models.
///
#[doc = include_str!("../../docs/operators/PWSprayer2D.txt")]
#[pyfunction(name = "PWSprayer2D")]
#[pyo3(signature = (shape, slopes, radius=8, decay=0.9, dtype=DTYPE))]
pub(crate) fn pwsprayer2d(
    shape: Shape,
    slopes: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] radius: usize,
    decay: f64,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, slopes) = section(shape, slopes, dtype)?;
    Ok(of::PWSprayer2D::new(space, slopes, radius, decay)?.into())
}

/// Every value sprayed along local ``slopes`` and collected there.
///
#[doc = include_str!("../../docs/operators/PWSmoother2D.txt")]
#[pyfunction(name = "PWSmoother2D")]
#[pyo3(signature = (shape, slopes, radius=8, decay=0.9, dtype=DTYPE))]
pub(crate) fn pwsmoother2d(
    shape: Shape,
    slopes: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] radius: usize,
    decay: f64,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, slopes) = section(shape, slopes, dtype)?;
    Ok(of::PWSmoother2D::new(space, slopes, radius, decay)?.into())
}

/// The space of a section, and the slope of each of its elements: an array of its shape, or a sequence.
fn section(shape: Shape, slopes: &Bound<'_, PyAny>, dtype: Named) -> Result<(Space, Vec<f64>)> {
    let space = space(shape, dtype)?;
    let found: Option<Vec<usize>> = slopes.getattr("shape").and_then(|shape| shape.extract()).ok();
    if let Some(found) = found.filter(|found| found.len() > 1 && found != space.shape()) {
        let expected = space.shape();
        let why = format!("slopes: shape {found:?}, expected {expected:?}, that of the section");
        return Ok(refuse(Class::Shape, why)?);
    }
    Ok((space, numbers(slopes, "slopes")?))
}
