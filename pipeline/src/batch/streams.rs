//! The streams of a device's slots, and those of runs that are over, for those to come.

use arrayspan_devices::{Device, Result, Stream};
use parking_lot::Mutex;

/// Not destroyed, because what belongs to a stream (its part of the memory pool, a user's executor for it) is worth
/// keeping. Never more than were in use at once.
static IDLE: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

/// A stream of a run, which nobody outside of it uses. Goes back when it is dropped.
#[derive(Debug)]
pub(super) struct PooledStream(Stream);

impl PooledStream {
    pub(super) fn take(device: Device) -> Result<Self> {
        let mut idle = IDLE.lock();
        if let Some(at) = idle.iter().position(|stream| stream.device() == device) {
            return Ok(Self(idle.remove(at)));
        }
        drop(idle);
        device.new_stream().map(Self)
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.0
    }
}

impl Drop for PooledStream {
    /// Keeps the stream once its work is done; one whose device fails is not kept.
    fn drop(&mut self) {
        if self.0.record().and_then(|end| end.synchronize()).is_ok() {
            IDLE.lock().push(self.0.clone());
        }
    }
}

/// What all slots of a device use: one stream for uploads and one for downloads, so that each of the device's copy engines
/// has a queue of its own, in which nothing waits for a kernel but what has to.
#[derive(Debug)]
pub(super) struct CopyStreams {
    pub(super) up: PooledStream,
    pub(super) down: PooledStream,
}

impl CopyStreams {
    pub(super) fn take(device: Device) -> Result<Self> {
        Ok(Self { up: PooledStream::take(device)?, down: PooledStream::take(device)? })
    }
}
