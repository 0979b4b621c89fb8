//! H5: a library leaves its context current on the caller's thread, and so changes torch's current device.

use std::thread;

use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::dlpack::Versioned;
use arrayspan_bridge::interop::cudarc as cuda;
use arrayspan_bridge::{Array, SharedArray, Transfer};
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUcontext};

use super::gpu::{enter, first, take_turn, two};
use crate::common;

/// What is current on this thread; none is zero.
fn current() -> usize {
    result::ctx::get_current().unwrap().map_or(0, |context| context as usize)
}

#[test]
fn cudarc_leaves_its_context_current() {
    take_turn();
    let Some(device) = common::first("cuda") else { return };
    thread::spawn(move || {
        let context = cuda::context(device).unwrap();
        assert_eq!(current(), 0);
        context.bind_to_thread().unwrap();
        assert_eq!(current(), context.cu_ctx() as usize);
    })
    .join()
    .unwrap();
}

/// Everything that calls the driver, looking after each step.
fn everything(device: Device, expected: usize) {
    let step = |what: &str| assert_eq!(current(), expected, "after {what}");
    let (stream, other) = (device.stream().unwrap(), device.new_stream().unwrap());
    step("making streams");
    let array = Array::from_vec(vec![1.0_f32, 2.0, 3.0, 4.0], [2, 2])
        .unwrap()
        .into_device(device)
        .unwrap()
        .0;
    step("uploading");
    let copy = array.view().to_with(device, Transfer::CopyIfNeeded, &other).unwrap().0;
    step("copying");
    other.wait_for(&stream).unwrap();
    stream.record().unwrap().synchronize().unwrap();
    step("ordering");
    let mut lent = copy.into_cuda::<f32>().unwrap();
    step("lending to cudarc");
    {
        use cudarc::driver::DevicePtrMut as _;
        let queue = lent_stream(&lent);
        let _ = lent.device_ptr_mut(&queue);
        step("a pointer for cudarc");
    }
    let copy = lent.into_array().unwrap();
    step("taking it back");
    let capsule = copy.into_dlpack::<Versioned>(Some(&other)).unwrap();
    step("exporting");
    let shared = SharedArray::from_dlpack(capsule, Some(&other)).unwrap();
    step("importing");
    assert_eq!(shared.view().to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    step("downloading");
    drop(shared);
    drop(array);
    drain();
    step("freeing");
    drop(other);
    step("giving up a stream");
    let _ = device.free_bytes();
    step("asking for free memory");
}

fn lent_stream(
    lent: &arrayspan_bridge::interop::cudarc::CudaArray<f32>,
) -> std::sync::Arc<cudarc::driver::CudaStream> {
    use cudarc::driver::DeviceSlice as _;
    lent.stream().clone()
}

#[test]
fn our_calls_leave_a_bare_thread_bare() {
    take_turn();
    let Some(device) = common::first("cuda") else { return };
    thread::spawn(move || everything(device, 0)).join().unwrap();
}

#[test]
fn our_calls_leave_the_context_of_another_device_current() {
    let Some([one, other]) = two() else { return };
    thread::spawn(move || {
        enter(other);
        everything(one, current());
    })
    .join()
    .unwrap();
}

#[test]
fn our_calls_leave_a_context_of_the_callers_own_current() {
    let Some(device) = first() else { return };
    thread::spawn(move || {
        let mut own: CUcontext = std::ptr::null_mut();
        let flags = sys::CUctx_flags::CU_CTX_SCHED_AUTO as u32;
        // SAFETY: the driver is initialised; the context is made current on this thread, and destroyed below.
        let made = unsafe {
            sys::cuCtxCreate_v4(&raw mut own, std::ptr::null_mut(), flags, device.gpu_id() as i32)
        };
        super::gpu::ok(made);
        everything(device, own as usize);
        // SAFETY: made above, and nothing lives in it.
        super::gpu::ok(unsafe { sys::cuCtxDestroy_v2(own) });
    })
    .join()
    .unwrap();
}
