//! Local slopes of sections.

use arrayspan::bridge::Array;
use arrayspan::operators::slopes::{StructureTensor, dip_estimate, slope_estimate};
use arrayspan::solvers::slopes::{
    AllPass, PlaneWaveDestruction, SlopeSmoothing, pwd_slope_estimate,
};
use pyo3::prelude::*;

use crate::constructors::choice::{Choice, Named};
use crate::error::{Class, Result, refuse};
use crate::incoming;
use crate::integer::integer;
use crate::kind::Kind;
use crate::shape::PerAxis;

/// Local slopes, or dips in radians, by the structure tensor, and how anisotropic it is.
#[pyfunction(name = "slope_estimate")]
#[pyo3(signature = (section, steps=[1.0, 1.0], deviations=[5.0, 5.0], threshold=0.0, *, dips=false))]
pub(crate) fn slopes<'py>(
    section: &Bound<'py, PyAny>,
    steps: [f64; 2],
    deviations: [f64; 2],
    threshold: f64,
    dips: bool,
) -> Result<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (py, kind) = (section.py(), Kind::of_any(section)?);
    let given = incoming::read(section, "section")?;
    let parameters = StructureTensor { steps, deviations, threshold };
    let found = py.detach(|| {
        let estimate = if dips { dip_estimate } else { slope_estimate };
        let found = estimate(given.view(), parameters);
        given.settle().and(Ok(found?))
    })?;
    Ok((kind.give(py, found.slopes)?, kind.give(py, found.anisotropy)?))
}

/// Local slopes along an axis by plane-wave destruction, in samples.
#[pyfunction(name = "pwd_slope_estimate")]
#[pyo3(signature = (section, iterations=5, inner=20, taps=5, smoothing=PerAxis::All(10), kind=Choice(SlopeSmoothing::Triangle), damping=0.0, axis=-1))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn pwd_slopes<'py>(
    section: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = integer)] iterations: usize,
    #[pyo3(from_py_with = integer)] inner: usize,
    #[pyo3(from_py_with = integer)] taps: usize,
    smoothing: PerAxis<usize>,
    kind: Choice<SlopeSmoothing>,
    damping: f64,
    #[pyo3(from_py_with = integer)] axis: isize,
) -> Result<Bound<'py, PyAny>> {
    let filter = match taps {
        3 => AllPass::Three,
        5 => AllPass::Five,
        _ => {
            let why = format!("pwd_slope_estimate: {taps} taps, expected 3 or 5");
            return Ok(refuse(Class::Parameter, why)?);
        }
    };
    let smoothing = match smoothing {
        PerAxis::All(n) => vec![n],
        PerAxis::Each(n) => n,
    };
    let kind = kind.0;
    let parameters =
        PlaneWaveDestruction { iterations, inner, filter, kind, smoothing, damping, axis };
    let (py, made) = (section.py(), Kind::of_any(section)?);
    let given = incoming::read(section, "section")?;
    let found = py.detach(|| -> Result<Array> {
        let found = pwd_slope_estimate(given.view(), &parameters);
        given.settle()?;
        Ok(found?)
    })?;
    made.give(py, found)
}

impl Named for SlopeSmoothing {
    const WHAT: &str = "smoothing";
    const NAMES: &'static [(&'static str, Self)] =
        &[("boxcar", Self::Boxcar), ("triangle", Self::Triangle)];
}
