//! opencl3 and `DLPack` with `OpenCL` memory; runs on any `OpenCL` device, `PoCL` included.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use arrayspan_bridge::dlpack::{Capsule, Legacy, Versioned};
use arrayspan_bridge::interop::opencl;
use arrayspan_bridge::{Array, Crossing, Error, Relayout, SharedArray, Transfer, Why};
use common::producer::Producer;
use opencl3::context::Context;
use opencl3::memory::{Buffer, CL_MEM_COPY_HOST_PTR, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, ClMem};

/// A buffer of 0, 1, 2, … in that context.
fn buffer(context: &Context, flags: u64, len: usize) -> Buffer<f32> {
    let mut values: Vec<f32> = (0..len).map(|i| i as f32).collect();
    let host: *mut c_void = values.as_mut_ptr().cast();
    // SAFETY: the values are copied while the call runs.
    unsafe { Buffer::create(context, flags | CL_MEM_COPY_HOST_PTR, len, host).unwrap() }
}

#[test]
fn a_buffer_becomes_an_array_and_a_buffer_again() {
    let Some(device) = common::first("opencl") else { return };
    let buffer = buffer(&opencl::context(device).unwrap(), CL_MEM_READ_WRITE, 6);
    let handle = buffer.get();
    // SAFETY: nobody else knows the buffer, and nothing is queued on it.
    let shared = unsafe { SharedArray::from_opencl_buffer(buffer, [2, 3], device, None).unwrap() };
    let array = shared.try_into_array().unwrap();
    assert_eq!(array.memory().address(), handle.addr());
    assert_eq!(
        array.view().reversed(1).unwrap().to_vec::<f32>().unwrap(),
        [2.0, 1.0, 0.0, 5.0, 4.0, 3.0]
    );
    let array = array.try_into_opencl_buffer::<i32>().unwrap_err();
    let buffer = array.try_into_opencl_buffer::<f32>().unwrap();
    assert_eq!((buffer.get(), buffer.reference_count().unwrap()), (handle, 1));
}

#[test]
fn a_buffer_leaves_as_an_ndarray_by_a_reported_copy() {
    let Some(device) = common::first("opencl") else { return };
    let context = opencl::context(device).unwrap();
    // SAFETY: no host memory is involved.
    let mut buffer =
        unsafe { Buffer::<bool>::create(&context, CL_MEM_READ_WRITE, 4, null_mut()).unwrap() };
    let stream = device.stream().unwrap();
    let queue = opencl::queue(&stream).unwrap();
    // SAFETY: the range lies in the buffer, and the call waits until the values are written.
    unsafe {
        queue.enqueue_write_buffer(&mut buffer, 1, 0, &[true, false, true, true], &[]).unwrap()
    };
    // SAFETY: nobody else knows the buffer, and nothing is queued on it.
    let shared = unsafe { SharedArray::from_opencl_buffer(buffer, [4], device, None).unwrap() };
    let array = shared.try_into_array().unwrap();
    let (values, crossing) = array.into_ndarray::<bool>(Transfer::CopyIfNeeded).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::OtherDevice, bytes: 4 });
    assert_eq!(values.as_slice().unwrap(), [true, false, true, true]);
}

#[test]
fn a_buffer_that_kernels_may_only_read_is_never_written() {
    let Some(device) = common::first("opencl") else { return };
    let buffer = buffer(&opencl::context(device).unwrap(), CL_MEM_READ_ONLY, 4);
    // SAFETY: nobody else knows the buffer, and nothing is queued on it.
    let shared = unsafe { SharedArray::from_opencl_buffer(buffer, [4], device, None).unwrap() };
    assert!(shared.try_into_array().is_err());
}

#[test]
fn buffers_that_do_not_fit_are_refused() {
    let Some(device) = common::first("opencl") else { return };
    let context = opencl::context(device).unwrap();
    // SAFETY: nobody else knows the buffers, and nothing is queued on them.
    unsafe {
        let small = buffer(&context, CL_MEM_READ_WRITE, 5);
        let refused = SharedArray::from_opencl_buffer(small, [2, 3], device, None);
        assert!(matches!(refused, Err(Error::Shape { operation: "from_opencl_buffer", .. })));
        let other = Context::from_device(&opencl3::device::Device::new(context.default_device()));
        let foreign = buffer(&other.unwrap(), CL_MEM_READ_WRITE, 6);
        let refused = SharedArray::from_opencl_buffer(foreign, [2, 3], device, None);
        assert!(matches!(refused, Err(Error::Foreign { field: "data", .. })));
    }
    assert!(matches!(
        opencl::context(arrayspan_bridge::devices::Device::cpu()),
        Err(Error::Inexpressible { .. })
    ));
}

#[test]
fn work_on_the_streams_queue_is_in_order_with_ours() {
    let Some(device) = common::first("opencl") else { return };
    let stream = device.new_stream().unwrap();
    let array =
        Array::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], [4]).unwrap().into_device(device).unwrap().0;
    let part = array.sliced(0, 1, 2).unwrap();
    let mut lent = part.into_opencl::<f32>(&stream).unwrap();
    assert_eq!((lent.offset(), lent.len()), (1, 2));
    let (queue, bytes) = (opencl::queue(&stream).unwrap(), lent.offset() * 4);
    let written = [7.0_f32, 8.0];
    // SAFETY: the range lies in the buffer, and the values live until the write is done, which the read
    // below waits for.
    let event =
        unsafe { queue.enqueue_write_buffer(lent.buffer_mut(), 0, bytes, &written, &[]).unwrap() };
    let array = lent.into_array();
    assert_eq!(array.view().to_vec::<f32>().unwrap(), written);
    drop(event);
}

