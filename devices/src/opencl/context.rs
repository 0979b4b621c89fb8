//! The context of one device: what its queues, blocks and programs belong to.

use std::fmt;

use super::handle::{Handle, Object, failure};
use super::query::Id;
use crate::{Error, Result};

/// The context of one device.
pub(super) struct Context {
    pub(super) gpu_id: usize,
    pub(super) device: Id,
    handle: Handle,
}

impl Context {
    pub(super) fn new(gpu_id: usize, device: Id) -> Result<Self> {
        let created =
            cl3::context::create_context(&[device.0], std::ptr::null(), None, std::ptr::null_mut());
        let raw = created.map_err(|code| failure(gpu_id, "clCreateContext", code))?;
        // SAFETY: just created, with one reference that is ours.
        let handle = unsafe { Handle::own(raw, Object::Context, gpu_id) };
        Ok(Self { gpu_id, device, handle })
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
        unsafe { Handle::own(raw, object, self.gpu_id) }
    }

    /// The error for a call that returned `code`.
    pub(super) fn failure(&self, call: &'static str, code: i32) -> Error {
        failure(self.gpu_id, call, code)
    }

    /// The error for an object of another kind of device.
    pub(super) fn foreign(&self, what: &str) -> Error {
        Error::Unsupported { device: self.to_string(), what: format!("{what} of another driver") }
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "opencl:{}", self.gpu_id)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({self})")
    }
}
