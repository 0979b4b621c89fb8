//! Operators along curves and rays.

use arrayspan::operators as of;
use arrayspan::operators::{BeamGeometry, Interpolation, RadonKind};
use pyo3::prelude::*;

use super::choice::Choice;
use super::{DTYPE, numbers, space};
use crate::dtype::Named;
use crate::error::Result;
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::Shape;

/// Models ``(slownesses, time)`` spread along lines, parabolas or hyperbolas (of velocities, then) of data ``(offsets, time)``, whose adjoint
/// stacks along these; ``step`` is that of time.
///
#[doc = include_str!("../../docs/operators/Radon2D.txt")]
#[pyfunction(name = "Radon2D")]
#[pyo3(signature = (shape, slownesses, offsets, step=1.0, kind=Choice(RadonKind::Linear), interpolation=Choice(Interpolation::Linear), dtype=DTYPE))]
pub(crate) fn radon2d(
    shape: Shape,
    slownesses: &Bound<'_, PyAny>,
    offsets: &Bound<'_, PyAny>,
    step: f64,
    kind: Choice<RadonKind>,
    interpolation: Choice<Interpolation>,
    dtype: Named,
) -> Result<PyOperator> {
    let (slownesses, offsets) = (numbers(slownesses, "slownesses")?, numbers(offsets, "offsets")?);
    let space = space(shape, dtype)?;
    Ok(of::Radon2D::new(space, step, &slownesses, &offsets, kind.0, interpolation.0)?.into())
}

/// Models ``(slownesses y, slownesses x, time)`` spread over planes, paraboloids or hyperboloids of data ``(offsets y, offsets x, time)``: see
/// ``Radon2D``.
///
#[doc = include_str!("../../docs/operators/Radon3D.txt")]
#[pyfunction(name = "Radon3D")]
#[pyo3(signature = (shape, slownesses, offsets, step=1.0, kinds=[Choice(RadonKind::Linear), Choice(RadonKind::Linear)], interpolation=Choice(Interpolation::Linear), dtype=DTYPE))]
pub(crate) fn radon3d(
    shape: Shape,
    slownesses: [Bound<'_, PyAny>; 2],
    offsets: [Bound<'_, PyAny>; 2],
    step: f64,
    kinds: [Choice<RadonKind>; 2],
    interpolation: Choice<Interpolation>,
    dtype: Named,
) -> Result<PyOperator> {
    let [y, x] = &slownesses;
    let slownesses = [numbers(y, "slownesses")?, numbers(x, "slownesses")?];
    let [y, x] = &offsets;
    let offsets = [numbers(y, "offsets")?, numbers(x, "offsets")?];
    let (slownesses, offsets) = (slownesses.each_ref(), offsets.each_ref());
    let (slownesses, offsets) = (slownesses.map(|all| &all[..]), offsets.map(|all| &all[..]));
    let (space, kinds) = (space(shape, dtype)?, kinds.map(|kind| kind.0));
    Ok(of::Radon3D::new(space, step, slownesses, offsets, kinds, interpolation.0)?.into())
}

/// Line integrals of images ``(y, x)`` along rays, as ``(angles, detectors)``, at ``angles`` in radians, by detectors of that ``width`` in pixels: rays
/// are parallel, or with ``fan`` come from as far before the middle of the image as its first number says, to detectors as far behind it as its
/// second one.
///
#[doc = include_str!("../../docs/operators/CT2D.txt")]
#[pyfunction(name = "CT2D")]
#[pyo3(signature = (shape, detectors, angles, width=1.0, fan=None, dtype=DTYPE))]
pub(crate) fn ct2d(
    shape: Shape,
    #[pyo3(from_py_with = integer)] detectors: usize,
    angles: &Bound<'_, PyAny>,
    width: f64,
    fan: Option<(f64, f64)>,
    dtype: Named,
) -> Result<PyOperator> {
    let geometry = match fan {
        None => BeamGeometry::Parallel,
        Some((source, detector)) => BeamGeometry::Fan { source, detector },
    };
    let (space, angles) = (space(shape, dtype)?, numbers(angles, "angles")?);
    Ok(of::CT2D::new(space, detectors, width, &angles, geometry)?.into())
}
