//! Reference-counted `OpenCL` objects.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use cl3::{command_queue, context, event, kernel, program};

use super::place::Place;
use super::serial::serial;

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
    place: Arc<Place>,
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
    pub(super) unsafe fn own(raw: *mut c_void, object: Object, place: Arc<Place>) -> Self {
        Self { raw, object, place }
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
            self.place.health.defer(self.place.failure(call, code));
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:p} of {})", self.object, self.raw, self.place)
    }
}
