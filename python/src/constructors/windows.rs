//! Operators on overlapping windows.

use arrayspan::operators as of;
use arrayspan::operators::Windows;
use arrayspan::operators::taper::Ramp;
use pyo3::prelude::*;

use super::choice::Choice;
use crate::error::{Class, Result, refuse};
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::{PerAxis, Shape};

/// How windows rise and fall, if they do.
type Taper = Option<Choice<Ramp>>;

const TAPER: Taper = Some(Choice(Ramp::Cosine));

/// An operator on each of the windows of an axis of ``extent`` samples, added up with tapers where they overlap.
///
#[doc = include_str!("../../docs/operators/Sliding1D.txt")]
#[pyfunction(name = "Sliding1D")]
#[pyo3(signature = (inner, extent, window, overlap=0, taper=TAPER))]
pub(crate) fn sliding1d(
    inner: &PyOperator,
    #[pyo3(from_py_with = integer)] extent: usize,
    #[pyo3(from_py_with = integer)] window: usize,
    #[pyo3(from_py_with = integer)] overlap: usize,
    taper: Taper,
) -> Result<PyOperator> {
    let windows = Windows { len: window, overlap, taper: taper.map(|taper| taper.0) };
    Ok(of::Sliding1D::new(&inner.0, extent, windows)?.into())
}

/// An operator on each of the windows along the first of two axes.
///
#[doc = include_str!("../../docs/operators/Sliding2D.txt")]
#[pyfunction(name = "Sliding2D")]
#[pyo3(signature = (inner, shape, window, overlap=0, taper=TAPER))]
pub(crate) fn sliding2d(
    inner: &PyOperator,
    shape: Shape,
    #[pyo3(from_py_with = integer)] window: usize,
    #[pyo3(from_py_with = integer)] overlap: usize,
    taper: Taper,
) -> Result<PyOperator> {
    let windows = Windows { len: window, overlap, taper: taper.map(|taper| taper.0) };
    Ok(of::Sliding2D::new(&inner.0, data("Sliding2D", shape)?, windows)?.into())
}

/// An operator on each of the windows along the first two of three axes.
///
#[doc = include_str!("../../docs/operators/Sliding3D.txt")]
#[pyfunction(name = "Sliding3D")]
#[pyo3(signature = (inner, shape, windows, overlaps=PerAxis::All(0), taper=TAPER))]
pub(crate) fn sliding3d(
    inner: &PyOperator,
    shape: Shape,
    windows: PerAxis<usize>,
    overlaps: PerAxis<usize>,
    taper: Taper,
) -> Result<PyOperator> {
    let windows = each("Sliding3D", windows, overlaps, taper)?;
    Ok(of::Sliding3D::new(&inner.0, data("Sliding3D", shape)?, windows)?.into())
}

/// An operator on each of the patches of two axes, added up with tapers where they overlap.
///
#[doc = include_str!("../../docs/operators/Patch2D.txt")]
#[pyfunction(name = "Patch2D")]
#[pyo3(signature = (inner, shape, windows, overlaps=PerAxis::All(0), taper=TAPER))]
pub(crate) fn patch2d(
    inner: &PyOperator,
    shape: Shape,
    windows: PerAxis<usize>,
    overlaps: PerAxis<usize>,
    taper: Taper,
) -> Result<PyOperator> {
    let windows = each("Patch2D", windows, overlaps, taper)?;
    Ok(of::Patch2D::new(&inner.0, data("Patch2D", shape)?, windows)?.into())
}

/// An operator on each of the patches of three axes.
///
#[doc = include_str!("../../docs/operators/Patch3D.txt")]
#[pyfunction(name = "Patch3D")]
#[pyo3(signature = (inner, shape, windows, overlaps=PerAxis::All(0), taper=TAPER))]
pub(crate) fn patch3d(
    inner: &PyOperator,
    shape: Shape,
    windows: PerAxis<usize>,
    overlaps: PerAxis<usize>,
    taper: Taper,
) -> Result<PyOperator> {
    let windows = each("Patch3D", windows, overlaps, taper)?;
    Ok(of::Patch3D::new(&inner.0, data("Patch3D", shape)?, windows)?.into())
}

/// The shape of data with so many axes.
fn data<const AXES: usize>(operator: &str, shape: Shape) -> PyResult<[usize; AXES]> {
    <[usize; AXES]>::try_from(shape.0).or_else(|shape| {
        let why = format!("{operator}: data of shape {shape:?}, expected {AXES} axes");
        refuse(Class::Parameter, why)
    })
}

/// Windows along each of so many axes.
fn each<const AXES: usize>(
    operator: &str,
    windows: PerAxis<usize>,
    overlaps: PerAxis<usize>,
    taper: Taper,
) -> PyResult<[Windows; AXES]> {
    let taper = taper.map(|taper| taper.0);
    let lens = windows.of(AXES, operator, "windows")?;
    let overlaps = overlaps.of(AXES, operator, "overlaps")?;
    Ok(std::array::from_fn(|axis| Windows { len: lens[axis], overlap: overlaps[axis], taper }))
}
