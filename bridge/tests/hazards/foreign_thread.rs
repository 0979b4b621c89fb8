//! H4: memory is dropped on a thread where its context is not current.

use std::thread;

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::interop::cudarc as cuda;
use cudarc::driver::{CudaSlice, result};

use super::gpu::{BYTES, first, ok, two};

fn slice(device: Device) -> CudaSlice<u8> {
    let stream = cuda::context(device).unwrap().default_stream();
    let slice = stream.alloc_zeros(BYTES).unwrap();
    stream.synchronize().unwrap();
    slice
}

#[test]
fn a_slice_dropped_on_a_bare_thread_is_not_freed() {
    let Some(device) = first() else { return };
    let slice = slice(device);
    let context = slice.context().clone();
    thread::spawn(move || drop(slice)).join().unwrap();
    assert!(context.check_err().is_err(), "the free failed, and only the context knows");
}

#[test]
fn an_array_of_a_slice_dropped_on_a_bare_thread_is_freed() {
    let Some(device) = first() else { return };
    let slice = slice(device);
    let context = slice.context().clone();
    let array = Array::from_cuda_slice(slice, [BYTES]).unwrap();
    thread::spawn(move || {
        drop(array);
        assert_eq!(result::ctx::get_current().unwrap(), None);
    })
    .join()
    .unwrap();
    drain();
    context.check_err().unwrap();
    device.check().unwrap();
}

#[test]
fn an_array_dropped_under_the_context_of_another_device_is_freed() {
    let Some([one, other]) = two() else { return };
    let slice = slice(one);
    let context = slice.context().clone();
    let array = Array::from_cuda_slice(slice, [BYTES]).unwrap();
    thread::spawn(move || {
        super::gpu::enter(other);
        let before = result::ctx::get_current().unwrap();
        drop(array);
        assert_eq!(result::ctx::get_current().unwrap(), before);
    })
    .join()
    .unwrap();
    drain();
    context.check_err().unwrap();
    one.check().unwrap();
}

#[test]
fn our_own_memory_dropped_on_a_bare_thread_comes_back() {
    let Some(device) = first() else { return };
    let before = device.statistics().live_bytes;
    let array = super::gpu::good(device);
    assert!(device.statistics().live_bytes >= before + BYTES);
    thread::spawn(move || drop(array)).join().unwrap();
    device.stream().unwrap().synchronize().unwrap();
    device.check().unwrap();
    // SAFETY: the device's context is current on this thread.
    ok(unsafe { cudarc::driver::sys::cuCtxSynchronize() });
}
