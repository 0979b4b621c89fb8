//! The end of a Python capsule that nobody has consumed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use arrayspan_bridge::dlpack::{Capsule, Legacy, Versioned};

use crate::error::guarded;

/// The functions of Python that the end of a capsule needs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Python {
    /// `PyCapsule_IsValid`
    is_valid: extern "C" fn(*mut c_void, *const c_char) -> c_int,
    /// `PyCapsule_GetPointer`
    pointer: extern "C" fn(*mut c_void, *const c_char) -> *mut c_void,
}

static PYTHON: OnceLock<Python> = OnceLock::new();

const VERSIONED: &CStr = c"dltensor_versioned";
const LEGACY: &CStr = c"dltensor";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";
const USED_LEGACY: &CStr = c"used_dltensor";

/// The name of a capsule, before or after it was consumed. Capsules keep the pointer, so it is valid for good.
#[unsafe(no_mangle)]
pub extern "C" fn interop_capsule_name(versioned: bool, used: bool) -> *const c_char {
    let name = match (versioned, used) {
        (true, false) => VERSIONED,
        (false, false) => LEGACY,
        (true, true) => USED_VERSIONED,
        (false, true) => USED_LEGACY,
    };
    name.as_ptr()
}

/// Makes Python's functions known.
#[unsafe(no_mangle)]
pub extern "C" fn interop_python(python: Python) {
    // The second of two equal answers changes nothing.
    let _ = PYTHON.set(python);
}

/// The destructor of capsules: gives the tensor back unless a consumer has renamed the capsule. It runs no
/// Python code, so that it works while the interpreter ends.
///
/// # Safety
/// `capsule` is a Python capsule, and this thread holds the interpreter's lock. If it has one of the names of
/// `DLPack`, it holds a managed tensor that nobody else owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_capsule_end(capsule: *mut c_void) {
    let Some(python) = PYTHON.get() else { return };
    let named = |name: &CStr| (python.is_valid)(capsule, name.as_ptr()) == 1;
    let held = |name: &CStr| (python.pointer)(capsule, name.as_ptr());
    guarded(|| {
        // SAFETY: the caller's; dropped here, which calls the deleter.
        unsafe {
            if named(VERSIONED) {
                drop(Capsule::<Versioned>::from_raw(held(VERSIONED).cast())?);
            } else if named(LEGACY) {
                drop(Capsule::<Legacy>::from_raw(held(LEGACY).cast())?);
            }
        }
        Ok(())
    });
}
