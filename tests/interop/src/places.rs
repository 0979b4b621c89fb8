//! Devices and their streams.

use arrayspan_devices::{Device, Stream, drain};

use crate::error::{Failure, guarded, misuse};

/// The device by its `DLPack` names.
pub(crate) fn device(kind: i32, id: i32) -> Result<Device, Failure> {
    Ok(Device::from_dlpack(kind, id)?)
}

/// How an export comes before the consumer's work without the host waiting.
#[derive(Debug)]
pub(crate) struct Order {
    /// What the array is exported on, and given back after.
    stream: Stream,
    /// A stream of the consumer's that must wait for that one.
    waits: Option<Stream>,
}

impl Order {
    /// The order a consumer wants, by the numbers of Python's `__dlpack__`; `None` for 0, where the host waits.
    ///
    /// # Safety
    /// `number` is one of the special ones, or a stream of `device` that lives until this is dropped.
    pub(crate) unsafe fn new(device: Device, number: i64) -> Result<Option<Self>, Failure> {
        if number == 0 {
            return Ok(None);
        }
        let own = device.stream()?;
        let Ok(raw) = usize::try_from(number) else {
            // The consumer asks for no order at all.
            let none = number == -1;
            let order = Self { stream: own, waits: None };
            return if none { Ok(Some(order)) } else { misuse(format!("stream {number}")) };
        };
        if device.is_cpu() {
            return misuse("the CPU has no streams");
        }
        // SAFETY: the caller's.
        let theirs = unsafe { Stream::from_foreign(device, raw, Box::new(()))? };
        // The driver's default streams live as long as it. How long any other does, nothing tells; since an
        // array remembers the streams it was used on, such a one only waits. What the consumer has queued on it
        // must be done before it lets go of the array, as with any other producer.
        let special = raw <= 2;
        let (stream, waits) = if special { (theirs, None) } else { (own, Some(theirs)) };
        Ok(Some(Self { stream, waits }))
    }

    /// The stream to export on.
    pub(crate) fn stream(order: Option<&Self>) -> Option<&Stream> {
        order.map(|order| &order.stream)
    }

    /// Makes the consumer's stream wait, after the export.
    pub(crate) fn hand_on(&self) -> Result<(), Failure> {
        self.waits.as_ref().map_or(Ok(()), |theirs| Ok(theirs.wait_for(&self.stream)?))
    }
}

/// The raw handle of the device's default stream, zero on the CPU.
///
/// # Safety
/// `to` is a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_stream(kind: i32, id: i32, to: *mut u64) -> i32 {
    guarded(|| {
        let raw = device(kind, id)?.stream()?.raw();
        // SAFETY: the caller's place.
        unsafe { to.write(raw as u64) };
        Ok(())
    })
}

/// What arrayspan itself holds on a device: bytes and blocks. Releases that wait for work are waited for.
///
/// # Safety
/// `to` is a place for two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn interop_statistics(kind: i32, id: i32, to: *mut u64) -> i32 {
    guarded(|| {
        let device = device(kind, id)?;
        drain();
        let held = device.statistics();
        // SAFETY: the caller's places.
        unsafe {
            to.write(held.live_bytes as u64);
            to.add(1).write(held.live_blocks as u64);
        }
        Ok(())
    })
}

/// Blocks until work queued on the device's default stream is done, and every release that waited for work.
#[unsafe(no_mangle)]
pub extern "C" fn interop_settle(kind: i32, id: i32) -> i32 {
    guarded(|| {
        device(kind, id)?.stream()?.synchronize()?;
        drain();
        Ok(())
    })
}
