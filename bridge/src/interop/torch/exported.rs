//! Arrays that torch holds: how it gets one, and how it gives it back.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use arrayspan_devices::{Access, Stream};
use tch::Tensor;

use super::shim::{self, Dtype};
use super::stream::{current_stream, known};
use crate::{Result, SharedArray};

/// What torch gives back when the last tensor over an array is dropped.
struct Exported {
    array: SharedArray,
    /// What torch may do with it.
    access: Access,
}

/// A tensor over the array's memory, on torch's current stream.
pub(super) fn wrap(array: SharedArray, access: Access) -> Result<Tensor> {
    let (device, layout, memory) = (array.device(), array.layout(), array.memory());
    if device.is_cpu() {
        memory.wait(access)?;
    } else {
        memory.acquire(&current_stream(device)?, access)?;
    }
    let (code, bits) = array.dtype().dlpack();
    let dtype = Dtype { code, bits, lanes: 1 };
    let empty = layout.is_empty();
    let data = if empty { 0 } else { memory.address() + layout.offset() * array.dtype().bytes() };
    let sizes: Vec<i64> = layout.shape().iter().map(|&extent| extent as i64).collect();
    // Where an axis has one index or none, any stride will do; torch takes no negative one.
    let strides: Vec<i64> = layout.strides().iter().map(|&stride| stride.max(0) as i64).collect();
    let cuda = if device.is_cpu() { -1 } else { device.gpu_id() as i32 };
    let context = Box::into_raw(Box::new(Exported { array, access })).cast::<c_void>();
    let mut tensor = null_mut();
    shim::call("from_blob", device, 0, |failure| {
        let (sizes, strides, ndim) = (sizes.as_ptr(), strides.as_ptr(), sizes.len());
        // SAFETY: elements of an array that the context keeps; an `Array` was alone with them, and who lends a shared
        // one has promised that nobody writes. Torch's current stream comes after our work. Shape and
        // strides have been checked and are read during the call only. The context is given back once, by
        // `release`, also if the call fails.
        unsafe {
            shim::arrayspan_torch_wrap(
                data,
                sizes,
                strides,
                ndim,
                dtype,
                cuda,
                context,
                release,
                &raw mut tensor,
                failure,
            )
        }
    })?;
    // SAFETY: a new tensor that nobody else owns.
    Ok(unsafe { Tensor::from_ptr(tensor.cast()) })
}

/// Gives an array back, on whatever thread the last tensor over it is dropped.
///
/// Torch's kernels that use it may still be queued, and torch does not say where. So the memory is told of all
/// streams that they can be on; like all memory, it then goes after the work on them, in their order.
unsafe extern "C" fn release(context: *mut c_void) {
    // SAFETY: by `wrap` called once, with the box made there.
    let exported = unsafe { Box::from_raw(context.cast::<Exported>()) };
    let given_back = catch_unwind(AssertUnwindSafe(|| {
        let memory = exported.array.memory();
        let device = memory.device();
        if !device.is_cpu() {
            match current_stream(device) {
                Ok(current) => {
                    known(device).iter().chain([&current]).for_each(|on| memory.remember(on));
                }
                Err(error) => {
                    // A leak is harmless, an early release is not.
                    tracing::error!(%error, "an array that torch gave back is leaked");
                    std::mem::forget(exported);
                    return;
                }
            }
        }
        drop(exported);
    }));
    if let Err(panic) = given_back {
        tracing::error!("a panic while torch gave an array back");
        // Dropping what a panic carries may panic again, which must not happen in C++.
        std::mem::forget(panic);
    }
}

/// Remembers that work on `stream` uses the tensor's memory, if that is ours.
pub(super) fn used_on(tensor: &Tensor, stream: &Stream) -> bool {
    let exported = exported(tensor);
    if let Some(exported) = exported {
        exported.array.memory().remember(stream);
    }
    exported.is_some()
}

/// Whether the tensor's memory is an array that torch may only read.
pub(super) fn is_lent(tensor: &Tensor) -> bool {
    exported(tensor).is_some_and(|exported| exported.access == Access::Read)
}

/// The array whose memory a tensor uses.
fn exported(tensor: &Tensor) -> Option<&Exported> {
    // SAFETY: a live tensor; a context with this release function is one of ours, and lives as long as the tensor.
    unsafe {
        shim::arrayspan_torch_context(tensor.as_ptr().cast(), release).cast::<Exported>().as_ref()
    }
}
