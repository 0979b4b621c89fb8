//! Tensors from arrays.

use arrayspan_devices::Access;
use tch::Tensor;

use super::exported::wrap;
use super::import::Imported;
use super::load::expect;
use super::stream::{current_stream, record};
use super::{TorchOptions, inspect};
use crate::layout::wrong;
use crate::{Array, Crossing, DType, Error, Layout, Result, SharedArray, Transfer, Why};

const OPERATION: &str = "torch::export";

/// More axes than torch's loops take.
const MAX_RANK: usize = 64;

/// Hands an array over as a tensor, without a copy unless an axis runs down or the elements are not aligned. One that
/// came from a tensor and is laid out as that was becomes that tensor again.
///
/// Torch's current stream waits for our work; the host waits only for transfers from or to memory of the CPU. The
/// memory is given back after the last work of torch that uses it (see the [module](super)). tch has no name for
/// `UInt16`, `UInt32` and `UInt64`: such tensors work, but `kind` panics where `f_kind` returns an error.
///
/// # Errors
/// [`Error::Inexpressible`] for a dtype or a device that libtorch does not have; [`Error::CopyRefused`];
/// [`Error::Layout`] for more axes or bytes than it can count; [`Error::Device`] without `libtorch_cuda`; a failure
/// of torch or the driver. The array is dropped then.
pub fn export(array: Array, options: TorchOptions) -> Result<(Tensor, Crossing)> {
    expect_expressible(array.dtype(), array.layout())?;
    expect(OPERATION, array.device())?;
    let array = match take_back(array)? {
        Ok(tensor) => return Ok((tensor, Crossing::ZeroCopy)),
        Err(array) => array,
    };
    match obstacle(&array) {
        None => Ok((wrap(array.into_shared(), Access::Write)?, Crossing::ZeroCopy)),
        Some(why) => copy(&array.into_shared(), why, options.transfer),
    }
}

/// Hands an array over that others can read too: by a copy, since torch knows no read-only tensors and would let
/// anybody write it; without one if it turns out that nobody else holds it and it may be written. Otherwise as
/// [`export`].
///
/// # Errors
/// Those of [`export`].
pub fn export_shared(array: SharedArray, options: TorchOptions) -> Result<(Tensor, Crossing)> {
    match array.try_into_array() {
        Ok(array) => export(array, options),
        Err(shared) => {
            expect_expressible(shared.dtype(), shared.layout())?;
            expect(OPERATION, shared.device())?;
            copy(&shared, Why::ReadOnly, options.transfer)
        }
    }
}

/// Lets torch read an array that others can read too, without a copy, also where elements share places. Otherwise
/// as [`export`].
///
/// # Errors
/// Those of [`export`].
///
/// # Safety
/// Nobody writes through the tensor, its views or its clones: torch does not know that it must not.
pub unsafe fn lend(array: &SharedArray, options: TorchOptions) -> Result<(Tensor, Crossing)> {
    expect_expressible(array.dtype(), array.layout())?;
    expect(OPERATION, array.device())?;
    match obstacle_in(array) {
        None => Ok((wrap(array.clone(), Access::Read)?, Crossing::ZeroCopy)),
        Some(why) => copy(array, why, options.transfer),
    }
}

/// Hands the array over without a copy.
impl TryFrom<Array> for Tensor {
    type Error = Error;

    fn try_from(array: Array) -> Result<Self> {
        let options = TorchOptions { transfer: Transfer::ZeroCopyOnly, ..TorchOptions::default() };
        export(array, options).map(|(tensor, _)| tensor)
    }
}

fn obstacle(array: &Array) -> Option<Why> {
    obstacle_to(array.layout(), array.dtype(), array.memory())
}

fn obstacle_in(array: &SharedArray) -> Option<Why> {
    obstacle_to(array.layout(), array.dtype(), array.memory())
}

