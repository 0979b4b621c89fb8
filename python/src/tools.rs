//! What stands beside operators: tapers, wavelets, metrics.

use arrayspan::bridge::Array;
use arrayspan::operators::metrics::{self, Peak};
use arrayspan::operators::taper::{Ramp, taper_nd};
use arrayspan::operators::wavelet;
use pyo3::prelude::*;

use crate::constructors::choice::Choice;
use crate::error::Result;
use crate::incoming;
use crate::integer::integer;
use crate::kind::Kind;
use crate::shape::Shape;

fn numbers(py: Python<'_>, numbers: Vec<f64>) -> Result<Bound<'_, PyAny>> {
    Kind::NumPy.give(py, Array::from(numbers))
}

/// Weights that rise from 0 to 1 over ``ramps`` at the beginning of each axis, and fall at its end.
#[pyfunction]
#[pyo3(signature = (shape, ramps, kind=Choice(Ramp::Cosine)))]
pub(crate) fn taper(
    py: Python<'_>,
    shape: Shape,
    ramps: Shape,
    kind: Choice<Ramp>,
) -> Result<Bound<'_, PyAny>> {
    if shape.0.len() != ramps.0.len() {
        let (axes, ramps) = (shape.0.len(), ramps.0.len());
        let why = format!("taper: {ramps} ramps for {axes} axes");
        return Ok(crate::error::refuse(crate::error::Class::Parameter, why)?);
    }
    let axes: Vec<_> = shape.0.iter().copied().zip(ramps.0).collect();
    let weights = Array::from_vec(taper_nd(&axes, kind.0)?, &shape.0)?;
    Kind::NumPy.give(py, weights)
}

/// The Ricker wavelet: ``2 half + 1`` samples.
#[pyfunction]
pub(crate) fn ricker(
    py: Python<'_>,
    #[pyo3(from_py_with = integer)] half: usize,
    step: f64,
    frequency: f64,
) -> Result<Bound<'_, PyAny>> {
    numbers(py, wavelet::ricker(half, step, frequency)?)
}

/// A Gaussian with a standard deviation in samples: ``2 half + 1`` samples.
#[pyfunction]
pub(crate) fn gaussian(
    py: Python<'_>,
    #[pyo3(from_py_with = integer)] half: usize,
    deviation: f64,
) -> Result<Bound<'_, PyAny>> {
    numbers(py, wavelet::gaussian(half, deviation)?)
}

/// The autocorrelation of a sweep from one frequency to another: ``2 half + 1`` samples.
#[pyfunction]
pub(crate) fn klauder(
    py: Python<'_>,
    #[pyo3(from_py_with = integer)] half: usize,
    step: f64,
    frequencies: [f64; 2],
) -> Result<Bound<'_, PyAny>> {
    numbers(py, wavelet::klauder(half, step, frequencies)?)
}

/// The wavelet whose spectrum is a trapezium: ``2 half + 1`` samples.
#[pyfunction]
pub(crate) fn ormsby(
    py: Python<'_>,
    #[pyo3(from_py_with = integer)] half: usize,
    step: f64,
    frequencies: [f64; 4],
) -> Result<Bound<'_, PyAny>> {
    numbers(py, wavelet::ormsby(half, step, frequencies)?)
}

/// The mean absolute error.
#[pyfunction]
pub(crate) fn mae(reference: &Bound<'_, PyAny>, found: &Bound<'_, PyAny>) -> Result<f64> {
    measured(reference, found, |a, b| metrics::mae(a, b))
}

/// The mean squared error.
#[pyfunction]
pub(crate) fn mse(reference: &Bound<'_, PyAny>, found: &Bound<'_, PyAny>) -> Result<f64> {
    measured(reference, found, |a, b| metrics::mse(a, b))
}

/// The signal-to-noise ratio in decibels.
#[pyfunction]
pub(crate) fn snr(reference: &Bound<'_, PyAny>, found: &Bound<'_, PyAny>) -> Result<f64> {
    measured(reference, found, |a, b| metrics::snr(a, b))
}

/// The peak signal-to-noise ratio in decibels. A bound that is ``None`` is that of the reference.
#[pyfunction]
#[pyo3(signature = (reference, found, *, least=Some(0.0), largest=None))]
pub(crate) fn psnr(
    reference: &Bound<'_, PyAny>,
    found: &Bound<'_, PyAny>,
    least: Option<f64>,
    largest: Option<f64>,
) -> Result<f64> {
    measured(reference, found, |a, b| metrics::psnr(a, b, Peak { least, largest }))
}

type Lent<'a> = arrayspan::bridge::View<'a>;

fn measured(
    reference: &Bound<'_, PyAny>,
    found: &Bound<'_, PyAny>,
    measure: impl FnOnce(Lent<'_>, Lent<'_>) -> arrayspan::operators::Result<f64> + Send,
) -> Result<f64> {
    let py = found.py();
    let (reference, found) =
        (incoming::read(reference, "reference")?, incoming::read(found, "found")?);
    py.detach(|| {
        let measured = measure(reference.view(), found.view());
        reference.settle().and(found.settle()).and(Ok(measured?))
    })
}
