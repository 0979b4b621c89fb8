//! Operators on signals.

use arrayspan::operators as of;
use arrayspan::operators::{Convolution, Interpolation, Scheme};
use num_complex::Complex64;
use pyo3::prelude::*;

use super::choice::{Between, Choice};
use super::{DTYPE, kept, space};
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::{Axes, Shape};

/// Convolution along an axis with a filter, whose time zero is at index ``offset``: one of one axis, or one for each signal, an array in
/// ``shape`` with taps along the axis.
///
#[doc = include_str!("../../docs/operators/Convolve1D.txt")]
#[pyfunction(name = "Convolve1D")]
#[pyo3(signature = (shape, filter, offset=0, axis=-1, dtype=DTYPE, method=Choice(Convolution::Auto)))]
pub(crate) fn convolve1d(
    shape: Shape,
    filter: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] offset: usize,
    #[pyo3(from_py_with = integer)] axis: isize,
    dtype: Named,
    method: Choice<Convolution>,
) -> Result<PyOperator> {
    let space = space(shape, dtype)?;
    if let Ok(taps) = filter.extract::<Vec<Complex64>>() {
        return Ok(of::Convolve1D::by(space, axis, &taps, offset, method.0)?.into());
    }
    Ok(of::Convolve1D::each(space, axis, kept(filter, "filter")?, offset)?.into())
}

/// Convolution along two axes with a filter, whose time zero is at index ``offset``.
///
#[doc = include_str!("../../docs/operators/Convolve2D.txt")]
#[pyfunction(name = "Convolve2D")]
#[pyo3(signature = (shape, filter, offset=[0, 0], axes=[-2, -1], dtype=DTYPE, method=Choice(Convolution::Auto)))]
pub(crate) fn convolve2d(
    shape: Shape,
    filter: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] offset: [usize; 2],
    #[pyo3(from_py_with = integer)] axes: [isize; 2],
    dtype: Named,
    method: Choice<Convolution>,
) -> Result<PyOperator> {
    let (space, filter) = (space(shape, dtype)?, kept(filter, "filter")?);
    Ok(of::Convolve2D::new(space, axes, filter, offset, method.0)?.into())
}

/// Convolution along several axes, all unless they are named, with a filter, whose time zero is at index ``offset``: that of zeros unless
/// it is given.
///
#[doc = include_str!("../../docs/operators/ConvolveND.txt")]
#[pyfunction(name = "ConvolveND")]
#[pyo3(signature = (shape, filter, offset=None, axes=None, dtype=DTYPE, method=Choice(Convolution::Auto)))]
pub(crate) fn convolve_nd(
    shape: Shape,
    filter: &Bound<'_, PyAny>,
    offset: Option<Shape>,
    axes: Option<Axes>,
    dtype: Named,
    method: Choice<Convolution>,
) -> Result<PyOperator> {
    let (space, filter) = (space(shape, dtype)?, kept(filter, "filter")?);
    let axes = axes.unwrap_or_else(|| Axes((0..space.shape().len() as isize).collect()));
    let offset = offset.map_or_else(|| vec![0; axes.0.len()], |offset| offset.0);
    Ok(of::ConvolveND::new(space, &axes.0, filter, &offset, method.0)?.into())
}

/// Means of neighbours: of ``n`` along ``axis`` for each pair ``(axis, n)`` of ``windows``.
///
#[doc = include_str!("../../docs/operators/Smoothing.txt")]
#[pyfunction(name = "Smoothing")]
#[pyo3(signature = (shape, windows, dtype=DTYPE))]
pub(crate) fn smoothing(
    shape: Shape,
    #[pyo3(from_py_with = integer)] windows: Vec<(isize, usize)>,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::Smoothing::new(space(shape, dtype)?, &windows)?.into())
}

/// Values between the samples of an axis: at ``positions``, in samples. ``least`` is the least weight of ``"sinc"`` that is kept.
///
#[doc = include_str!("../../docs/operators/Interp.txt")]
#[pyfunction(name = "Interp")]
#[pyo3(signature = (
    shape, positions, axis=-1, interpolation=Choice(Between::Samples(Interpolation::Linear)), dtype=DTYPE, least=0.0,
))]
pub(crate) fn interp(
    shape: Shape,
    positions: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] axis: isize,
    interpolation: Choice<Between>,
    dtype: Named,
    least: f64,
) -> Result<PyOperator> {
    let (space, positions) = (space(shape, dtype)?, super::numbers(positions, "positions")?);
    Ok(match interpolation.0 {
        Between::Samples(kind) => of::Interp::new(space, axis, positions, kind)?,
        Between::Sinc => of::Interp::sinc(space, axis, positions, least)?,
    }
    .into())
}

/// Values of the natural cubic spline through the samples of an axis: at ``positions``, in samples.
///
#[doc = include_str!("../../docs/operators/InterpCubicSpline.txt")]
#[pyfunction(name = "InterpCubicSpline")]
#[pyo3(signature = (shape, positions, axis=-1, dtype=DTYPE))]
pub(crate) fn interp_cubic_spline(
    shape: Shape,
    positions: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] axis: isize,
    dtype: Named,
) -> Result<PyOperator> {
    let positions = super::numbers(positions, "positions")?;
    Ok(of::InterpCubicSpline::new(space(shape, dtype)?, axis, positions)?.into())
}

/// Values between the samples of the first two axes: at positions ``rows`` along axis 0 and ``columns`` along axis 1, in samples.
///
#[doc = include_str!("../../docs/operators/Bilinear.txt")]
#[pyfunction(name = "Bilinear")]
#[pyo3(signature = (shape, rows, columns, dtype=DTYPE))]
pub(crate) fn bilinear(
    shape: Shape,
    rows: &Bound<'_, PyAny>,
    columns: &Bound<'_, PyAny>,
    dtype: Named,
) -> Result<PyOperator> {
    let (rows, columns) = (super::numbers(rows, "rows")?, super::numbers(columns, "columns")?);
    if rows.len() != columns.len() {
        let why = format!("Bilinear: {} rows and {} columns", rows.len(), columns.len());
        return Ok(refuse(Class::Parameter, why)?);
    }
    let positions: Vec<[f64; 2]> = rows.into_iter().zip(columns).map(<[f64; 2]>::from).collect();
    Ok(of::Bilinear::new(space(shape, dtype)?, positions)?.into())
}

/// Data of a wavelet on the derivative along time, axis 0, of the logarithm of acoustic impedance.
///
#[doc = include_str!("../../docs/operators/PoststackLinearModelling.txt")]
#[pyfunction(name = "PoststackLinearModelling")]
#[pyo3(signature = (shape, wavelet, scheme=Choice(Scheme::Centered3), dtype=DTYPE))]
pub(crate) fn poststack_linear_modelling(
    shape: Shape,
    wavelet: Vec<Complex64>,
    scheme: Choice<Scheme>,
    dtype: Named,
) -> Result<PyOperator> {
    Ok(of::PoststackLinearModelling::new(space(shape, dtype)?, &wavelet, scheme.0)?.into())
}
