//! Operators with a filter for each place, and a matrix for each slice.

use arrayspan::operators as of;
use arrayspan::operators::{Convolution, FourierAxis, RadonKind};
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, kept, numbers, space};
use crate::dtype::Named;
use crate::error::Result;
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::{Indices, Shape};

/// Convolution along an axis with ``filters``, ``(places, taps)``, at rising ``places``, and on straight lines between these.
///
#[doc = include_str!("../../docs/operators/NonStationaryConvolve1D.txt")]
#[pyfunction(name = "NonStationaryConvolve1D")]
#[pyo3(signature = (shape, filters, places, axis=-1, dtype=DTYPE))]
pub(crate) fn non_stationary_convolve1d(
    shape: Shape,
    filters: &Bound<'_, PyAny>,
    places: Indices,
    #[pyo3(from_py_with = integer)] axis: isize,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, filters) = (space(shape, dtype)?, kept(filters, "filters")?);
    Ok(of::NonStationaryConvolve1D::new(space, axis, filters, places.0)?.into())
}

/// Convolution along two axes with ``filters``, ``(places, places, taps, taps)``, on a grid of ``places``, one list for each axis, and
/// interpolated between these.
///
#[doc = include_str!("../../docs/operators/NonStationaryConvolve2D.txt")]
#[pyfunction(name = "NonStationaryConvolve2D")]
#[pyo3(signature = (shape, filters, places, dtype=DTYPE, method=Choice(Convolution::Auto)))]
pub(crate) fn non_stationary_convolve2d(
    shape: Shape,
    filters: &Bound<'_, PyAny>,
    places: [Indices; 2],
    dtype: Named,
    method: Choice<Convolution>,
) -> Result<PyOperator> {
    let (space, filters) = (space(shape, dtype)?, kept(filters, "filters")?);
    let places = [&places[0].0[..], &places[1].0];
    Ok(of::NonStationaryConvolve2D::by(space, filters, places, method.0)?.into())
}

/// Convolution along three axes with ``filters``, ``(places, places, places, taps, taps, taps)``: see ``NonStationaryConvolve2D``.
///
#[doc = include_str!("../../docs/operators/NonStationaryConvolve3D.txt")]
#[pyfunction(name = "NonStationaryConvolve3D")]
#[pyo3(signature = (shape, filters, places, dtype=DTYPE, method=Choice(Convolution::Auto)))]
pub(crate) fn non_stationary_convolve3d(
    shape: Shape,
    filters: &Bound<'_, PyAny>,
    places: [Indices; 3],
    dtype: Named,
    method: Choice<Convolution>,
) -> Result<PyOperator> {
    let (space, filters) = (space(shape, dtype)?, kept(filters, "filters")?);
    let places = [&places[0].0[..], &places[1].0, &places[2].0];
    Ok(of::NonStationaryConvolve3D::by(space, filters, places, method.0)?.into())
}

/// What filters of ``taps`` taps at ``places`` give of an ``input`` of one axis.
///
#[doc = include_str!("../../docs/operators/NonStationaryFilters1D.txt")]
#[pyfunction(name = "NonStationaryFilters1D")]
#[pyo3(signature = (input, taps, places))]
pub(crate) fn non_stationary_filters1d(
    input: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] taps: usize,
    places: Indices,
) -> Result<PyOperator> {
    Ok(of::NonStationaryFilters1D::new(kept(input, "input")?, taps, places.0)?.into())
}

/// What filters of so many ``taps`` along each axis, at ``places``, one list for each axis, give of an ``input`` of two axes.
///
#[doc = include_str!("../../docs/operators/NonStationaryFilters2D.txt")]
#[pyfunction(name = "NonStationaryFilters2D")]
#[pyo3(signature = (input, taps, places))]
pub(crate) fn non_stationary_filters2d(
    input: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] taps: [usize; 2],
    places: [Indices; 2],
) -> Result<PyOperator> {
    let places = [&places[0].0[..], &places[1].0];
    Ok(of::NonStationaryFilters2D::new(kept(input, "input")?, taps, places)?.into())
}

/// The product with a matrix for each slice: ``kernel`` is ``(slices, rows, columns)``, models ``(slices, columns, others)``.
///
#[doc = include_str!("../../docs/operators/Fredholm1.txt")]
#[pyfunction(name = "Fredholm1")]
#[pyo3(signature = (kernel, others=1))]
pub(crate) fn fredholm1(
    kernel: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] others: usize,
) -> Result<PyOperator> {
    Ok(of::Fredholm1::new(kept(kernel, "kernel")?, others)?.into())
}

