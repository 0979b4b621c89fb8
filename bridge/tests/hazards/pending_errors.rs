//! H6: cudarc keeps an error that a drop could not return, and fails the next call with it, whatever that is.

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::drain;
use arrayspan_bridge::interop::cudarc as cuda;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use super::gpu::{BYTES, damage, first, good};

const PENDING: DriverError = DriverError(CUresult::CUDA_ERROR_NOT_FOUND);

#[test]
fn a_pending_error_fails_the_next_unrelated_call() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    context.record_err::<()>(Err(PENDING));
    assert_eq!(context.bind_to_thread(), Err(PENDING));
}

#[test]
fn a_slice_of_a_context_with_a_pending_error_comes_in_and_goes_away() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    let stream = context.default_stream();
    let slice = stream.clone_htod(&vec![super::gpu::GOOD; BYTES]).unwrap();
    context.record_err::<()>(Err(PENDING));
    let array = Array::from_cuda_slice(slice, [BYTES]).unwrap();
    assert_eq!(damage(&array), 0);
    drop(array);
    drain();
    assert_eq!(
        context.check_err(),
        Err(PENDING),
        "the error is still the caller's, and the only one"
    );
    device.check().unwrap();
}

#[test]
fn our_calls_do_not_see_the_errors_of_others() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    context.record_err::<()>(Err(PENDING));
    let array = good(device);
    assert_eq!(damage(&array), 0);
    let lent = array.into_cuda::<u8>().unwrap();
    assert_eq!(damage(&lent.into_array().unwrap()), 0);
    assert_eq!(context.check_err(), Err(PENDING));
}
