//! Operators on spectra.

use arrayspan::operators as of;
use arrayspan::operators::{FourierAxis, FourierNorm, Spectrum};
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, kept, space};
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::{Axes, PerAxis, Shape};

/// The discrete Fourier transform along an axis, of ``points`` points, which zeros fill up, or samples behind which are cut off. Half a
/// spectrum, of real signals, has the bins up to half the points, those that stand for two times √2.
///
#[doc = include_str!("../../docs/operators/FFT.txt")]
#[pyfunction(name = "FFT")]
#[pyo3(signature = (shape, axis=-1, points=None, spectrum=Choice(Spectrum::Full), norm=Choice(FourierNorm::Ortho), ifftshift_before=false, fftshift_after=false, dtype=DTYPE))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn fft(
    shape: Shape,
    #[pyo3(from_py_with = integer)] axis: isize,
    #[pyo3(from_py_with = integer)] points: Option<usize>,
    spectrum: Choice<Spectrum>,
    norm: Choice<FourierNorm>,
    ifftshift_before: bool,
    fftshift_after: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let axis = FourierAxis { points, ifftshift_before, fftshift_after, ..FourierAxis::new(axis) };
    Ok(of::FFT::new(space(shape, dtype)?, axis, spectrum.0, norm.0)?.into())
}

/// The discrete Fourier transform along two axes, the second of which half a spectrum halves; points and shifts are those of both, or
/// one for each.
///
#[doc = include_str!("../../docs/operators/FFT2D.txt")]
#[pyfunction(name = "FFT2D")]
#[pyo3(signature = (shape, axes=Axes::last_two(), points=PerAxis::All(None), spectrum=Choice(Spectrum::Full), norm=Choice(FourierNorm::Ortho), ifftshift_before=PerAxis::All(false), fftshift_after=PerAxis::All(false), dtype=DTYPE))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn fft2d(
    shape: Shape,
    axes: Axes,
    points: PerAxis<Option<usize>>,
    spectrum: Choice<Spectrum>,
    norm: Choice<FourierNorm>,
    ifftshift_before: PerAxis<bool>,
    fftshift_after: PerAxis<bool>,
    dtype: Named,
) -> Result<PyOperator> {
    let axes = transformed("FFT2D", &axes, points, ifftshift_before, fftshift_after)?;
    let Ok(axes) = <[FourierAxis; 2]>::try_from(axes) else {
        return Ok(refuse(Class::Parameter, "FFT2D: expected two axes".to_owned())?);
    };
    Ok(of::FFT2D::new(space(shape, dtype)?, axes, spectrum.0, norm.0)?.into())
}

/// The discrete Fourier transform along several axes, the last of which half a spectrum halves; points and shifts are those of all, or
/// one for each.
///
#[doc = include_str!("../../docs/operators/FFTND.txt")]
#[pyfunction(name = "FFTND")]
#[pyo3(signature = (shape, axes, points=PerAxis::All(None), spectrum=Choice(Spectrum::Full), norm=Choice(FourierNorm::Ortho), ifftshift_before=PerAxis::All(false), fftshift_after=PerAxis::All(false), dtype=DTYPE))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn fftnd(
    shape: Shape,
    axes: Axes,
    points: PerAxis<Option<usize>>,
    spectrum: Choice<Spectrum>,
    norm: Choice<FourierNorm>,
    ifftshift_before: PerAxis<bool>,
    fftshift_after: PerAxis<bool>,
    dtype: Named,
) -> Result<PyOperator> {
    let axes = transformed("FFTND", &axes, points, ifftshift_before, fftshift_after)?;
    Ok(of::FFTND::new(space(shape, dtype)?, &axes, spectrum.0, norm.0)?.into())
}

/// Delays along an axis, by fractions of its ``step``: one for all signals, or an array with one for each, in ``shape`` without the axis.
///
#[doc = include_str!("../../docs/operators/Shift.txt")]
#[pyfunction(name = "Shift")]
#[pyo3(signature = (shape, delay, axis=-1, points=None, step=1.0, dtype=DTYPE))]
pub(crate) fn shift(
    shape: Shape,
    delay: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = integer)] axis: isize,
    #[pyo3(from_py_with = integer)] points: Option<usize>,
    step: f64,
    dtype: Named,
) -> Result<PyOperator> {
    let (space, axis) =
        (space(shape, dtype)?, FourierAxis { points, step, ..FourierAxis::new(axis) });
    // Not by whether it is a number: an array with one element passes for that, too.
    Ok(if delay.hasattr("__len__")? {
        of::Shift::each(space, axis, kept(delay, "delay")?)?
    } else {
        of::Shift::new(space, axis, delay.extract()?)?
    }
    .into())
}

/// The axes of a transform, with what is said of them.
fn transformed(
    operator: &str,
    axes: &Axes,
    points: PerAxis<Option<usize>>,
    ifftshift_before: PerAxis<bool>,
    fftshift_after: PerAxis<bool>,
) -> Result<Vec<FourierAxis>> {
    let count = axes.0.len();
    let points = points.of(count, operator, "points")?;
    let before = ifftshift_before.of(count, operator, "ifftshift_before")?;
    let after = fftshift_after.of(count, operator, "fftshift_after")?;
    let each = axes.0.iter().zip(points).zip(before).zip(after);
    let axes = each.map(|(((&axis, points), ifftshift_before), fftshift_after)| FourierAxis {
        points,
        ifftshift_before,
        fftshift_after,
        ..FourierAxis::new(axis)
    });
    Ok(axes.collect())
}
