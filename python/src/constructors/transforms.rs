//! Wavelet and cosine transforms.

use arrayspan::operators as of;
use arrayspan::operators::{Biorthogonal, Cosines, QuarterShift, Wavelet};
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, space};
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::{Axes, Shape};

/// The discrete wavelet transform along an axis, of ``levels`` levels, with zeros up to a power of two; ``inverse`` goes back.
///
#[doc = include_str!("../../docs/operators/DWT.txt")]
#[pyfunction(name = "DWT")]
#[pyo3(signature = (shape, wavelet="haar", levels=1, axis=-1, *, inverse=false, dtype=DTYPE))]
pub(crate) fn dwt(
    shape: Shape,
    wavelet: &str,
    #[pyo3(from_py_with = integer)] levels: usize,
    #[pyo3(from_py_with = integer)] axis: isize,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, wavelet) = (space(shape, dtype)?, Wavelet::named(wavelet)?);
    let make = if inverse { of::DWT::inverse } else { of::DWT::new };
    Ok(make(space, axis, &wavelet, levels)?.into())
}

/// The discrete wavelet transform along two axes, of ``levels`` levels, with zeros up to powers of two; ``inverse`` goes back.
///
#[doc = include_str!("../../docs/operators/DWT2D.txt")]
#[pyfunction(name = "DWT2D")]
#[pyo3(signature = (shape, wavelet="haar", levels=1, axes=Axes::last_two(), *, inverse=false, dtype=DTYPE))]
pub(crate) fn dwt2d(
    shape: Shape,
    wavelet: &str,
    #[pyo3(from_py_with = integer)] levels: usize,
    axes: Axes,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let Ok(axes) = <[isize; 2]>::try_from(&axes.0[..]) else {
        return Ok(refuse(Class::Parameter, "DWT2D: expected two axes".to_owned())?);
    };
    let (space, wavelet) = (space(shape, dtype)?, Wavelet::named(wavelet)?);
    let make = if inverse { of::DWT2D::inverse } else { of::DWT2D::new };
    Ok(make(space, axes, &wavelet, levels)?.into())
}

/// The discrete wavelet transform along several axes, of ``levels`` levels, with zeros up to powers of two; ``inverse`` goes back.
///
#[doc = include_str!("../../docs/operators/DWTND.txt")]
#[pyfunction(name = "DWTND")]
#[pyo3(signature = (shape, axes, wavelet="haar", levels=1, *, inverse=false, dtype=DTYPE))]
pub(crate) fn dwtnd(
    shape: Shape,
    axes: Axes,
    wavelet: &str,
    #[pyo3(from_py_with = integer)] levels: usize,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, wavelet) = (space(shape, dtype)?, Wavelet::named(wavelet)?);
    let make = if inverse { of::DWTND::inverse } else { of::DWTND::new };
    Ok(make(space, &axes.0, &wavelet, levels)?.into())
}

/// The orthonormal discrete cosine transform of ``kind`` 1 to 4 along some axes, all if none are said.
///
#[doc = include_str!("../../docs/operators/DCT.txt")]
#[pyfunction(name = "DCT")]
#[pyo3(signature = (shape, axes=None, kind=2, dtype=DTYPE))]
pub(crate) fn dct(
    shape: Shape,
    axes: Option<Axes>,
    #[pyo3(from_py_with = integer)] kind: usize,
    dtype: Named,
) -> Result<PyOperator> {
    let cosines = match kind {
        1 => Cosines::I,
        2 => Cosines::II,
        3 => Cosines::III,
        4 => Cosines::IV,
        _ => return Ok(refuse(Class::Parameter, format!("DCT: kind {kind}, expected 1 to 4"))?),
    };
    let space = space(shape, dtype)?;
    let axes = axes.map_or_else(|| (0..space.shape().len() as isize).collect(), |axes| axes.0);
    Ok(of::DCT::new(space, &axes, cosines)?.into())
}

/// The dual-tree complex wavelet transform along an axis, or its inverse.
///
#[doc = include_str!("../../docs/operators/DTCWT.txt")]
#[pyfunction(name = "DTCWT")]
#[pyo3(signature = (shape, levels=3, axis=-1, first=Choice(Biorthogonal::NearSymmetricA), further=Choice(QuarterShift::A), *, inverse=false, dtype=DTYPE))]
pub(crate) fn dtcwt(
    shape: Shape,
    #[pyo3(from_py_with = integer)] levels: usize,
    #[pyo3(from_py_with = integer)] axis: isize,
    first: Choice<Biorthogonal>,
    further: Choice<QuarterShift>,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let make = if inverse { of::DTCWT::inverse } else { of::DTCWT::new };
    Ok(make(space(shape, dtype)?, axis, levels, first.0, further.0)?.into())
}

/// The names of all wavelets.
#[pyfunction]
pub(crate) fn wavelets() -> Vec<String> {
    Wavelet::names().collect()
}
