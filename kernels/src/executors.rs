//! Which executor runs the work of a stream.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrayspan_bridge::devices::{Device, Stream};
use parking_lot::RwLock;

use crate::{Executor, Gpu, Host, Result};

/// The executors of the processes' own streams, one a device: what they keep (room for parts of results, vendors' handles)
/// is there for the next call.
static OWN: LazyLock<RwLock<HashMap<Device, Arc<dyn Executor>>>> = LazyLock::new(RwLock::default);

/// The executor of `device`'s stream: that of the process, or the one that the thread has made its default.
///
/// That of the process is made once.
///
/// # Errors
/// When the device cannot make its stream.
pub fn on(device: Device) -> Result<Arc<dyn Executor>> {
    on_stream(&device.stream()?)
}

/// An executor whose work goes to `stream`.
///
/// # Errors
/// When the stream's device cannot run kernels.
pub fn on_stream(stream: &Stream) -> Result<Arc<dyn Executor>> {
    let device = stream.device();
    if let Some(own) = OWN.read().get(&device)
        && own.stream() == stream
    {
        return Ok(own.clone());
    }
    let executor: Arc<dyn Executor> = if device.is_cpu() {
        Arc::new(Host::on(stream.clone()))
    } else {
        Arc::new(Gpu::new(stream.clone())?)
    };
    // Only streams that are never destroyed: an executor keeps its own.
    if device.process_stream()? == *stream {
        return Ok(OWN.write().entry(device).or_insert(executor).clone());
    }
    Ok(executor)
}
