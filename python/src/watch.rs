//! Parameters of operators that their owners go on writing: read where they are, or compared with what they were.

use arrayspan::bridge::{Layout, SharedArray};
use pyo3::prelude::*;

use crate::error::Result;
use crate::{create, numpy};

/// An array that an operator reads where it is, instead of keeping a copy.
#[pyclass(frozen, name = "_InPlace", module = "arrayspan")]
pub(crate) struct PyInPlace(SharedArray);

impl PyInPlace {
    pub(crate) fn shared(&self) -> &SharedArray {
        &self.0
    }
}

/// Has operators that are made of an array see what is written to it between their applications.
#[pyfunction]
#[pyo3(name = "_in_place")]
pub(crate) fn in_place(array: &Bound<'_, PyAny>) -> Result<PyInPlace> {
    Ok(PyInPlace(create::taken(array)?.0))
}

/// Whether two arrays of `NumPy` have the same shape, dtype and bytes, in one piece each.
#[pyfunction]
#[pyo3(name = "_unchanged")]
pub(crate) fn unchanged(array: &Bound<'_, PyAny>, before: &Bound<'_, PyAny>) -> Result<bool> {
    if !(numpy::is_array(array) && numpy::is_array(before)) {
        return Ok(false);
    }
    let (now, then) = (numpy::fields(array, "array")?, numpy::fields(before, "before")?);
    if now.shape != then.shape || now.dtype != then.dtype {
        return Ok(false);
    }
    if now.shape.contains(&0) {
        return Ok(true);
    }
    let bytes = Layout::contiguous(now.shape)?.len() * now.dtype.bytes();
    let in_one_piece = |fields: &numpy::Fields<'_>| -> Result<bool> {
        let forwards = fields.strides.iter().all(|&stride| stride >= 0);
        Ok(forwards && Layout::strided(fields.shape, &fields.strides, 0)?.is_contiguous())
    };
    if !(in_one_piece(&now)? && in_one_piece(&then)?) {
        return Ok(false);
    }
    // SAFETY: as many bytes as the elements of arrays that live as long as this call, and are written by nobody meanwhile but by a thread
    // that does not heed the interpreter's lock, which programs that write the parameters of an operator do not do.
    let (now, then) = unsafe {
        let slice = |data| std::slice::from_raw_parts(data, bytes);
        (slice(now.data.cast::<u8>()), slice(then.data.cast::<u8>()))
    };
    Ok(now == then)
}
