//! Streams of runs that are over, for those to come.

use arrayspan_devices::{Device, Result, Stream};
use parking_lot::Mutex;

/// Not destroyed, because what belongs to a stream (its part of the memory pool, a user's executor for it) is worth
/// keeping. Never more than were in use at once.
static IDLE: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

/// A stream nobody else uses.
pub(super) fn take(device: Device) -> Result<Stream> {
    let mut idle = IDLE.lock();
    if let Some(at) = idle.iter().position(|stream| stream.device() == device) {
        return Ok(idle.remove(at));
    }
    drop(idle);
    device.new_stream()
}

/// Gives a stream back once its work is done; one whose device fails is not kept.
pub(super) fn give_back(stream: &Stream) {
    if stream.record().and_then(|end| end.synchronize()).is_ok() {
        IDLE.lock().push(stream.clone());
    }
}
