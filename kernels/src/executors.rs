//! Which executor runs the work of a stream.

use std::sync::{Arc, OnceLock};

use arrayspan_bridge::devices::{Device, Stream};

use crate::{Executor, Gpu, Host, Result};

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
    static HOST: OnceLock<Arc<Host>> = OnceLock::new();
    let device = stream.device();
    // Only streams that are never destroyed: an executor keeps its own.
    let own = stream.is_process_stream();
    Ok(match (device.is_cpu(), own) {
        (true, true) => HOST.get_or_init(|| Arc::new(Host::on(stream.clone()))).clone(),
        (true, false) => Arc::new(Host::on(stream.clone())),
        (false, true) => Gpu::own(stream)?,
        (false, false) => Arc::new(Gpu::new(stream.clone())?),
    })
}
