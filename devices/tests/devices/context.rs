//! Calls leave the thread's current CUDA context as it was: other libraries rely on it.

use std::ptr;

use arrayspan_devices::{Device, DeviceKind, Memory, Result};
use cudarc::driver::sys;

use super::{download, order, skipped, upload};

fn current() -> sys::CUcontext {
    let mut context = ptr::null_mut();
    // SAFETY: the driver is there and initialised, because a device was opened.
    let code = unsafe { sys::cuCtxGetCurrent(&raw mut context) };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    context
}

fn work(device: Device) -> Result<()> {
    let stream = device.new_stream()?;
    let x = upload(&(0..order::N as u32).collect::<Vec<_>>(), &stream)?;
    let y = Memory::allocate(4 * order::N, &device.stream()?)?;
    order::increment(&stream, &order::slow(device)?, &x, &y)?;
    let event = stream.record()?;
    event.synchronize()?;
    event.is_complete()?;
    assert_eq!(download::<u32>(&y, &stream)?.len(), order::N);
    assert!(device.free_bytes().is_some());
    assert!(Memory::allocate(1 << 50, &stream).is_err());
    Ok(())
}

#[test]
fn the_current_context_is_as_before_after_every_call() -> Result<()> {
    let devices = Device::all().into_iter().filter(|device| device.kind() == DeviceKind::Cuda);
    let devices: Vec<_> = devices.collect();
    if devices.is_empty() {
        skipped("no CUDA device");
        return Ok(());
    }
    // A thread with no current context keeps none. (Tests run on threads of their own.)
    assert!(current().is_null());
    for device in &devices {
        work(*device)?;
        assert!(current().is_null(), "{device} left its context behind");
    }
    // A thread with another library's context keeps that.
    let mut other = ptr::null_mut();
    // SAFETY: device 0 exists; the context is released at the end, when no longer current.
    unsafe {
        assert_eq!(sys::cuDevicePrimaryCtxRetain(&raw mut other, 0), sys::CUresult::CUDA_SUCCESS);
        assert_eq!(sys::cuCtxSetCurrent(other), sys::CUresult::CUDA_SUCCESS);
    }
    for device in &devices {
        work(*device)?;
        assert_eq!(current(), other, "{device} changed the current context");
    }
    // SAFETY: balances the calls above.
    unsafe {
        assert_eq!(sys::cuCtxSetCurrent(ptr::null_mut()), sys::CUresult::CUDA_SUCCESS);
        assert_eq!(sys::cuDevicePrimaryCtxRelease_v2(0), sys::CUresult::CUDA_SUCCESS);
    }
    Ok(())
}
