//! What computes on the streams of other libraries.

use std::sync::{Arc, PoisonError, RwLock};

use arrayspan::devices::{Device, Stream};
use arrayspan::kernels::{Executor, on_stream};
use pyo3::prelude::*;

use crate::error::Result;

/// A stream that another library has put work on.
struct Known {
    raw: usize,
    executor: Arc<dyn Executor>,
    /// Whether it is there as long as the process is.
    forever: bool,
}

/// Those used last in front.
static KNOWN: RwLock<Vec<Known>> = RwLock::new(Vec::new());

/// Streams that are kept alive for the next call.
const KEPT: usize = 32;

/// CUDA's legacy default stream, by which nobody else's stream is called.
pub(super) const DEFAULT: usize = 0;

/// The executor of a stream, if it was made before: what it keeps (how calls were launched, room for parts of results) is there for
/// the next call.
pub(crate) fn known(device: Device, raw: usize) -> Option<Arc<dyn Executor>> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    find(&known, device, raw)
}

fn find(known: &[Known], device: Device, raw: usize) -> Option<Arc<dyn Executor>> {
    let same = |known: &&Known| known.raw == raw && known.executor.device() == device;
    known.iter().find(same).map(|known| known.executor.clone())
}

/// As [`known`], or a new one. `keep` is what keeps the stream alive; `None` where nothing has to.
///
/// # Safety
/// `raw` is a live stream of the device's primary context, and stays one until `keep` is dropped.
pub(super) unsafe fn remember(
    py: Python<'_>,
    device: Device,
    raw: usize,
    keep: Option<Py<PyAny>>,
) -> Result<Arc<dyn Executor>> {
    // Not under the lock of either kind: it may ask for memory, and build kernels.
    // SAFETY: passed on to the caller.
    py.detach(|| unsafe { remember_unlocked(device, raw, keep) })
}

/// The same, of threads that do not have the interpreter's lock.
///
/// # Safety
/// As [`remember`].
pub(crate) unsafe fn remember_unlocked(
    device: Device,
    raw: usize,
    keep: Option<Py<PyAny>>,
) -> Result<Arc<dyn Executor>> {
    let forever = keep.is_none();
    // SAFETY: passed on to the caller.
    let stream = unsafe { Stream::from_foreign(device, raw, Box::new(keep))? };
    let executor = on_stream(&stream)?;
    let given_up: Vec<Known>;
    let executor = {
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = find(&known, device, raw) {
            return Ok(first);
        }
        known.insert(0, Known { raw, executor: executor.clone(), forever });
        let mut room = KEPT;
        given_up = known
            .extract_if(.., |known| {
                room = room.saturating_sub(usize::from(!known.forever));
                !known.forever && room == 0
            })
            .collect();
        executor
    };
    drop(given_up);
    Ok(executor)
}