#[test]
fn what_is_no_buffer_is_refused() {
    let Some(device) = common::first("opencl") else { return };
    let stream = device.stream().unwrap();
    let on = || Array::from_slice(&[1.0_f32; 6], [2, 3]).unwrap().into_device(device).unwrap().0;
    let refused = on().permuted(&[1, 0]).unwrap().into_opencl::<f32>(&stream).unwrap_err();
    assert!(matches!(refused, Error::Layout { operation: "into_opencl", .. }));
    let refused = on().into_opencl::<f64>(&stream).unwrap_err();
    assert!(matches!(refused, Error::DType { operation: "into_opencl", .. }));
    let refused = on().sliced(0, 0, 0).unwrap().into_opencl::<f32>(&stream).unwrap_err();
    assert!(matches!(refused, Error::Inexpressible { operation: "into_opencl", .. }));
    let host = Array::from_slice(&[1.0_f32], [1]).unwrap();
    let refused = host.into_opencl::<f32>(&stream).unwrap_err();
    assert!(matches!(refused, Error::Inexpressible { operation: "into_opencl", .. }));
}

#[test]
fn an_opencl_array_travels_by_dlpack_as_its_buffer() {
    let Some(device) = common::first("opencl") else { return };
    let array =
        Array::from_slice(&[0_i32, 1, 2, 3, 4, 5], [6]).unwrap().into_device(device).unwrap().0;
    let handle = array.memory().address();
    let part = array.sliced(0, 2, 3).unwrap().reversed(0).unwrap();
    let capsule = part.into_dlpack::<Versioned>(None).unwrap();
    // SAFETY: the struct lives as long as the capsule.
    let tensor = unsafe { (*capsule.as_raw()).dl_tensor };
    assert_eq!((tensor.data.addr(), tensor.byte_offset), (handle, 16));
    assert_eq!((tensor.device.device_type.0, tensor.device.device_id), (4, device.gpu_id() as i32));
    let stream = device.stream().unwrap();
    let (back, crossing) =
        Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, Some(&stream)).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!(back.view().to_vec::<i32>().unwrap(), [4, 3, 2]);
}

/// A tensor over a buffer of another producer, changed by `change`.
fn imported(
    device: arrayspan_bridge::devices::Device,
    buffer: &Buffer<f32>,
    change: impl FnOnce(&mut Producer),
) -> (arrayspan_bridge::Result<SharedArray>, usize) {
    let mut producer = Producer {
        device: (4, device.gpu_id() as i32),
        handle: Some(buffer.get().expose_provenance()),
        ..Producer::default()
    };
    change(&mut producer);
    let deleted = producer.counter();
    let imported = SharedArray::from_dlpack(producer.versioned(), None);
    (imported, deleted.load(Ordering::SeqCst))
}

#[test]
fn foreign_buffers_are_validated() {
    let Some(device) = common::first("opencl") else { return };
    let context = opencl::context(device).unwrap();
    let six = buffer(&context, CL_MEM_READ_WRITE, 6);
    let (array, deleted) = imported(device, &six, |_| {});
    let array = array.unwrap();
    assert_eq!(deleted, 0);
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert!(array.try_into_array().is_ok());

    let (array, _) = imported(device, &six, |p| {
        (p.byte_offset, p.strides) = (5 * 4, Some(vec![-3, -1]));
    });
    assert_eq!(array.unwrap().view().to_vec::<f32>().unwrap(), [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);

    let refused = |field: &str, change: fn(&mut Producer)| match imported(device, &six, change) {
        (Err(Error::Foreign { field: found, .. }), deleted) => {
            assert_eq!((found, deleted), (field, 1));
        }
        (other, _) => panic!("expected a refusal of {field}, found {other:?}"),
    };
    refused("byte_offset", |p| p.byte_offset = 2);
    refused("shape", |p| p.byte_offset = 4);
    refused("shape", |p| p.shape = Some(vec![3, 3]));
    refused("strides", |p| p.strides = Some(vec![-3, 1]));
    refused("data", |p| (p.handle, p.data) = (None, None));
    refused("device.device_id", |p| p.device.1 = 999);

    let read_only = buffer(&context, CL_MEM_READ_ONLY, 6);
    let (array, _) = imported(device, &read_only, |_| {});
    assert!(array.unwrap().try_into_array().is_err());

    let other = Context::from_device(&opencl3::device::Device::new(context.default_device()));
    let elsewhere = buffer(&other.unwrap(), CL_MEM_READ_WRITE, 6);
    assert!(matches!(
        imported(device, &elsewhere, |_| {}),
        (Err(Error::Foreign { field: "data", .. }), 1)
    ));
}

#[test]
fn an_opencl_array_without_elements_travels_as_null() {
    let Some(device) = common::first("opencl") else { return };
    let array = Array::from_slice::<f32>(&[], [0, 2]).unwrap().into_device(device).unwrap().0;
    let capsule = array.into_dlpack::<Legacy>(None).unwrap();
    // SAFETY: the struct lives as long as the capsule.
    assert_eq!(unsafe { (*capsule.as_raw()).dl_tensor.data }, null_mut());
    // SAFETY: a live struct that only this test holds.
    let capsule = unsafe { Capsule::from_raw(capsule.into_raw()).unwrap() };
    let back = SharedArray::from_dlpack(capsule, None).unwrap();
    assert_eq!((back.shape(), back.device()), (&[0, 2][..], device));
}
