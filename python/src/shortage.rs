//! Exceptions that tell of a lack of memory.

use arrayspan::devices::retry::Shortage;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// What is known of a lack of memory that an exception tells of, if it does: its attributes `device`, a device or its name, and `bytes`.
pub(crate) fn shortage(py: Python<'_>, error: &PyErr) -> Option<Shortage> {
    let value = error.value(py);
    // torch's is no `MemoryError`.
    let torch = || value.get_type().name().is_ok_and(|name| name == "OutOfMemoryError");
    let short = error.is_instance_of::<PyMemoryError>(py) || torch();
    short.then(|| Shortage {
        device: value
            .getattr("device")
            .and_then(|device| device.str())
            .ok()
            .and_then(|name| name.to_str().ok()?.parse().ok()),
        bytes: value.getattr("bytes").and_then(|bytes| bytes.extract()).ok(),
    })
}
