//! Arrays lent to cudarc's streams in unusual ways, and slices of streams that have no name elsewhere: our work comes
//! after theirs all the same.

use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::interop::cudarc as cuda;
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError};

use super::gpu::{BAD, BYTES, GOOD, block, damage, damage_at, enter, first, free, good, ok, two};
use crate::common::delay;

/// An array of bytes on a device, all `BAD`.
fn bad(device: Device) -> Array {
    let array = Array::from_vec(vec![BAD; BYTES], [BYTES]).unwrap().into_device(device).unwrap().0;
    device.stream().unwrap().synchronize().unwrap();
    array
}

fn handle(stream: &CudaStream) -> usize {
    stream.cu_stream().expose_provenance()
}

/// Overwrites an array in the order of our own streams.
fn overwrite(array: &mut Array) {
    let (noise, own) = (bad(array.device()), array.device().stream().unwrap());
    array.view_mut().copy_from(&noise.view(), &own).unwrap();
}

/// The end of each use is known, not only that of the guard dropped last.
#[test]
fn a_writer_comes_after_all_readers_whose_guards_overlap() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    let streams = [context.new_stream().unwrap(), context.new_stream().unwrap()];
    assert!(context.is_managing_stream_synchronization());
    for slow in [0, 1] {
        let copies = [0, 1].map(|i| block(handle(&streams[i]), 0));
        let lent = good(device).into_cuda::<u8>().unwrap();
        {
            let (from, _first) = lent.device_ptr(&streams[0]);
            let (_, _second) = lent.device_ptr(&streams[1]);
            delay(handle(&streams[slow]));
            for i in [0, 1] {
                // SAFETY: live blocks on a live stream, before its guard is dropped.
                ok(unsafe {
                    sys::cuMemcpyDtoDAsync_v2(copies[i], from, BYTES, streams[i].cu_stream())
                });
            }
        }
        let mut array = lent.into_array().unwrap();
        overwrite(&mut array);
        array.memory().wait(arrayspan_bridge::devices::Access::Read).unwrap();
        for i in [0, 1] {
            assert_eq!(damage_at(copies[i], handle(&streams[i])), 0, "stream {slow} is slow: {i}");
            free(copies[i], handle(&streams[i]));
        }
    }
}

/// As many streams at once as anybody likes, on several threads.
#[test]
fn readers_of_many_streams_on_many_threads_are_all_waited_for() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    let streams: Vec<_> = (0..8).map(|_| context.new_stream().unwrap()).collect();
    let copies: Vec<u64> = streams.iter().map(|stream| block(handle(stream), 0)).collect();
    let lent = good(device).into_cuda::<u8>().unwrap();
    thread::scope(|scope| {
        for (stream, &copy) in streams.iter().zip(&copies) {
            let lent = &lent;
            scope.spawn(move || {
                enter(device);
                let (from, _guard) = lent.device_ptr(stream);
                delay(handle(stream));
                // SAFETY: as above.
                ok(unsafe { sys::cuMemcpyDtoDAsync_v2(copy, from, BYTES, stream.cu_stream()) });
            });
        }
    });
    let mut array = lent.into_array().unwrap();
    overwrite(&mut array);
    for (stream, copy) in streams.iter().zip(copies) {
        assert_eq!(damage_at(copy, handle(stream)), 0);
        free(copy, handle(stream));
    }
}

/// Their end is looked up when the array is given back, on whatever thread, and whatever became of the guard.
#[test]
fn our_work_comes_after_that_of_the_default_streams() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    for stream in [context.default_stream(), context.per_thread_stream()] {
        let mut lent = bad(device).into_cuda::<u8>().unwrap();
        let source = block(handle(&stream), GOOD);
        let (to, guard) = lent.device_ptr_mut(&stream);
        delay(handle(&stream));
        // SAFETY: live blocks on a live stream.
        ok(unsafe { sys::cuMemcpyDtoDAsync_v2(to, source, BYTES, stream.cu_stream()) });
        std::mem::forget(guard);
        let array = thread::scope(|scope| scope.spawn(|| lent.into_array()).join()).unwrap();
        assert_eq!(damage(&array.unwrap()), 0);
        free(source, handle(&stream));
    }
}

/// Streams of another context: of one that a caller made on the same device, and of another device.
fn elsewhere(device: Device) -> Vec<Arc<CudaStream>> {
    let flags = sys::CUctx_flags::CU_CTX_SCHED_AUTO as u32;
    let own = CudaContext::new_non_primary(device.gpu_id(), flags).unwrap();
    let mut streams = vec![own.new_stream().unwrap()];
    let other = two().map(|[_, other]| cuda::context(other).unwrap().new_stream().unwrap());
    streams.extend(other);
    streams
}

#[test]
fn our_work_comes_after_that_of_streams_of_another_context() {
    let Some(device) = first() else { return };
    let context = cuda::context(device).unwrap();
    for stream in elsewhere(device) {
        enter(device);
        let source = block(0, GOOD);
        let mut lent = bad(device).into_cuda::<u8>().unwrap();
        {
            let (to, _guard) = lent.device_ptr_mut(&stream);
            stream.context().bind_to_thread().unwrap();
            delay(handle(&stream));
            let here = context.cu_ctx();
            // SAFETY: live blocks of that context, on a live stream, before its guard is dropped.
            ok(unsafe {
                sys::cuMemcpyPeerAsync(to, here, source, here, BYTES, stream.cu_stream())
            });
        }
        let array = lent.into_array().unwrap();
        assert_eq!(damage(&array), 0, "{}", stream.context().ordinal());
        stream.context().check_err().unwrap();
        enter(device);
        free(source, 0);
    }
}

