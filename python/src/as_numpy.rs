//! Arrays of ours as arrays of `NumPy`, over the same memory.

use std::ffi::c_void;

use arrayspan::bridge::SharedArray;
use arrayspan::devices::Access;
use pyo3::prelude::*;

use crate::error::Result;
use crate::numpy;

/// What keeps the memory of `NumPy`'s arrays that are ours.
#[pyclass(frozen, name = "_Memory", module = "arrayspan")]
struct Kept {
    _array: SharedArray,
}

/// An object that keeps an array.
pub(crate) fn kept(py: Python<'_>, array: SharedArray) -> PyResult<Bound<'_, PyAny>> {
    Ok(Bound::new(py, Kept { _array: array })?.into_any())
}

/// Waits until an array is written; without the interpreter's lock, which takes longer than to see that nothing is to be waited for.
pub(crate) fn until_written(py: Python<'_>, array: &SharedArray) -> Result<()> {
    if array.memory().is_in_use() {
        py.detach(|| array.memory().wait(Access::Read))?;
    }
    Ok(())
}

/// An array in the memory of the host as one of `NumPy`, without a copy. Waits for what writes it.
pub(crate) fn to_numpy(py: Python<'_>, array: SharedArray) -> Result<Bound<'_, PyAny>> {
    until_written(py, &array)?;
    let (layout, dtype) = (array.layout().clone(), array.dtype());
    // SAFETY: dropped at once.
    let writable = unsafe { array.alias() }.is_some();
    let data = array.memory().address() + layout.offset() * dtype.bytes();
    let kept = kept(py, array)?;
    let data = std::ptr::with_exposed_provenance_mut::<c_void>(data);
    // SAFETY: memory of the host with these elements, kept by `kept`. Whoever has the array shares it with those who have ours, as
    // arrays are shared in Python.
    Ok(unsafe { numpy::over(kept, data, (layout.shape(), layout.strides()), dtype, writable)? })
}
