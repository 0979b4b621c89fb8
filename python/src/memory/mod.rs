//! Memory of devices: how much is held, by whom, and how much may be.

pub(crate) mod fault;
pub(crate) mod retry;
pub(crate) mod scope;

use arrayspan::devices::{self, Device, Limit, Statistics, account, caches};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::device::OnDevice;
use crate::error::{Class, Failure, Result, refuse};

/// A size: bytes, or text as ``"2GiB"`` and ``"50%"``.
pub(crate) struct Size(Limit);

impl FromPyObject<'_, '_> for Size {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.extract::<usize>() {
            return Ok(Self(Limit::Bytes(bytes)));
        }
        let text: String = given.extract()?;
        text.parse().map(Self).map_err(|error| Failure::from(error).into())
    }
}

/// A number of bytes: an integer, or text as ``"2GiB"``.
pub(crate) struct Bytes(pub(crate) usize);

impl FromPyObject<'_, '_> for Bytes {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match given.extract::<Size>()?.0 {
            Limit::Bytes(bytes) => Ok(Self(bytes)),
            Limit::Fraction(_) => {
                refuse(Class::Parameter, "a share of a device is no number of bytes here")
            }
        }
    }
}

/// What every device holds, the largest scopes, and what other libraries hold, as a table.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub(crate) fn summary(py: Python<'_>, device: Option<OnDevice>) -> String {
    py.detach(|| device.map_or_else(account::summary, |device| device.0.summary()))
}

/// What arrayspan holds on a device now, and has held, in bytes.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub(crate) fn statistics(py: Python<'_>, device: Option<OnDevice>) -> PyResult<Bound<'_, PyDict>> {
    let device = place(device);
    named(py, &py.detach(|| device.statistics()))
}

/// Numbers by their names.
fn named<'py>(py: Python<'py>, statistics: &Statistics) -> PyResult<Bound<'py, PyDict>> {
    let numbers = PyDict::new(py);
    numbers.set_item("live_bytes", statistics.live_bytes)?;
    numbers.set_item("live_blocks", statistics.live_blocks)?;
    numbers.set_item("peak_bytes", statistics.peak_bytes)?;
    numbers.set_item("requested_total_bytes", statistics.requested_total_bytes)?;
    numbers.set_item("allocations", statistics.allocations)?;
    numbers.set_item("frees", statistics.frees)?;
    numbers.set_item("failures", statistics.failures)?;
    numbers.set_item("largest_live", statistics.largest_live)?;
    numbers.set_item("foreign_bytes", statistics.foreign_bytes)?;
    numbers.set_item("foreign_blocks", statistics.foreign_blocks)?;
    if let Some(reserve) = &statistics.reserve {
        numbers.set_item("reserved_bytes", reserve.reserved)?;
        numbers.set_item("cached_bytes", reserve.cached)?;
    }
    Ok(numbers)
}

fn place(device: Option<OnDevice>) -> Device {
    device.map_or_else(Device::cpu, |device| device.0)
}

/// Begins anew to look for the largest number of live bytes on a device.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub(crate) fn reset_peak(py: Python<'_>, device: Option<OnDevice>) {
    let device = place(device);
    py.detach(|| device.reset_peak());
}

/// Allows arrayspan so much memory of a device: bytes, ``"2GiB"``, ``"50%"``; with ``None`` as much as there is.
#[pyfunction]
pub(crate) fn set_limit(py: Python<'_>, device: OnDevice, limit: Option<Size>) -> Result<()> {
    Ok(py.detach(|| device.0.set_limit(limit.map(|limit| limit.0)))?)
}

/// How many bytes of a device arrayspan may hold; ``None`` without a limit.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub(crate) fn limit(device: Option<OnDevice>) -> Option<usize> {
    place(device).limit()
}

/// Leaves so much of a device free for others.
#[pyfunction]
pub(crate) fn set_headroom(py: Python<'_>, device: OnDevice, size: Bytes) -> Result<()> {
    Ok(py.detach(|| device.0.set_headroom(size.0))?)
}

/// Keeps no more than so much freed memory of a device for later.
#[pyfunction]
pub(crate) fn set_cache_limit(py: Python<'_>, device: OnDevice, size: Bytes) -> Result<()> {
    Ok(py.detach(|| device.0.set_cache_limit(size.0))?)
}

/// Gives freed memory of a device back to its driver, but for ``keep``; the bytes that were given back.
#[pyfunction]
#[pyo3(signature = (device=None, keep=Bytes(0)))]
pub(crate) fn trim(py: Python<'_>, device: Option<OnDevice>, keep: Bytes) -> Result<usize> {
    let device = place(device);
    Ok(py.detach(|| device.trim(keep.0))?)
}

/// Gives back all that is kept for later on a device, or on all of them: freed memory, kernels, workspaces, caches of other libraries.
/// Arrays stay as they are. The bytes that were released, as far as they are known.
#[pyfunction]
#[pyo3(signature = (device=None))]
pub(crate) fn clear_caches(py: Python<'_>, device: Option<OnDevice>) -> usize {
    let cleared =
        py.detach(|| device.map_or_else(caches::clear_all, |device| caches::clear(device.0)));
    cleared.bytes()
}

/// Waits for every release of memory that waits for work.
#[pyfunction]
pub(crate) fn drain(py: Python<'_>) {
    py.detach(devices::drain);
}

/// All that is known of memory, as JSON.
#[pyfunction]
pub(crate) fn report_json(py: Python<'_>) -> Result<String> {
    Ok(py.detach(account::report_json)?)
}