/// Why torch cannot use the elements where they are. It aborts the process over a negative stride and does not look
/// at alignment, so neither may get there.
fn obstacle_to(layout: &Layout, dtype: DType, memory: &arrayspan_devices::Memory) -> Option<Why> {
    let down = |(&extent, &stride): (&usize, &isize)| extent > 1 && stride < 0;
    match layout {
        _ if layout.is_empty() => None,
        _ if layout.shape().iter().zip(layout.strides()).any(down) => Some(Why::Strides),
        _ if !inspect::is_aligned(memory.address(), dtype, memory.device()) => Some(Why::Alignment),
        _ => None,
    }
}

/// What libtorch can say, before it is asked: some of this would end the process.
fn expect_expressible(dtype: DType, layout: &Layout) -> Result<()> {
    let what = match dtype {
        DType::Float8E3M4 | DType::Float8E4M3 | DType::Float8E4M3B11Fnuz => {
            "libtorch does not have this kind of Float8"
        }
        DType::Float6E2M3Fn | DType::Float6E3M2Fn => "libtorch does not have Float6",
        DType::Float4E2M1Fn => "libtorch has Float4 in packed pairs only",
        DType::OpaqueHandle => "libtorch does not have opaque handles",
        _ => return expect_countable(dtype, layout),
    };
    let what = format!("{dtype}: {what}").into();
    Err(Error::Inexpressible { operation: OPERATION, what })
}

/// Torch counts elements and bytes in 64 bits with a sign, also those of empty and of expanded tensors.
fn expect_countable(dtype: DType, layout: &Layout) -> Result<()> {
    let fail = |why| Err(wrong(OPERATION, layout.shape(), layout.strides(), why));
    if layout.rank() > MAX_RANK {
        return fail("more axes than libtorch can loop over");
    }
    let count = |bytes: usize, &extent: &usize| bytes.checked_mul(extent.max(1));
    let bytes = layout.shape().iter().try_fold(dtype.bytes(), count);
    match bytes {
        Some(bytes) if i64::try_from(bytes).is_ok() => Ok(()),
        _ => fail("more bytes than libtorch can count"),
    }
}

/// A tensor over a row-major copy on the same device.
fn copy(array: &SharedArray, why: Why, transfer: Transfer) -> Result<(Tensor, Crossing)> {
    let bytes = array.layout().bytes(OPERATION, array.dtype())?;
    let crossing = transfer.copy(OPERATION, why, bytes)?;
    let copy = array.view().to_array()?;
    Ok((wrap(copy.into_shared(), Access::Write)?, crossing))
}

/// The tensor that the array came from, if it is laid out as that still is; else the array again.
fn take_back(array: Array) -> Result<Result<Tensor, Array>> {
    let Some(owner) = array.owner().filter(|owner| owner.is::<Imported>()).cloned() else {
        return Ok(Err(array));
    };
    let mut unknown = None;
    let fits = |imported: &Imported| {
        let found = inspect::describe(&imported.0).and_then(|found| inspect::check(&found));
        match found {
            Ok(found) => {
                let same = &found.layout == array.layout() && found.dtype == array.dtype();
                same && array.layout().offset() == 0
            }
            Err(error) => {
                unknown = Some(error);
                false
            }
        }
    };
    let (device, memory) = (array.device(), array.memory());
    // Before it is taken: who drops it must do so after our work.
    let stream = if device.is_cpu() { None } else { Some(current_stream(device)?) };
    match &stream {
        Some(stream) => memory.acquire(stream, Access::Write)?,
        None => memory.wait(Access::Write)?,
    }
    let Some(Imported(tensor)) = owner.take(fits) else {
        return unknown.map_or(Ok(Err(array)), Err);
    };
    if let Some(stream) = stream {
        // Torch gives memory out again in the order of the stream it was first used on. If another one is current
        // now, only that one waits for our work.
        if let Err(error) = record(&tensor, &stream) {
            // A leak is harmless, an early reuse is not.
            std::mem::forget(tensor);
            return Err(error);
        }
    }
    if let Some(memory) = array.into_memory() {
        // SAFETY: the tensor owns the memory, and uses it on the stream that comes after all work queued on it; on the CPU
        // the host has waited. The release function owns nothing any more.
        unsafe { memory.hand_back() };
    }
    Ok(Ok(tensor))
}
