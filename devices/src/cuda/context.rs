//! The primary context of one device.

use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUresult};

use super::{check, library, lost, pool};
use crate::health::Health;
use crate::opened::patiently;
use crate::{Error, Result, fault};

/// One device's primary context, shared with every other library in the process, and our own memory
/// pool in it.
pub(crate) struct Context {
    pub(super) gpu_id: usize,
    pub(super) device: sys::CUdevice,
    pub(super) memory_bytes: usize,
    health: Arc<Health>,
    raw: sys::CUcontext,
    /// `None` where the device has no pools.
    pub(super) pool: Option<sys::CUmemoryPool>,
}

// SAFETY: contexts and pools belong to the process, and the driver API is thread-safe.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Waits a while for a device that has no room for a context at the moment, or that another process has to itself.
    pub(super) fn new(
        gpu_id: usize,
        device: sys::CUdevice,
        memory_bytes: usize,
        health: &Arc<Health>,
    ) -> Result<Self> {
        let may_pass = |error: &Error| match error {
            Error::OutOfMemory { .. } => true,
            Error::Driver { code, .. } => *code == CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE as i32,
            _ => false,
        };
        patiently(may_pass, || {
            let on = crate::Device::cuda(gpu_id)?;
            fault::check(fault::FaultKind::Context, on, 0)?;
            let mut raw = ptr::null_mut();
            // SAFETY: `device` is one the driver gave out; `raw` receives the context.
            match unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut raw, device) } {
                // A device without a context is not lost, so no loss is recorded.
                code @ CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => {
                    let (device, name) = (format!("cuda:{gpu_id}"), library::name(code));
                    let call = "cuDevicePrimaryCtxRetain";
                    return Err(Error::Driver { device, call, name, code: code as i32 });
                }
                code => full(on, check::check(gpu_id, "cuDevicePrimaryCtxRetain", code))?,
            }
            // From here on the drop gives the context back, also if the pool cannot be made.
            let health = health.clone();
            let mut context = Self { gpu_id, device, memory_bytes, health, raw, pool: None };
            let pool = pool::make(gpu_id, device, memory_bytes, &context.health);
            context.pool = full(on, pool)?;
            Ok(context)
        })
    }

    pub(super) fn raw(&self) -> sys::CUcontext {
        self.raw
    }

    /// Makes the context current on this thread until the guard is dropped. Where it is already, as on a thread that works
    /// with other CUDA libraries, that is one look.
    pub(crate) fn enter(&self) -> Result<Current<'_>> {
        let mut current = ptr::null_mut();
        // SAFETY: the context is written during the call only.
        let asked = unsafe { sys::cuCtxGetCurrent(&raw mut current) };
        let pushed = asked != CUresult::CUDA_SUCCESS || current != self.raw;
        if pushed {
            // SAFETY: the context is retained while `self` lives.
            self.check("cuCtxPushCurrent", unsafe { sys::cuCtxPushCurrent_v2(self.raw) })?;
        }
        Ok(Current { context: self, pushed, not_send: PhantomData })
    }

    pub(crate) fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(self.failure(call, code)) }
    }

    /// The error of a call that returned `code`. Calls that concern several devices, page-locking for all of them or a
    /// wait for another's event, fail with any of them, too: this one is lost only if nothing works any more.
    pub(super) fn failure(&self, call: &'static str, code: CUresult) -> Error {
        let error = check::failure(self.gpu_id, call, code);
        if !matches!(error, Error::DeviceLost { .. }) {
            return error;
        }
        if self.health.lost().is_none() && self.works() {
            return lost::elsewhere(error);
        }
        lost::remember(&error);
        self.health.note(error)
    }

    /// Whether the driver still answers for the context. After a failure that loses it each call fails the same way.
    fn works(&self) -> bool {
        let mut popped = ptr::null_mut();
        // SAFETY: the context is retained while `self` lives, and is popped by the thread that has pushed it. The null
        // stream is that of the current context.
        let asked = unsafe {
            match sys::cuCtxPushCurrent_v2(self.raw) {
                CUresult::CUDA_SUCCESS => {
                    let asked = sys::cuStreamQuery(ptr::null_mut());
                    sys::cuCtxPopCurrent_v2(&raw mut popped);
                    asked
                }
                refused => refused,
            }
        };
        matches!(asked, CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_NOT_READY)
    }

    /// Keeps a failure nobody can be told about, for the device's next caller.
    pub(crate) fn defer(&self, result: Result<()>) {
        self.health.keep(result);
    }

    /// The error for an object of another kind of device.
    pub(super) fn foreign(&self, what: &str) -> Error {
        self.unsupported(format!("{what} of another driver"))
    }

    pub(super) fn unsupported(&self, what: String) -> Error {
        Error::Unsupported { device: self.to_string(), what }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(pool) = self.pool {
            // SAFETY: the pool is ours; memory still in use keeps it alive inside the driver.
            self.defer(self.check("cuMemPoolDestroy", unsafe { sys::cuMemPoolDestroy(pool) }));
        }
        // SAFETY: balances the retain of `new`.
        let released = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
        self.defer(self.check("cuDevicePrimaryCtxRelease", released));
    }
}

/// While it lives the context is current on this thread; then the one before is again.
pub(crate) struct Current<'a> {
    context: &'a Context,
    /// Whether it was not current before.
    pushed: bool,
    /// The current context is a property of the thread, so the guard stays on it.
    not_send: PhantomData<*const ()>,
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        if !self.pushed {
            return;
        }
        let mut popped = ptr::null_mut();
        // SAFETY: this thread pushed the context, and guards are dropped in reverse order of their making.
        let code = unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) };
        self.context.defer(self.context.check("cuCtxPopCurrent", code));
    }
}

/// Makes a driver's refusal for lack of memory an [`Error::OutOfMemory`].
fn full<T>(device: crate::Device, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        Error::Driver { code, .. } if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY as i32 => {
            Error::out_of_memory(device, 0, code)
        }
        other => other,
    })
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{}", self.gpu_id)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({self})")
    }
}
