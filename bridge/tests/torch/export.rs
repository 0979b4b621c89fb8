//! Arrays become tensors.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrayspan_bridge::devices::{Device, Memory};
use arrayspan_bridge::torch::{export, export_shared, import, lend};
use arrayspan_bridge::{Array, Crossing, DType, Error, Layout, Relayout, SharedArray, Why};
use tch::{Kind, Tensor};

use crate::{COPY, SHARE, copied, numbers};

fn counting(n: u8) -> Array {
    let values: Vec<f32> = (0..n).map(f32::from).collect();
    Array::from_vec(values, [usize::from(n)]).unwrap()
}

/// An array of eight bytes each of which is its number, at an odd address or not, that counts its releases.
fn foreign(shift: usize, dtype: DType) -> (SharedArray, Arc<AtomicUsize>) {
    let bytes: Box<[u64]> = vec![0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908].into();
    let address = bytes.as_ptr().expose_provenance() + shift;
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let release = Box::new(move || {
        other.fetch_add(1, Ordering::SeqCst);
        drop(bytes);
    });
    // SAFETY: the box keeps the memory until the release, and nobody else uses it.
    let array = unsafe {
        let memory = Memory::from_foreign(Device::cpu(), address, 8, release);
        let layout = Layout::contiguous([8 / dtype.bytes()]).unwrap();
        SharedArray::from_memory(memory, layout, dtype).unwrap()
    };
    (array, count)
}

#[test]
fn an_array_becomes_a_tensor_over_its_own_memory() {
    let array = counting(6).reshaped(&[2, 3]).unwrap();
    let address = array.memory().address();
    let (mut tensor, crossing) = export(array, SHARE).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!((tensor.size(), tensor.kind()), (vec![2, 3], Kind::Float));
    assert_eq!(tensor.data_ptr().addr(), address);
    let _ = tensor.fill_(3.0);
    let (array, crossing) = import(tensor, SHARE).unwrap();
    assert_eq!((array.memory().address(), crossing), (address, Crossing::ZeroCopy));
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [3.0; 6]);
}

#[test]
fn a_conversion_takes_what_needs_no_copy() {
    let tensor = Tensor::try_from(counting(3)).unwrap();
    assert_eq!(numbers(&(tensor * 2.0 + 1.0)), [1.0, 3.0, 5.0]);
    assert!(Tensor::try_from(counting(3).reversed(0).unwrap()).is_err());
}

#[test]
fn the_offset_is_part_of_the_pointer() {
    let array = counting(6).sliced(0, 2, 3).unwrap();
    let address = array.memory().address();
    let (tensor, _) = export(array, SHARE).unwrap();
    assert_eq!(tensor.data_ptr().addr(), address + 8);
    assert_eq!(numbers(&tensor), [2.0, 3.0, 4.0]);
}

#[test]
fn strides_of_views_cross_and_one_that_runs_down_is_copied() {
    let array = || counting(6).reshaped(&[2, 3]).unwrap();
    let (tensor, crossing) = export(array().permuted(&[1, 0]).unwrap(), SHARE).unwrap();
    assert_eq!((tensor.stride(), crossing), (vec![1, 3], Crossing::ZeroCopy));
    assert_eq!(numbers(&tensor), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    let (tensor, crossing) = export(array().reversed(1).unwrap(), COPY).unwrap();
    assert_eq!(crossing, copied(Why::Strides, 24));
    assert_eq!(numbers(&tensor), [2.0, 1.0, 0.0, 5.0, 4.0, 3.0]);
    let refused = export(array().reversed(1).unwrap(), SHARE).unwrap_err();
    assert!(matches!(refused, Error::CopyRefused { why: Why::Strides, .. }), "{refused}");
    // An axis of one index runs nowhere.
    let single = array().sliced(0, 1, 1).unwrap().reversed(0).unwrap();
    assert_eq!(numbers(&export(single, SHARE).unwrap().0), [3.0, 4.0, 5.0]);
}

#[test]
fn a_shared_array_is_copied_because_torch_knows_no_read_only_tensors() {
    let shared = counting(3).into_shared();
    let other = shared.clone();
    let (mut tensor, crossing) = export_shared(shared, COPY).unwrap();
    assert_eq!(crossing, copied(Why::ReadOnly, 12));
    let _ = tensor.fill_(9.0);
    assert_eq!(other.view().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0]);
    let still = other.clone();
    let refused = export_shared(other, SHARE).unwrap_err();
    assert!(matches!(refused, Error::CopyRefused { why: Why::ReadOnly, .. }), "{refused}");
    // Nobody else holds it any more.
    assert_eq!(export_shared(still, SHARE).unwrap().1, Crossing::ZeroCopy);
}

