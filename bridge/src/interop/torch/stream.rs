//! The streams that torch works on.

use std::marker::PhantomData;
use std::sync::{PoisonError, RwLock};

use arrayspan_devices::{Device, Stream};
use tch::Tensor;

use super::load::expect_cuda;
use super::shim::{self, TorchStream};
use crate::Result;

/// The stream that torch puts this thread's work for a CUDA device on. Work on it comes after all that torch has
/// queued there.
///
/// # Errors
/// [`Error::Inexpressible`](crate::Error::Inexpressible) off CUDA; [`Error::Device`](crate::Error::Device) without `libtorch_cuda`; the driver's refusal.
pub fn current_stream(device: Device) -> Result<Stream> {
    expect_cuda("torch::current_stream", device)?;
    let raw = current(device)?;
    if let Some(known) = known(device).into_iter().find(|stream| stream.raw() == raw) {
        return Ok(known);
    }
    // SAFETY: a stream of torch's, which it never destroys; or one that somebody made current in C++, who must keep it
    // while torch and those who ask torch use it.
    let stream = unsafe { Stream::from_foreign(device, raw, Box::new(()))? };
    if raw == DEFAULT {
        keep(&stream);
    }
    Ok(stream)
}

/// Runs a function while torch puts this thread's work for the stream's device on the stream.
///
/// Torch's allocator remembers streams by their handles for as long as the process lives. So the stream is kept as
/// long: use few.
///
/// # Errors
/// [`Error::Inexpressible`](crate::Error::Inexpressible) off CUDA; [`Error::Device`](crate::Error::Device) without `libtorch_cuda`; torch's refusal. The function has
/// not run then.
pub fn with_stream<T>(stream: &Stream, function: impl FnOnce() -> T) -> Result<T> {
    let device = stream.device();
    expect_cuda("torch::with_stream", device)?;
    // So that what was exported before is known to be used on torch's default stream, too.
    current_stream(device)?;
    keep(stream);
    let mut before = TorchStream::default();
    shim::call("exchangeStream", device, 0, |failure| {
        let (index, raw) = (shim::index(device), stream.raw());
        // SAFETY: a live stream of that device, kept for good; the result is written during the call only.
        unsafe { shim::arrayspan_torch_exchange_stream(index, raw, &raw mut before, failure) }
    })?;
    let _restore = Restore { device, before, this_thread: PhantomData };
    Ok(function())
}

/// As [`record_stream`](super::record_stream), for memory of torch's own and a stream that torch knows.
pub(super) fn record(tensor: &Tensor, stream: &Stream) -> Result<()> {
    shim::call("recordStream", stream.device(), 0, |failure| {
        let (tensor, index) = (tensor.as_ptr().cast(), shim::index(stream.device()));
        // SAFETY: a live tensor with memory on the device of the stream, which is alive, too.
        unsafe { shim::arrayspan_torch_record_stream(tensor, index, stream.raw(), failure) }
    })
}

/// The handle of the current stream. CUDA is loaded.
fn current(device: Device) -> Result<usize> {
    let mut raw = 0;
    shim::call("getStream", device, 0, |failure| {
        // SAFETY: libtorch_cuda is loaded; the result is written during the call only.
        unsafe { shim::arrayspan_torch_current_stream(shim::index(device), &raw mut raw, failure) }
    })?;
    Ok(raw)
}

/// Torch's default stream is the legacy one.
const DEFAULT: usize = 0;

/// The default streams of torch, and all that we have made current: each once.
static KEPT: RwLock<Vec<Stream>> = RwLock::new(Vec::new());

/// Remembers for good that torch may use a stream without anybody telling.
pub(super) fn keep(stream: &Stream) {
    let mut kept = KEPT.write().unwrap_or_else(PoisonError::into_inner);
    if !kept.contains(stream) {
        kept.push(stream.clone());
    }
}

/// The streams of a device that torch may use without anybody telling.
pub(super) fn known(device: Device) -> Vec<Stream> {
    let kept = KEPT.read().unwrap_or_else(PoisonError::into_inner);
    kept.iter().filter(|stream| stream.device() == device).cloned().collect()
}

/// Makes the stream current again that was, also when a panic passes.
struct Restore {
    device: Device,
    before: TorchStream,
    /// What is current belongs to the thread.
    this_thread: PhantomData<*const ()>,
}

impl Drop for Restore {
    fn drop(&mut self) {
        let restored = shim::call("exchangeStream", self.device, 0, |failure| {
            // SAFETY: it was current on this thread when this was made.
            unsafe { shim::arrayspan_torch_restore_stream(self.before, failure) }
        });
        if let Err(error) = restored {
            tracing::error!(%error, "torch's current stream cannot be restored");
        }
    }
}
