//! cudarc and `DLPack` with CUDA memory.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::atomic::Ordering;

use arrayspan_bridge::dlpack::Versioned;
use arrayspan_bridge::interop::cudarc as cuda;
use arrayspan_bridge::{Array, Crossing, Error, Relayout, SharedArray, Transfer};
use common::producer::Producer;
use cudarc::driver::{DevicePtr, DeviceSlice, result};

#[test]
fn a_slice_becomes_an_array_and_a_slice_again() {
    let Some(device) = common::first("cuda") else { return };
    let context = cuda::context(device).unwrap();
    let stream = context.new_stream().unwrap();
    let slice = stream.clone_htod(&[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let address = slice.device_ptr(&stream).0 as usize;
    let array = Array::from_cuda_slice(slice, [2, 3]).unwrap();
    assert_eq!(array.memory().address(), address);
    let columns = array.view().permuted(&[1, 0]).unwrap();
    assert_eq!(columns.to_vec::<f32>().unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let array = array.try_into_cuda_slice::<f64>().unwrap_err();
    let slice = array.try_into_cuda_slice::<f32>().unwrap();
    assert_eq!(stream.clone_dtoh(&slice).unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn a_slice_with_another_number_of_elements_is_refused() {
    let Some(device) = common::first("cuda") else { return };
    let stream = cuda::context(device).unwrap().default_stream();
    let slice = stream.alloc_zeros::<f32>(5).unwrap();
    let refused = Array::from_cuda_slice(slice, [2, 3]);
    assert!(matches!(refused, Err(Error::Shape { operation: "from_cuda_slice", .. })));
}

#[test]
fn cudarc_copies_to_and_from_our_arrays_in_order() {
    let Some(device) = common::first("cuda") else { return };
    let context = cuda::context(device).unwrap();
    for stream in [context.default_stream(), context.new_stream().unwrap()] {
        let array = Array::from_slice(&[1.0_f64, 2.0, 3.0, 4.0], [4])
            .unwrap()
            .into_device(device)
            .unwrap()
            .0;
        let mut lent = array.sliced(0, 1, 2).unwrap().into_cuda::<f64>().unwrap();
        assert_eq!(lent.len(), 2);
        assert_eq!(stream.clone_dtoh(&lent).unwrap(), [2.0, 3.0]);
        stream.memcpy_htod(&[7.0, 8.0], &mut lent).unwrap();
        let array = lent.into_array().unwrap();
        assert_eq!(array.view().to_vec::<f64>().unwrap(), [7.0, 8.0]);
    }
}

#[test]
fn freeing_a_slice_leaves_the_threads_context_as_it_was() {
    let Some(device) = common::first("cuda") else { return };
    let slice = cuda::context(device).unwrap().default_stream().alloc_zeros::<u8>(16).unwrap();
    let array = Array::from_cuda_slice(slice, [16]).unwrap();
    std::thread::spawn(move || {
        assert_eq!(result::ctx::get_current().unwrap(), None);
        drop(array);
        assert_eq!(result::ctx::get_current().unwrap(), None);
    })
    .join()
    .unwrap();
}

#[test]
fn a_cuda_array_travels_by_dlpack_with_its_offset_in_the_pointer() {
    let Some(device) = common::first("cuda") else { return };
    let array =
        Array::from_slice(&[0_i32, 1, 2, 3, 4, 5], [6]).unwrap().into_device(device).unwrap().0;
    let address = array.memory().address();
    let stream = device.stream().unwrap();
    let part = array.sliced(0, 2, 3).unwrap();
    let capsule = part.into_dlpack::<Versioned>(Some(&stream)).unwrap();
    // SAFETY: the struct lives as long as the capsule.
    let tensor = unsafe { (*capsule.as_raw()).dl_tensor };
    assert_eq!((tensor.data.addr(), tensor.byte_offset), (address + 8, 0));
    let (back, crossing) =
        Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, Some(&stream)).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!(back.view().to_vec::<i32>().unwrap(), [2, 3, 4]);
}

#[test]
fn a_pointer_that_is_no_memory_of_its_device_is_refused() {
    let Some(device) = common::first("cuda") else { return };
    let producer = Producer { device: (2, device.gpu_id() as i32), ..Producer::default() };
    let deleted = producer.counter();
    let refused = SharedArray::from_dlpack(producer.versioned(), None).unwrap_err();
    assert!(matches!(refused, Error::Foreign { field: "data", .. }), "{refused}");
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn without_cuda_nothing_panics() {
    let host = Array::from_slice(&[1.0_f32], [1]).unwrap();
    let refused = host.into_cuda::<f32>().unwrap_err();
    assert!(matches!(refused, Error::Inexpressible { operation: "into_cuda", .. }));
    let cpu = arrayspan_bridge::devices::Device::cpu();
    assert!(matches!(cuda::context(cpu), Err(Error::Inexpressible { .. })));
}
