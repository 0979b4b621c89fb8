//! Tensors that are only read, for as long as a call takes.

use std::sync::Arc;

use arrayspan_devices::{Access, Device, Memory, Release, Stream};
use tch::Tensor;

use super::import::{copied, unusable};
use super::inspect;
use super::load::expect;
use super::stream::current_stream;
use crate::{Result, View};

/// Lets a function read the elements of a tensor where they are, whoever else holds it and whatever its strides; in a copy
/// by torch only where they are not in memory as the tensor shows them. The function is told the stream to queue its
/// work on: torch's current one, so that the work comes after what torch has queued, and what torch queues later comes
/// after the work.
///
/// As with any function of torch, nobody may write the tensor at the same time on another thread.
pub(super) fn read<T>(
    operation: &'static str,
    tensor: &Tensor,
    function: impl FnOnce(View<'_>, &Stream) -> T,
) -> Result<T> {
    let found = inspect::check(&inspect::describe(tensor)?)?;
    expect(operation, found.device)?;
    if unusable(&found).is_some() {
        let (copy, _) = copied(tensor, &found)?;
        return read(operation, &copy, function);
    }
    let stream = stream_of(found.device)?;
    let (keep, bytes) = (tensor.shallow_clone(), found.bytes);
    let release: Release = Box::new(move || drop(keep));
    // SAFETY: elements of a live tensor, which the release function keeps alive. They are read through a `View` only, and what
    // torch has queued comes before what is queued on its current stream.
    let memory = unsafe {
        if found.device.is_cpu() {
            Memory::from_foreign(found.device, found.address, bytes, release)
        } else {
            Memory::from_foreign_on(&stream, found.address, bytes, release)
        }
    };
    let borrowed = Borrowed { memory: Some(Arc::new(memory)), stream };
    let Some(memory) = &borrowed.memory else { unreachable!("taken only when it is dropped") };
    Ok(function(View::new(memory, found.layout, found.dtype), &borrowed.stream))
}

/// The stream of this thread that torch's work for a device is on.
fn stream_of(device: Device) -> Result<Stream> {
    if device.is_cpu() { Ok(device.stream()?) } else { current_stream(device) }
}

/// Gives the memory back also when a panic passes.
struct Borrowed {
    memory: Option<Arc<Memory>>,
    stream: Stream,
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        let done = if self.stream.device().is_cpu() {
            memory.wait(Access::Write)
        } else {
            // Of work that went to other streams, as that of operators on several devices does.
            memory.acquire(&self.stream, Access::Write)
        };
        if let Err(error) = done {
            tracing::error!(%error, "a tensor is kept until the work that reads it is done");
            return;
        }
        // Where somebody holds a handle of the memory, the tensor stays alive until that is gone.
        if let Some(memory) = Arc::into_inner(memory) {
            // SAFETY: torch's current stream, or the host, has been made to wait for all work on the memory, and
            // whoever called holds the tensor.
            unsafe { memory.hand_back() };
        }
    }
}
