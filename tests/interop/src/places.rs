//! Devices and their streams.

use arrayspan_devices::{Device, Stream, drain};

use crate::error::{Failure, guarded, misuse};

/// The device by its `DLPack` names.
pub(crate) fn device(kind: i32, id: i32) -> Result<Device, Failure> {
    Ok(Device::from_dlpack(kind, id)?)
}

/// The stream on which a consumer wants the data ready, by the numbers of Python's `__dlpack__`: `None` for 0,
/// where the host waits.
pub(crate) fn consumer(device: Device, number: i64) -> Result<Option<Stream>, Failure> {
    match number {
        0 => Ok(None),
        // The consumer asks for no order at all; on our own stream there is nothing to wait for.
        -1 => Ok(Some(device.stream()?)),
        _ if number < 0 || device.is_cpu() => misuse(format!("stream {number} of {device}")),
        // Until streams of others can be named, the host waits, which is right on any of them.
        _ => Ok(None),
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
