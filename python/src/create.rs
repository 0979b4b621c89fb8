//! Arrays from arrays, and new ones.

use arrayspan::bridge::{Array, Conversion, DType, SharedArray};
use arrayspan::devices::Device;
use pyo3::prelude::*;

use crate::array::PyArray;
use crate::device::OnDevice;
use crate::dtype::Named;
use crate::error::{Class, Result, refuse};
use crate::owner::Owner;
use crate::shape::Shape;
use crate::{incoming, numpy, protocol};

/// The array that an object is, without a copy, and who else has its memory; it is kept as long as the result.
pub(crate) fn taken(x: &Bound<'_, PyAny>) -> Result<(SharedArray, Owner)> {
    if let Ok(ours) = x.cast::<PyArray>() {
        return Ok(ours.get().owned());
    }
    if numpy::is_array(x) {
        return Ok((incoming::taken(x, "x")?, Owner::Nobody));
    }
    if protocol::is_spoken_by(x)? {
        let shared = protocol::import(x, "x")?;
        let owner = Owner::of(x, shared.device())?;
        return Ok((shared, owner));
    }
    let shared = incoming::other(x, "x")?.ok_or_else(|| incoming::not_an_array(x, "x"))?;
    let owner = Owner::unknown(shared.device());
    Ok((shared, owner))
}

/// An array as one of arrayspan: without a copy unless it has to move to another device or get another dtype, or ``copy=True``.
#[pyfunction]
#[pyo3(signature = (x, dtype=None, device=None, *, copy=None))]
pub(crate) fn asarray(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    dtype: Option<Named>,
    device: Option<OnDevice>,
    copy: Option<bool>,
) -> Result<PyArray> {
    let mut array = if let Ok(ours) = x.cast::<PyArray>() {
        ours.get().again()
    } else {
        let (shared, owner) = taken(x)?;
        PyArray::of(shared, owner)
    };
    let refused = |why: String| Ok(refuse(Class::CopyRefused, format!("asarray: {why}"))?);
    let here = array.shared().device();
    let mut copied = false;
    if let Some(device) = device.map(|device| device.0).filter(|device| *device != here) {
        if copy == Some(false) {
            return refused(format!("from {here} to {device} it would be a copy"));
        }
        array = array.moved(py, device)?;
        copied = true;
    }
    if let Some(dtype) = dtype.filter(|dtype| dtype.0 != array.shared().dtype()) {
        if copy == Some(false) {
            return refused(format!("{} of {} would be a copy", dtype.0, array.shared().dtype()));
        }
        array = array.converted(py, dtype.0, &Conversion::WRAP)?;
        copied = true;
    }
    if copy == Some(true) && !copied { array.copy(py) } else { Ok(array) }
}

/// A new array of zeros.
#[pyfunction]
#[pyo3(signature = (shape, dtype=Named(DType::Float32), device=None))]
pub(crate) fn zeros(
    py: Python<'_>,
    shape: Shape,
    dtype: Named,
    device: Option<OnDevice>,
) -> Result<PyArray> {
    let device = device.map_or_else(Device::cpu, |device| device.0);
    Ok(PyArray::new(py.detach(|| Array::zeros(shape.0, dtype.0, device))?))
}

/// A new array of ones.
#[pyfunction]
#[pyo3(signature = (shape, dtype=Named(DType::Float32), device=None))]
pub(crate) fn ones(
    py: Python<'_>,
    shape: Shape,
    dtype: Named,
    device: Option<OnDevice>,
) -> Result<PyArray> {
    let device = device.map_or_else(Device::cpu, |device| device.0);
    Ok(PyArray::new(py.detach(|| Array::ones(shape.0, dtype.0, device))?))
}

/// A new array whose elements are whatever was in its memory before.
#[pyfunction]
#[pyo3(signature = (shape, dtype=Named(DType::Float32), device=None))]
pub(crate) fn empty(
    py: Python<'_>,
    shape: Shape,
    dtype: Named,
    device: Option<OnDevice>,
) -> Result<PyArray> {
    let device = device.map_or_else(Device::cpu, |device| device.0);
    Ok(PyArray::new(py.detach(|| Array::empty(shape.0, dtype.0, device))?))
}
