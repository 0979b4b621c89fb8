//! `cudarc`: its slices become arrays on CUDA devices, and arrays work where its slices do.
//!
//! Without a CUDA driver everything here compiles and returns
//! [`Error::Unavailable`](arrayspan_devices::Error::Unavailable).

mod allocate;
mod array;
mod export;
mod import;
mod lent;
mod own;
mod pointer;
mod shaped;

use std::sync::Arc;

use arrayspan_devices::{Device, DeviceKind};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result};

pub(crate) use allocate::allocate;
pub use array::CudaArray;
pub use pointer::device_of;
pub(crate) use pointer::{expect_host, expect_managed, expect_pointer};
pub use shaped::ShapedSlice;

use crate::{Error, Result};

/// The context our arrays on a CUDA device belong to, its primary one. Memory and streams made with it can
/// be used together with them.
///
/// # Errors
/// [`Error::Inexpressible`] for a device of another kind; the driver's refusal.
pub fn context(device: Device) -> Result<Arc<CudaContext>> {
    if device.kind() != DeviceKind::Cuda {
        let what = format!("{device} is not a CUDA device");
        return Err(Error::Inexpressible { operation: "cudarc::context", what: what.into() });
    }
    keep_context(|| CudaContext::new(device.gpu_id())).map_err(|e| failure(device, "context", e))
}

/// The device's stream of the whole process, as cudarc sees it. It exists as long as the process.
fn default_stream(context: &Arc<CudaContext>, device: Device) -> Result<Arc<CudaStream>> {
    let raw = device.process_stream()?.raw();
    // SAFETY: a stream of this device's primary context that is never destroyed. Whoever puts work on
    // it orders that by events: see `import` and `CudaArray`.
    Ok(unsafe { context.wrap_borrowed_stream(std::ptr::with_exposed_provenance_mut(raw)) })
}

/// Runs a function that may make another context current on this thread, and undoes that. For use where
/// CUDA devices exist.
pub(crate) fn keep_context<T>(function: impl FnOnce() -> T) -> T {
    struct Restore(Option<cudarc::driver::sys::CUcontext>);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: it was current on this thread a moment ago; null means none was.
            let restored =
                unsafe { result::ctx::set_current(self.0.unwrap_or(std::ptr::null_mut())) };
            if let Err(error) = restored {
                tracing::error!(?error, "cannot make the CUDA context current that was before");
            }
        }
    }
    let _restore = Restore(result::ctx::get_current().ok().flatten());
    function()
}

fn failure(device: Device, call: &'static str, error: DriverError) -> Error {
    let name = error.error_name().map_or_else(
        |_| "unknown error".into(),
        |name: &std::ffi::CStr| name.to_string_lossy().into_owned(),
    );
    let (device, code) = (device.to_string(), error.0 as i32);
    arrayspan_devices::Error::Driver { device, call, name, code }.into()
}
