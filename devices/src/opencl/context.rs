//! The context of one device: what its queues, blocks and programs belong to.

use std::fmt;
use std::sync::Arc;

use cl3::error_codes::{
    CL_DEVICE_NOT_AVAILABLE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES, error_text,
};

use super::handle::{Handle, Object};
use super::place::Place;
use super::query::Id;
use super::serial::serial;
use crate::opened::patiently;
use crate::{Error, Result, fault};

/// The context of one device.
pub(super) struct Context {
    pub(super) place: Arc<Place>,
    pub(super) device: Id,
    handle: Handle,
}

impl Context {
    /// Waits a while for a device that has no room for a context at the moment, or that is not to be had.
    pub(super) fn new(place: &Arc<Place>, device: Id) -> Result<Self> {
        let may_pass = |error: &Error| match error {
            Error::OutOfMemory { .. } => true,
            Error::Driver { code, .. } => *code == CL_DEVICE_NOT_AVAILABLE,
            _ => false,
        };
        patiently(may_pass, || {
            fault::check(fault::FaultKind::Context, crate::Device::opencl(place.gpu_id)?, 0)?;
            let calls = serial();
            let none = std::ptr::null();
            let created =
                cl3::context::create_context(&[device.0], none, None, std::ptr::null_mut());
            drop(calls);
            let raw = created.map_err(|code| refused(place, code))?;
            // SAFETY: just created, with one reference that is ours.
            let handle = unsafe { Handle::own(raw, Object::Context, place.clone()) };
            Ok(Self { place: place.clone(), device, handle })
        })
    }

    pub(super) fn raw(&self) -> cl3::types::cl_context {
        self.handle.raw()
    }

    /// Takes over an object a call just created in this context.
    ///
    /// # Safety
    /// As [`Handle::own`].
    pub(super) unsafe fn own(&self, raw: *mut std::ffi::c_void, object: Object) -> Handle {
        // SAFETY: the caller's contract is the same.
        unsafe { Handle::own(raw, object, self.place.clone()) }
    }

    /// The error for a call that returned `code`.
    pub(super) fn failure(&self, call: &'static str, code: i32) -> Error {
        self.place.failure(call, code)
    }

    /// The error for an object of another kind of device.
    pub(super) fn foreign(&self, what: &str) -> Error {
        Error::Unsupported { device: self.to_string(), what: format!("{what} of another driver") }
    }
}

/// The error for a context that could not be made, by which no device is lost.
fn refused(place: &Place, code: i32) -> Error {
    let call = "clCreateContext";
    match code {
        CL_OUT_OF_HOST_MEMORY | CL_OUT_OF_RESOURCES | CL_MEM_OBJECT_ALLOCATION_FAILURE => {
            place.out_of_memory(0, code)
        }
        CL_DEVICE_NOT_AVAILABLE => {
            let (device, name) = (place.to_string(), error_text(code).into());
            Error::Driver { device, call, name, code }
        }
        code => place.failure(call, code),
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({self})")
    }
}