#[test]
fn a_source_of_cudarcs_copy_to_another_device_is_not_written_before_that_has_read_it() {
    let Some([one, other]) = two() else { return };
    let there = cuda::context(other).unwrap().new_stream().unwrap();
    for give_back in [true, false] {
        let mut copy = there.alloc_zeros::<u8>(BYTES).unwrap();
        let lent = good(one).into_cuda::<u8>().unwrap();
        // The first copy between two devices may take its time.
        there.memcpy_dtod(&lent, &mut copy).unwrap();
        there.memset_zeros(&mut copy).unwrap();
        there.synchronize().unwrap();
        enter(other);
        delay(handle(&there));
        there.memcpy_dtod(&lent, &mut copy).unwrap();
        if give_back {
            overwrite(&mut lent.into_array().unwrap());
        } else {
            drop(lent);
            let thieves: Vec<_> = (0..4).map(|_| bad(one)).collect();
            drop(thieves);
        }
        one.stream().unwrap().synchronize().unwrap();
        let read = there.clone_dtoh(&copy).unwrap();
        there.synchronize().unwrap();
        assert!(read.iter().all(|byte| *byte == GOOD), "given back: {give_back}");
    }
}

#[test]
fn cudarcs_copy_to_a_context_that_cannot_be_waited_for_is_refused() {
    let Some(device) = first() else { return };
    let flags = sys::CUctx_flags::CU_CTX_SCHED_AUTO as u32;
    let context = CudaContext::new_non_primary(device.gpu_id(), flags).unwrap();
    let there = context.new_stream().unwrap();
    let mut copy = there.alloc_zeros::<u8>(BYTES).unwrap();
    let lent = good(device).into_cuda::<u8>().unwrap();
    let refused = there.memcpy_dtod(&lent, &mut copy);
    assert_eq!(refused, Err(DriverError(CUresult::CUDA_ERROR_INVALID_CONTEXT)));
    assert_eq!(damage(&lent.into_array().unwrap()), 0);
    enter(device);
}

/// Uses a slice of another thread's own default stream while work on that stream is still filling it.
fn with_slice_of_a_thread(device: Device, function: impl FnOnce(CudaSlice<u8>)) {
    let (give, given) = channel();
    let (end, ended) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let context = cuda::context(device).unwrap();
            let stream = context.per_thread_stream();
            assert!(!context.is_managing_stream_synchronization());
            let mut slice = stream.clone_htod(&vec![BAD; BYTES]).unwrap();
            stream.synchronize().unwrap();
            delay(handle(&stream));
            {
                let (address, _guard) = slice.device_ptr_mut(&stream);
                // SAFETY: the slice's own bytes, on its own stream.
                ok(unsafe { sys::cuMemsetD8Async(address, GOOD, BYTES, stream.cu_stream()) });
            }
            give.send(slice).unwrap();
            // The stream lives as long as its thread.
            let _ = ended.recv();
        });
        function(given.recv().unwrap());
        drop(end);
    });
}

#[test]
fn a_slice_of_another_threads_default_stream_is_read_after_that_threads_work() {
    let Some(device) = first() else { return };
    // Opens what is opened once, which takes longer than the other thread works.
    assert_eq!(damage(&good(device)), 0);
    with_slice_of_a_thread(device, |slice| {
        let array = Array::from_cuda_slice(slice, [BYTES]).unwrap();
        assert_eq!(damage(&array), 0);
    });
    with_slice_of_a_thread(device, |slice| {
        drop(Array::from_cuda_slice(slice, [BYTES]).unwrap());
        drain();
    });
    device.check().unwrap();
}

#[test]
fn a_slice_of_a_threads_default_stream_is_read_after_our_work_on_any_thread() {
    let Some(device) = first() else { return };
    let (source, own) = (good(device), device.stream().unwrap());
    let context = cuda::context(device).unwrap();
    let slice = context.per_thread_stream().clone_htod(&vec![BAD; BYTES]).unwrap();
    let mut array = Array::from_cuda_slice(slice, [BYTES]).unwrap();
    delay(own.raw());
    array.view_mut().copy_from(&source.view(), &own).unwrap();
    let slice = array.try_into_cuda_slice::<u8>().unwrap();
    let read = thread::spawn(move || {
        let stream = slice.context().per_thread_stream();
        let read = stream.clone_dtoh(&slice).unwrap();
        stream.synchronize().unwrap();
        read
    });
    assert!(read.join().unwrap().iter().all(|byte| *byte == GOOD));
}

/// Two streams of one handle: the same queue, whoever wraps it.
#[test]
fn a_stream_wrapped_twice_is_one_stream() {
    let Some(device) = first() else { return };
    let (context, ours) = (cuda::context(device).unwrap(), device.new_stream().unwrap());
    // SAFETY: a stream of this context that outlives the wrappers.
    let wrap = || unsafe { context.wrap_borrowed_stream(with_exposed_provenance_mut(ours.raw())) };
    let (one, other) = (wrap(), wrap());
    let mut lent = bad(device).into_cuda::<u8>().unwrap();
    delay(ours.raw());
    one.memset_zeros(&mut lent).unwrap();
    let read = other.clone_dtoh(&lent).unwrap();
    other.synchronize().unwrap();
    assert!(read.iter().all(|byte| *byte == 0));
}
