//! What computes on torch's streams.

use std::sync::{Arc, PoisonError, RwLock};

use arrayspan_bridge::devices::Stream;
use arrayspan_kernels::{Executor, on_stream};

use crate::Result;

/// The executors of streams that torch has put work on. Torch never destroys a stream.
static KNOWN: RwLock<Vec<Arc<dyn Executor>>> = RwLock::new(Vec::new());

/// The executor of one of torch's streams, made once: what it keeps (how calls were launched, room for parts of results) is there
/// for the next call.
pub(super) fn executor(stream: &Stream) -> Result<Arc<dyn Executor>> {
    if stream.device().is_cpu() {
        return Ok(on_stream(stream)?);
    }
    let find = |known: &[Arc<dyn Executor>]| {
        known.iter().find(|executor| executor.stream() == stream).cloned()
    };
    if let Some(known) = find(&KNOWN.read().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(known);
    }
    // Not under the lock: it may ask for memory. Of two that are made at once the first stays.
    let made = on_stream(stream)?;
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(first) = find(&known) {
        return Ok(first);
    }
    known.push(made.clone());
    Ok(made)
}
