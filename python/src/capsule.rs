//! Capsules: how Python objects carry `DLPack`'s managed tensors.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrayspan::bridge::SharedArray;
use arrayspan::bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan::devices::Stream;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::{Class, Result, refuse};

/// A managed struct by the names that capsules with it have before and after they were consumed.
pub(crate) trait Carried: Managed {
    const NAME: &CStr;
    const USED: &CStr;
}

impl Carried for Versioned {
    const NAME: &CStr = c"dltensor_versioned";
    const USED: &CStr = c"used_dltensor_versioned";
}

impl Carried for Legacy {
    const NAME: &CStr = c"dltensor";
    const USED: &CStr = c"used_dltensor";
}

/// Takes the tensor out of a capsule, which is marked as consumed; `locked` if it is given back with the interpreter's lock.
pub(crate) fn consume(
    capsule: &Bound<'_, PyAny>,
    stream: Option<&Stream>,
    (what, locked): (&str, bool),
) -> Result<SharedArray> {
    let Ok(capsule) = capsule.cast::<PyCapsule>() else {
        let class = capsule.get_type().name()?;
        let why = format!("{what}: __dlpack__ returned a {class}, not a capsule");
        return Ok(refuse(Class::Foreign, why)?);
    };
    if capsule.is_valid_checked(Some(Versioned::NAME)) {
        take::<Versioned>(capsule, stream, locked)
    } else if capsule.is_valid_checked(Some(Legacy::NAME)) {
        take::<Legacy>(capsule, stream, locked)
    } else {
        let used =
            [Versioned::USED, Legacy::USED].iter().any(|name| capsule.is_valid_checked(Some(name)));
        let why = if used {
            "the capsule was consumed before"
        } else {
            "the capsule holds no tensor of DLPack"
        };
        Ok(refuse(Class::Foreign, format!("{what}: {why}"))?)
    }
}

fn take<M: Carried>(
    capsule: &Bound<'_, PyCapsule>,
    stream: Option<&Stream>,
    locked: bool,
) -> Result<SharedArray> {
    let raw = capsule.pointer_checked(Some(M::NAME))?;
    // SAFETY: a capsule of this name holds a managed tensor of the standard, which belongs to whoever renames the capsule; the
    // interpreter's lock keeps others from doing the same. Producers vouch for its pointers. That nobody else writes the elements
    // while they are used is what Python programs see to, as with every library that shares memory by this protocol.
    let tensor = unsafe {
        if ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) != 0 {
            return Err(PyErr::fetch(capsule.py()).into());
        }
        Capsule::<M>::from_raw(raw.as_ptr().cast())?
    };
    let tensor = if locked { tensor.released_by(with_lock) } else { tensor };
    Ok(SharedArray::from_dlpack(tensor, stream)?)
}

/// With the interpreter's lock, or, while that ends, not at all.
fn with_lock(delete: &mut dyn FnMut()) {
    let _ = Python::try_attach(|_| delete());
}

/// A capsule that gives its tensor back unless somebody consumes it.
pub(crate) fn wrap<M: Carried>(py: Python<'_>, tensor: Capsule<M>) -> PyResult<Bound<'_, PyAny>> {
    let raw: *mut c_void = tensor.into_raw().cast();
    // SAFETY: the name lives for good. The capsule owns the tensor from here on.
    unsafe {
        let made = ffi::PyCapsule_New(raw, M::NAME.as_ptr(), Some(end::<M>));
        if made.is_null() {
            drop(Capsule::<M>::from_raw(raw.cast()));
        }
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// The destructor of our capsules. It runs no Python code, so that it works while the interpreter ends.
unsafe extern "C" fn end<M: Carried>(capsule: *mut ffi::PyObject) {
    // SAFETY: called by Python with a capsule of ours and the interpreter's lock. With its first name it still owns the tensor.
    let drop_tensor = || unsafe {
        if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) == 1 {
            let raw = ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr());
            drop(Capsule::<M>::from_raw(raw.cast()));
        }
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(drop_tensor)) {
        std::mem::forget(panic);
    }
}