/// Sums along straight lines by chirps, from data ``(offsets, time)`` to slopes up to ``pmax`` samples of time per sample of offset; or,
/// with ``inverse``, from slopes to data.
///
#[doc = include_str!("../../docs/operators/ChirpRadon2D.txt")]
#[pyfunction(name = "ChirpRadon2D")]
#[pyo3(signature = (shape, pmax, inverse=false, dtype=DTYPE))]
pub(crate) fn chirp_radon2d(
    shape: Shape,
    pmax: f64,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let space = space(shape, dtype)?;
    let make = if inverse { of::ChirpRadon2D::inverse } else { of::ChirpRadon2D::new };
    Ok(make(space, pmax)?.into())
}

/// Sums over planes by chirps, from data ``(y, x, time)`` to slopes up to ``pmax`` along y and x: see ``ChirpRadon2D``.
///
#[doc = include_str!("../../docs/operators/ChirpRadon3D.txt")]
#[pyfunction(name = "ChirpRadon3D")]
#[pyo3(signature = (shape, pmax, inverse=false, dtype=DTYPE))]
pub(crate) fn chirp_radon3d(
    shape: Shape,
    pmax: [f64; 2],
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let space = space(shape, dtype)?;
    let make = if inverse { of::ChirpRadon3D::inverse } else { of::ChirpRadon3D::new };
    Ok(make(space, pmax)?.into())
}

/// Lines or parabolas of models ``(slownesses, time)``, by phases of their spectra of ``points`` points, as data ``(offsets, time)``; of bins
/// from ``band[0]`` up to, without, ``band[1]``, or all.
///
#[doc = include_str!("../../docs/operators/FourierRadon2D.txt")]
#[pyfunction(name = "FourierRadon2D")]
#[pyo3(signature = (shape, slownesses, offsets, points=None, step=1.0, band=None, kind=Choice(RadonKind::Linear), dtype=DTYPE))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn fourier_radon2d(
    shape: Shape,
    slownesses: &Bound<'_, PyAny>,
    offsets: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] points: Option<usize>,
    step: f64,
    #[pyo3(from_py_with = integer)] band: Option<(usize, usize)>,
    kind: Choice<RadonKind>,
    dtype: Named,
) -> Result<PyOperator> {
    let time = FourierAxis { points, step, ..FourierAxis::new(-1) };
    let (slownesses, offsets) = (numbers(slownesses, "slownesses")?, numbers(offsets, "offsets")?);
    let (space, band) = (space(shape, dtype)?, band.map(|(first, end)| first..end));
    Ok(of::FourierRadon2D::new(space, time, band, &slownesses, &offsets, kind.0)?.into())
}

/// Planes or paraboloids of models ``(slownesses y, slownesses x, time)`` as data ``(offsets y, offsets x, time)``: see ``FourierRadon2D``.
///
#[doc = include_str!("../../docs/operators/FourierRadon3D.txt")]
#[pyfunction(name = "FourierRadon3D")]
#[pyo3(signature = (shape, slownesses, offsets, points=None, step=1.0, band=None, kinds=[Choice(RadonKind::Linear), Choice(RadonKind::Linear)], dtype=DTYPE))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn fourier_radon3d(
    shape: Shape,
    slownesses: [Bound<'_, PyAny>; 2],
    offsets: [Bound<'_, PyAny>; 2],
    #[pyo3(from_py_with = integer)] points: Option<usize>,
    step: f64,
    #[pyo3(from_py_with = integer)] band: Option<(usize, usize)>,
    kinds: [Choice<RadonKind>; 2],
    dtype: Named,
) -> Result<PyOperator> {
    let time = FourierAxis { points, step, ..FourierAxis::new(-1) };
    let [y, x] = &slownesses;
    let slownesses = [numbers(y, "slownesses")?, numbers(x, "slownesses")?];
    let [y, x] = &offsets;
    let offsets = [numbers(y, "offsets")?, numbers(x, "offsets")?];
    let (space, band) = (space(shape, dtype)?, band.map(|(first, end)| first..end));
    let (slownesses, offsets) = (slownesses.each_ref(), offsets.each_ref());
    let (slownesses, offsets) = (slownesses.map(|all| &all[..]), offsets.map(|all| &all[..]));
    let kinds = kinds.map(|kind| kind.0);
    Ok(of::FourierRadon3D::new(space, time, band, slownesses, offsets, kinds)?.into())
}
