//! What compiled functions of JAX call.

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrayspan::bridge::interop::cudarc::device_of;
use arrayspan::bridge::{Array, Relayout};
use arrayspan::devices::{Device, Release};
use arrayspan::kernels::Executor;
use arrayspan::operators::LinearMap;

use super::abi::{
    EXECUTE, Error, ErrorCreate, Frame, METADATA, Metadata, MetadataExtension, UNKNOWN,
};
use super::call::{self, Given, Result};
use super::numbered;
use crate::batches::Batches;
use crate::direct::borrowed::{Borrowed, hand_back, lent};
use crate::direct::streams;
use crate::direction::Direction;
use crate::error::Failure;
use crate::placed::placed;

/// The handler of calls on the host.
///
/// # Safety
/// For XLA alone, which calls it with frames of its own.
pub(super) unsafe extern "C" fn on_host(frame: *mut Frame) -> *mut Error {
    // SAFETY: the caller's.
    unsafe {
        handled(frame, |_, _| {
            arrayspan::kernels::on(Device::cpu()).map_err(|error| error.to_string())
        })
    }
}

/// The handler of calls on CUDA.
///
/// # Safety
/// As [`on_host`].
pub(super) unsafe extern "C" fn on_cuda(frame: *mut Frame) -> *mut Error {
    // SAFETY: the caller's. Streams on which compiled functions run live as long as JAX's client of the devices, which is as long as the process
    // unless somebody clears JAX's backends.
    unsafe {
        handled(frame, |frame, given| {
            let device =
                device_of(given.first, given.bytes()).map_err(|error| error.to_string())?;
            let raw = call::stream(frame)?;
            match streams::known(device, raw) {
                Some(known) => Ok(known),
                None => streams::remember_unlocked(device, raw, None).map_err(text),
            }
        })
    }
}

/// Where a call computes, given one of its arrays that has elements.
type On = unsafe fn(&Frame, &Given) -> Result<Arc<dyn Executor>>;

/// # Safety
/// The frame is XLA's, of a call that has not returned, or null.
unsafe fn handled(frame: *mut Frame, on: On) -> *mut Error {
    // SAFETY: the caller's.
    let Some(frame) = (unsafe { frame.as_ref() }) else { return std::ptr::null_mut() };
    // SAFETY: the caller's.
    unsafe {
        if introduced(frame) {
            return std::ptr::null_mut();
        }
    }
    if frame.stage != EXECUTE {
        return std::ptr::null_mut();
    }
    // SAFETY: the caller's.
    match catch_unwind(AssertUnwindSafe(|| unsafe { run(frame, on) })) {
        Ok(Ok(())) => std::ptr::null_mut(),
        Ok(Err(why)) => refused(frame, &why),
        Err(_) => refused(frame, "arrayspan: a panic, which is a defect of the library"),
    }
}

/// Whether XLA has only asked what the handler is.
///
/// # Safety
/// The frame is XLA's, of a call that has not returned.
unsafe fn introduced(frame: &Frame) -> bool {
    // SAFETY: extensions are XLA's and of the kind that they say.
    unsafe {
        let mut extension = frame.extensions;
        while let Some(known) = extension.as_ref() {
            if known.kind == METADATA {
                let metadata: &mut Metadata =
                    &mut *(*extension.cast::<MetadataExtension>()).metadata;
                let version = &(*frame.api).version;
                // All that is used here is in each of version 0.
                (metadata.version.major, metadata.version.minor) = (0, version.minor);
                metadata.traits = 0;
                return true;
            }
            extension = known.next;
        }
        false
    }
}

/// # Safety
/// The frame is XLA's, of a call that has not returned.
unsafe fn run(frame: &Frame, on: On) -> Result<()> {
    // SAFETY: the caller's.
    let (number, direction, x, y) = unsafe {
        let direction = Direction::of(call::number(frame, "adjoint")? != 0);
        let (x, y) = (call::only(&frame.arguments, "x")?, call::only(&frame.results, "y")?);
        (call::number(frame, "operator")?, direction, x, y)
    };
    let Some(batches) = numbered(number) else {
        let why = "is gone: keep the function that it was made with until results are there";
        return Err(format!("arrayspan: operator {number} {why}"));
    };
    let [from, to] = direction.spaces(&batches.operator);
    let batch = x.shape.strip_suffix(from.shape()).filter(|batch| {
        let expected = batch.iter().chain(to.shape());
        y.shape.iter().eq(expected) && [x.dtype, y.dtype] == [from.dtype(), to.dtype()]
    });
    let Some(batch) = batch else {
        let name = batches.operator.name();
        let (from, to) =
            (format!("{:?} {}", x.shape, x.dtype), format!("{:?} {}", y.shape, y.dtype));
        return Err(format!("{name}: compiled from {from} to {to}"));
    };
    if y.bytes() == 0 {
        return Ok(());
    }
    // SAFETY: the caller's.
    let on = unsafe { on(frame, &y)? };
    // SAFETY: XLA's arrays are memory of the device that the call is on, which nobody else uses until later work of its stream (on the host,
    // until the call returns); they do not overlap, because no result was said to take the place of an argument.
    unsafe { computed(&batches, batch.len(), direction, (&x, &y), on) }.map_err(text)
}

/// # Safety
/// Both arrays are memory of the executor's device, ready on its stream, and used by nobody else until the stream is at its end then; on
/// the host, until this returns. They do not overlap.
unsafe fn computed(
    batches: &Batches,
    axes: usize,
    direction: Direction,
    (x, y): (&Given, &Given),
    on: Arc<dyn Executor>,
) -> crate::error::Result<()> {
    let operator = match &x.shape[..axes] {
        [] => batches.operator.clone(),
        batch => batches.of(batch.iter().product())?,
    };
    let nothing = || -> Release { Box::new(|| ()) };
    let (address, bytes, layout) = placed(y.first, &y.shape, &y.strides(), y.dtype)?;
    // SAFETY: the caller's.
    let (x, mut y) = unsafe {
        let at = (&x.shape[..], &x.strides()[..]);
        let x = Borrowed::kept(x.first, at, x.dtype, on.clone(), nothing)?;
        (x, Array::from_memory(lent(&*on, address, bytes, nothing), layout, y.dtype)?)
    };
    let [from, to] = direction.spaces(&operator);
    let applied = {
        let (x, y) = (x.view().reshaped(from.shape())?, y.view_mut().reshaped(to.shape())?);
        direction.apply(&operator, &*on, x, y)
    };
    // Whether it went well or not: what has been queued is ordered before whatever comes after the call.
    let memory = y.into_shared().memory().clone();
    hand_back(memory, &*on)?;
    x.hand_back()?;
    applied
}

/// An error of XLA's with that text.
fn refused(frame: &Frame, text: &str) -> *mut Error {
    let message = CString::new(text.replace('\0', " ")).unwrap_or_default();
    let (size, extensions) = (size_of::<ErrorCreate>(), std::ptr::null());
    let mut asked = ErrorCreate { size, extensions, message: message.as_ptr(), code: UNKNOWN };
    // SAFETY: XLA's functions live as long as it does; the structure is of the size that it says, and the text is copied.
    unsafe {
        (*frame.api).create_error.map_or(std::ptr::null_mut(), |create| create(&raw mut asked))
    }
}

fn text(failure: Failure) -> String {
    match failure {
        Failure::Ours(error) => error.to_string(),
        Failure::Raised(error) => error.to_string(),
    }
}
