//! Arrays from tensors.

use std::sync::Arc;

use arrayspan_devices::{Access, Device, Memory, Release};
use tch::Tensor;

use super::exported::is_lent;
use super::inspect::{self, Found, refuse};
use super::load::expect;
use super::record::record_stream;
use super::stream::current_stream;
use super::{Gradients, TorchOptions, shim};
use crate::interop::cudarc::keep_context;
use crate::owner::Owner;
use crate::{Array, Crossing, Error, Result, SharedArray, Transfer, Why};

const OPERATION: &str = "torch::import";

/// The tensor whose memory an array uses.
pub(super) struct Imported(pub(super) Tensor);

/// The memory of a tensor as an array to write: without a copy if nobody else holds the tensor or its storage (a
/// view, a clone, a graph), and its elements are in memory as it shows them, each at a place of its own; else a
/// copy that torch makes on the same device. Enqueued; does not wait.
///
/// All our work on it comes after what torch has queued on its current stream.
///
/// # Errors
/// [`Error::Foreign`] names what an array cannot be: sparse, quantised, on another device, a tensor that requires
/// gradients if [`Gradients::Refuse`] is asked for; [`Error::CopyRefused`]; out of memory; a failure of torch.
/// The tensor is dropped then.
pub fn import(tensor: Tensor, options: TorchOptions) -> Result<(Array, Crossing)> {
    let (mut tensor, mut found) = open(tensor, options.gradients)?;
    let mut crossing = Crossing::ZeroCopy;
    let shared = (!found.alone).then_some(Why::Shared);
    let strides = || found.layout.may_overlap_itself().then_some(Why::Strides);
    if found.bytes > 0
        && let Some(why) = unusable(&found).or(shared).or_else(strides)
    {
        crossing = options.transfer.copy(OPERATION, why, elements(&found)?)?;
        (tensor, found) = copied(&tensor, &found)?;
    }
    // Alone, or just copied; or without elements, which is as good.
    let array = adopt(tensor, found, true)?;
    Ok((Array::from_unique(array), crossing))
}

/// The memory of a tensor as an array to read, without a copy whoever else holds it; a copy is made only of elements
/// that are not in memory as the tensor shows them. Streams: as [`import`].
///
/// # Errors
/// Those of [`import`].
///
/// # Safety
/// While the array lives, nobody writes the memory: neither through this tensor's views, clones and bases, nor
/// through whatever else torch shares it with, on any thread or stream.
pub unsafe fn import_shared(
    tensor: Tensor,
    options: TorchOptions,
) -> Result<(SharedArray, Crossing)> {
    let (mut tensor, mut found) = open(tensor, options.gradients)?;
    let mut crossing = Crossing::ZeroCopy;
    if let Some(why) = unusable(&found) {
        crossing = options.transfer.copy(OPERATION, why, elements(&found)?)?;
        (tensor, found) = copied(&tensor, &found)?;
    }
    let alone = found.alone;
    Ok((adopt(tensor, found, alone)?, crossing))
}

/// Takes over a tensor that nobody else holds, does not require gradients, and whose elements share no places,
/// without a copy.
impl TryFrom<Tensor> for Array {
    type Error = Error;

    fn try_from(tensor: Tensor) -> Result<Self> {
        import(tensor, zero_copy()).map(|(array, _)| array)
    }
}

/// Takes over a tensor that nobody else holds and that does not require gradients, without a copy. Its elements
/// may share places.
impl TryFrom<Tensor> for SharedArray {
    type Error = Error;

    fn try_from(tensor: Tensor) -> Result<Self> {
        let (tensor, found) = open(tensor, Gradients::Refuse)?;
        let shared = (!found.alone).then_some(Why::Shared);
        if found.bytes > 0
            && let Some(why) = unusable(&found).or(shared)
        {
            Transfer::ZeroCopyOnly.copy(OPERATION, why, elements(&found)?)?;
        }
        adopt(tensor, found, true)
    }
}

fn zero_copy() -> TorchOptions {
    TorchOptions { transfer: Transfer::ZeroCopyOnly, gradients: Gradients::Refuse }
}

/// Checks a tensor, once it is free of gradients.
fn open(mut tensor: Tensor, gradients: Gradients) -> Result<(Tensor, Found)> {
    let description = inspect::describe(&tensor)?;
    let mut found = inspect::check(&description)?;
    if description.gradients && gradients == Gradients::Refuse {
        return refuse("requires_grad", "is true, and an array cannot carry gradients");
    }
    if description.gradients || !found.alone {
        // A graph holds what it needs for the way back, and a view holds its base, for gradients only.
        shim::call("detach", Device::cpu(), 0, |failure| {
            // SAFETY: a live tensor that is ours alone to change.
            unsafe { shim::arrayspan_torch_detach(tensor.as_mut_ptr().cast(), failure) }
        })?;
        found = inspect::check(&inspect::describe(&tensor)?)?;
    }
    found.alone = found.alone && !is_lent(&tensor);
    expect(OPERATION, found.device)?;
    Ok((tensor, found))
}

/// Why the memory does not hold what the tensor shows in a way that anybody could read.
pub(super) fn unusable(found: &Found) -> Option<Why> {
    match found {
        _ if found.bytes == 0 => None,
        _ if found.lazy => Some(Why::Lazy),
        _ if !found.is_aligned() => Some(Why::Alignment),
        _ => None,
    }
}

fn elements(found: &Found) -> Result<usize> {
    found.layout.bytes(OPERATION, found.dtype)
}

/// A row-major copy by torch, on its current stream.
pub(super) fn copied(tensor: &Tensor, found: &Found) -> Result<(Tensor, Found)> {
    let mut copy = std::ptr::null_mut();
    shim::call("copy_", found.device, elements(found)?, |failure| {
        // SAFETY: a live tensor, read only; the result is written during the call only.
        unsafe { shim::arrayspan_torch_copy(tensor.as_ptr().cast(), &raw mut copy, failure) }
    })?;
    // SAFETY: a new tensor that nobody else owns.
    let copy = unsafe { Tensor::from_ptr(copy.cast()) };
    if !found.device.is_cpu() {
        // The source goes now, and may have been made on another stream than the one that copies.
        record_stream(tensor, &current_stream(found.device)?)?;
    }
    let found = inspect::check(&inspect::describe(&copy)?)?;
    Ok((copy, found))
}

fn adopt(tensor: Tensor, found: Found, writable: bool) -> Result<SharedArray> {
    let Found { device, dtype, layout, address, bytes, .. } = found;
    let stream = if device.is_cpu() { None } else { Some(current_stream(device)?) };
    let owner = Owner::new(Imported(tensor));
    let free = owner.release();
    // Torch makes a context current where it has to mark the end of other streams' work.
    let release: Release =
        if device.is_cpu() { free } else { Box::new(move || keep_context(free)) };
    // SAFETY: elements of a live tensor, which the release function drops. Nobody else uses them: `import` knows that
    // nobody can, the caller of `import_shared` has promised that nobody writes. What torch has queued on its
    // current stream is made known at once. The release function runs after all our work is done, so that torch's
    // allocator may give the memory out on any stream.
    let memory = unsafe { Memory::from_foreign(device, address, bytes, release) };
    if let Some(stream) = stream {
        memory.acquire(&stream, Access::Write)?;
    }
    Ok(SharedArray { memory: Arc::new(memory), owner: Some(owner), layout, dtype, writable })
}