#[test]
fn a_lent_array_is_read_in_place_and_cannot_come_back_to_be_written() {
    let (shared, _) = foreign(0, DType::Int16);
    let rows = Tensor::from_slice(&[1_i32, 2]).reshape([2, 1]).expand([2, 3], false);
    let rows = SharedArray::try_from(rows).unwrap();
    // SAFETY: nobody writes through the tensors.
    let ((tensor, crossing), (expanded, _)) =
        unsafe { (lend(&shared, SHARE).unwrap(), lend(&rows, SHARE).unwrap()) };
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!(tensor.data_ptr().addr(), shared.memory().address());
    assert_eq!(numbers(&expanded), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    let refused = import(tensor, SHARE).unwrap_err();
    assert!(matches!(refused, Error::CopyRefused { why: Why::Shared, .. }), "{refused}");
}

#[test]
fn misaligned_elements_are_copied_before_torch_sees_them() {
    for (dtype, odd) in [(DType::Int32, 1), (DType::Float64, 4), (DType::Complex64, 2)] {
        let (shared, released) = foreign(odd, dtype);
        // SAFETY: nobody writes through the tensor.
        let (tensor, crossing) = unsafe { lend(&shared, COPY).unwrap() };
        assert_eq!(crossing, copied(Why::Alignment, 8), "{dtype}");
        assert!(tensor.data_ptr().addr().is_multiple_of(8));
        // SAFETY: as above.
        let refused = unsafe { lend(&shared, SHARE).unwrap_err() };
        assert!(matches!(refused, Error::CopyRefused { why: Why::Alignment, .. }), "{refused}");
        drop(shared);
        assert_eq!(released.load(Ordering::SeqCst), 1, "the copy does not need it");
    }
}

#[test]
fn dtypes_that_libtorch_lacks_are_refused_and_all_others_go_there_and_back() {
    let stream = Device::cpu().stream().unwrap();
    let mut refused = Vec::new();
    for dtype in DType::all() {
        let array = Array::empty([2, 3], dtype, &stream).unwrap();
        match export(array, SHARE) {
            Ok((tensor, _)) => {
                let (array, crossing) = import(tensor, SHARE).unwrap();
                assert_eq!((array.dtype(), crossing), (dtype, Crossing::ZeroCopy));
            }
            Err(Error::Inexpressible { .. }) => refused.push(dtype),
            Err(error) => panic!("{dtype}: {error}"),
        }
    }
    let expected = [
        DType::OpaqueHandle,
        DType::Float8E3M4,
        DType::Float8E4M3,
        DType::Float8E4M3B11Fnuz,
        DType::Float6E2M3Fn,
        DType::Float6E3M2Fn,
        DType::Float4E2M1Fn,
    ];
    assert_eq!(refused, expected);
}

#[test]
fn the_array_is_released_when_the_last_tensor_over_it_goes_on_whatever_thread() {
    let (shared, released) = foreign(0, DType::UInt8);
    // SAFETY: nobody writes through the tensor.
    let (tensor, _) = unsafe { lend(&shared, SHARE).unwrap() };
    drop(shared);
    let view = tensor.narrow(0, 3, 2);
    drop(tensor);
    assert_eq!(released.load(Ordering::SeqCst), 0);
    assert_eq!(numbers(&view), [3.0, 4.0]);
    std::thread::spawn(move || drop(view)).join().unwrap();
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn an_array_on_opencl_is_refused() {
    let Some(device) = crate::common::first("opencl") else { return };
    let array = counting(3).into_device(device).unwrap().0;
    let refused = export(array, COPY).unwrap_err();
    assert!(
        matches!(refused, Error::Inexpressible { operation: "torch::export", .. }),
        "{refused}"
    );
}
