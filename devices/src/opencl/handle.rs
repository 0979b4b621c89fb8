//! Reference-counted `OpenCL` objects.

use std::ffi::c_void;
use std::fmt;

use cl3::error_codes::{CL_OUT_OF_HOST_MEMORY, error_text};
use cl3::{command_queue, context, event, kernel, program};

use super::serial::serial;
use crate::{DeviceKind, Error, registry};

/// What a handle refers to, hence how it is released.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    Context,
    Queue,
    Event,
    Program,
    Kernel,
}

/// One reference to an `OpenCL` object, given up on drop.
pub(super) struct Handle {
    raw: *mut c_void,
    object: Object,
    gpu_id: usize,
}

// SAFETY: OpenCL objects belong to the process, and every call on them is thread-safe except
// `clSetKernelArg`, which `kernel.rs` guards with a lock.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// Takes over one reference.
    ///
    /// # Safety
    /// `raw` is a live object of that kind, and the caller gives up one of its references.
    pub(super) unsafe fn own(raw: *mut c_void, object: Object, gpu_id: usize) -> Self {
        Self { raw, object, gpu_id }
    }

    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let _serial = serial();
        // SAFETY: by `own` this is the only owner of one reference, given up here and nowhere else.
        // Objects still in use by queued commands live on until those are done (OpenCL 1.2, 5).
        let (call, released) = unsafe {
            match self.object {
                Object::Context => ("clReleaseContext", context::release_context(self.raw)),
                Object::Queue => {
                    ("clReleaseCommandQueue", command_queue::release_command_queue(self.raw))
                }
                Object::Event => ("clReleaseEvent", event::release_event(self.raw)),
                Object::Program => ("clReleaseProgram", program::release_program(self.raw)),
                Object::Kernel => ("clReleaseKernel", kernel::release_kernel(self.raw)),
            }
        };
        if let Err(code) = released {
            registry::defer(DeviceKind::OpenCl, self.gpu_id, failure(self.gpu_id, call, code));
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:p} of opencl:{})", self.object, self.raw, self.gpu_id)
    }
}

/// The error for a call that returned `code`.
pub(super) fn failure(gpu_id: usize, call: &'static str, code: i32) -> Error {
    if code == CL_OUT_OF_HOST_MEMORY {
        return super::device::out_of_memory(gpu_id, 0, code);
    }
    let error =
        super::lost::failure(format!("opencl:{gpu_id}"), call, error_text(code).into(), code);
    registry::note_lost(DeviceKind::OpenCl, gpu_id, error)
}
