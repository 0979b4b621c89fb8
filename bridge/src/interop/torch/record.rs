//! Work that torch has put on a stream without telling its allocator.

use arrayspan_devices::Stream;
use tch::Tensor;

use super::stream::{keep, record};
use super::{exported, inspect};
use crate::{Error, Result};

/// Tells whose memory a tensor uses that work now on `stream` uses it, so that it is given out again only afterwards.
/// Needed for tensors that torch got from us and uses on a stream that it did not get from [`with_stream`](super::with_stream), and, as
/// in torch, for tensors of its own that are used on another stream than the one they were made on.
///
/// # Errors
/// [`Error::Foreign`] for a tensor without memory; [`Error::WrongDevice`] for a stream of another device than the
/// tensor's; torch's refusal.
pub fn record_stream(tensor: &Tensor, stream: &Stream) -> Result<()> {
    let device = inspect::check(&inspect::describe(tensor)?)?.device;
    if device != stream.device() {
        let (expected, found) = (device, stream.device());
        let (operation, argument) = ("torch::record_stream", "stream");
        return Err(Error::WrongDevice { operation, argument, expected, found });
    }
    if device.is_cpu() || exported::used_on(tensor, stream) {
        return Ok(());
    }
    keep(stream);
    record(tensor, stream)
}
