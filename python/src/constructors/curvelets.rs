//! Curvelet transforms.

use arrayspan::operators as of;
use arrayspan::operators::{CurveletKind, Curvelets, FinestScale};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::choice::Choice;
use super::{DTYPE, space};
use crate::dtype::Named;
use crate::error::Result;
use crate::integer::integer;
use crate::operator::PyOperator;
use crate::shape::Shape;

/// The uniform discrete curvelet transform along all axes, or its inverse.
///
#[doc = include_str!("../../docs/operators/UDCT.txt")]
#[pyfunction(name = "UDCT")]
#[pyo3(signature = (shape, scales=3, wedges=3, overlap=None, radii=None, threshold=1e-5, finest=Choice(FinestScale::Curvelets), kind=Choice(CurveletKind::Real), *, inverse=false, dtype=DTYPE))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn udct(
    shape: Shape,
    #[pyo3(from_py_with = integer)] scales: usize,
    #[pyo3(from_py_with = integer)] wedges: usize,
    overlap: Option<f64>,
    radii: Option<[f64; 4]>,
    threshold: f64,
    finest: Choice<FinestScale>,
    kind: Choice<CurveletKind>,
    inverse: bool,
    dtype: Named,
) -> Result<PyOperator> {
    let default = Curvelets::default();
    let radii = radii.unwrap_or(default.radii);
    let (finest, kind) = (finest.0, kind.0);
    let curvelets = Curvelets { scales, wedges, overlap, radii, threshold, finest, kind };
    let make = if inverse { of::UDCT::inverse } else { of::UDCT::new };
    Ok(make(space(shape, dtype)?, &curvelets)?.into())
}

/// A scale, a direction, a number of wedges and a shape.
type Band = (usize, usize, usize, Py<PyTuple>);

/// The scale, direction, number of wedges and shape of each of the coefficients of ``UDCT``, in their order.
#[pyfunction]
#[pyo3(signature = (shape, scales=3, wedges=3, finest=Choice(FinestScale::Curvelets), kind=Choice(CurveletKind::Real)))]
pub(crate) fn curvelet_bands(
    py: Python<'_>,
    shape: Shape,
    #[pyo3(from_py_with = integer)] scales: usize,
    #[pyo3(from_py_with = integer)] wedges: usize,
    finest: Choice<FinestScale>,
    kind: Choice<CurveletKind>,
) -> Result<Vec<Band>> {
    let (finest, kind) = (finest.0, kind.0);
    let curvelets = Curvelets { scales, wedges, finest, kind, ..Curvelets::default() };
    let bands = curvelets.bands(&shape.0)?.into_iter();
    let each = bands.map(|band| {
        let shape = PyTuple::new(py, band.shape)?.unbind();
        Ok((band.scale, band.direction, band.wedges, shape))
    });
    each.collect()
}
