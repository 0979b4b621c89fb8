//! H3: cudarc orders its streams by events only once it has made a second one itself. Streams of others that it wraps do
//! not count.

use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

use arrayspan_bridge::devices::{Device, Stream};
use arrayspan_bridge::interop::cudarc as cuda;
use cudarc::driver::sys;
use cudarc::driver::{CudaContext, CudaStream, DevicePtr};

use super::gpu::{BAD, BYTES, GOOD, first, good, ok, raw_stream, shown};
use crate::common::delay;
use crate::common::held::hold;

/// Two streams of another library as cudarc sees them, and what keeps them.
fn wrapped(device: Device) -> (Arc<CudaContext>, [Stream; 2], [Arc<CudaStream>; 2]) {
    let context = cuda::context(device).unwrap();
    let streams = [device.new_stream().unwrap(), device.new_stream().unwrap()];
    let wrap = |stream: &Stream| {
        // SAFETY: a stream of this context that outlives the wrapper.
        unsafe { context.wrap_borrowed_stream(with_exposed_provenance_mut(stream.raw())) }
    };
    let wrappers = [wrap(&streams[0]), wrap(&streams[1])];
    (context, streams, wrappers)
}

#[test]
fn a_slice_is_read_on_one_wrapped_stream_before_the_other_has_written_it() {
    let Some(device) = first() else { return };
    let (context, streams, [writer, reader]) = wrapped(device);
    assert!(!context.is_managing_stream_synchronization());
    let read_early = shown(|| {
        let slice = writer.clone_htod(&vec![BAD; BYTES]).unwrap();
        streams[0].synchronize().unwrap();
        let held = hold(streams[0].raw());
        {
            let (address, _recorded) = slice.device_ptr(&writer);
            // SAFETY: the slice's own bytes, on its own stream.
            ok(unsafe { sys::cuMemsetD8Async(address, GOOD, BYTES, raw_stream(streams[0].raw())) });
        }
        let read = reader.clone_dtoh(&slice).unwrap();
        streams[1].synchronize().unwrap();
        let in_time = held.go_on();
        streams[0].synchronize().unwrap();
        in_time.then(|| read.into_iter().filter(|byte| *byte == BAD).count())
    });
    assert_eq!(read_early, BYTES);
}

#[test]
fn our_array_is_read_on_a_wrapped_stream_after_our_own_work() {
    let Some(device) = first() else { return };
    let (_context, _streams, [_, reader]) = wrapped(device);
    let mut array = arrayspan_bridge::Array::from_vec(vec![BAD; BYTES], [BYTES])
        .unwrap()
        .into_device(device)
        .unwrap()
        .0;
    let source = good(device);
    let own = device.stream().unwrap();
    delay(own.raw());
    array.view_mut().copy_from(&source.view(), &own).unwrap();
    let lent = array.into_cuda::<u8>().unwrap();
    let read = reader.clone_dtoh(&lent).unwrap();
    reader.synchronize().unwrap();
    assert!(read.iter().all(|byte| *byte == GOOD));
}

#[test]
fn our_work_comes_after_what_was_queued_on_a_wrapped_stream() {
    let Some(device) = first() else { return };
    let (_context, streams, [writer, _]) = wrapped(device);
    let array = arrayspan_bridge::Array::from_vec(vec![BAD; BYTES], [BYTES])
        .unwrap()
        .into_device(device)
        .unwrap()
        .0;
    let mut lent = array.into_cuda::<u8>().unwrap();
    delay(streams[0].raw());
    writer.memset_zeros(&mut lent).unwrap();
    let array = lent.into_array().unwrap();
    assert_eq!(
        array.view().to_vec::<u8>().unwrap().into_iter().filter(|byte| *byte != 0).count(),
        0
    );
}

#[test]
fn a_slice_taken_back_is_read_on_another_stream_after_our_work() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    let (writer, reader) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    assert!(context.is_managing_stream_synchronization());
    let slice = writer.clone_htod(&vec![BAD; BYTES]).unwrap();
    let mut array = arrayspan_bridge::Array::from_cuda_slice(slice, [BYTES]).unwrap();
    let (source, own) = (good(device), device.stream().unwrap());
    delay(own.raw());
    array.view_mut().copy_from(&source.view(), &own).unwrap();
    let slice = array.try_into_cuda_slice::<u8>().unwrap();
    let read = reader.clone_dtoh(&slice).unwrap();
    reader.synchronize().unwrap();
    assert!(read.iter().all(|byte| *byte == GOOD));
}
