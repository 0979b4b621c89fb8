//! Access to elements through views.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::devices::{Device, Memory};
use arrayspan_bridge::{
    Array, CARVE_BYTES, DType, Error, Layout, Relayout, SharedArray, carve_bytes,
};

fn bytes(len: usize) -> Array {
    Array::empty([len], DType::UInt8, &Device::cpu().stream().unwrap()).unwrap()
}

#[test]
fn slices_need_the_dtype_and_no_gaps() {
    let array = Array::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
    assert_eq!(array.view().as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    assert!(matches!(array.view().as_slice::<f64>(), Err(Error::DType { .. })));
    let column = array.view().sliced(1, 0, 1).unwrap();
    assert!(matches!(column.as_slice::<f32>(), Err(Error::Layout { .. })));
    assert_eq!(array.view().sliced(0, 1, 1).unwrap().as_slice::<f32>().unwrap(), [3.0, 4.0]);
    assert_eq!(array.view().sliced(0, 2, 0).unwrap().as_slice::<f32>().unwrap(), [0.0_f32; 0]);
}

#[test]
fn parts_of_a_view_can_be_written_at_once() {
    let mut array = Array::from_slice(&[0_i32; 6], [2, 3]).unwrap();
    let (mut left, mut right) = array.view_mut().split_at(1, 1).unwrap();
    let (mut one, mut other) =
        (left.as_ndarray_mut::<i32>().unwrap(), right.as_ndarray_mut::<i32>().unwrap());
    one.fill(1);
    other.fill(2);
    assert_eq!(array.view().to_vec::<i32>().unwrap(), [1, 2, 2, 1, 2, 2]);
}

#[test]
fn carved_arrays_lie_side_by_side() {
    let mut workspace = bytes(2 * CARVE_BYTES);
    let (mut floats, rest) = workspace.view_mut().carve(&[2, 3], DType::Float32).unwrap();
    let (mut numbers, rest) = rest.carve(&[4], DType::Int64).unwrap();
    floats.as_mut_slice::<f32>().unwrap().fill(1.5);
    numbers.as_mut_slice::<i64>().unwrap().fill(-1);
    assert_eq!(floats.view().as_slice::<f32>().unwrap(), [1.5; 6]);
    assert!(rest.layout().is_empty());
    assert!(matches!(rest.carve(&[1], DType::UInt8), Err(Error::Layout { .. })));
}

#[test]
fn carving_more_than_can_be_counted_is_refused() {
    // 2⁶¹ elements of 8 bytes are 2⁶⁴ bytes, which must not count as none.
    assert_eq!(carve_bytes(1 << 61, DType::Float64), usize::MAX);
    let mut workspace = bytes(CARVE_BYTES);
    let refused = workspace.view_mut().carve(&[1 << 61], DType::Float64);
    assert!(matches!(refused, Err(Error::Layout { operation: "carve", .. })));
    let moved = workspace.view_mut().sliced(0, 1, CARVE_BYTES - 1).unwrap();
    assert!(matches!(moved.carve(&[1], DType::UInt8), Err(Error::Layout { .. })));
    let refused =
        Array::from_slice(&[0_i8; 512], [512]).unwrap().view_mut().carve(&[1], DType::Int8).err();
    assert!(matches!(refused, Some(Error::DType { operation: "carve", .. })));
}

#[test]
fn bytes_that_are_no_booleans_are_not_handed_out_as_such() {
    let mut workspace = bytes(CARVE_BYTES);
    let mut view = workspace.view_mut();
    let bytes = view.as_mut_slice::<u8>().unwrap();
    bytes.fill(0);
    bytes[5] = 2;
    let (mut flags, _) = workspace.view_mut().carve(&[8], DType::Bool).unwrap();
    assert!(matches!(flags.view().as_slice::<bool>(), Err(Error::Layout { .. })));
    assert!(flags.as_mut_slice::<bool>().is_err());
    assert!(flags.as_ndarray_mut::<bool>().is_err());
    assert_eq!(flags.view().sliced(0, 0, 5).unwrap().as_slice::<bool>().unwrap(), [false; 5]);
}

#[test]
fn memory_that_is_not_aligned_is_not_handed_out() {
    let mut values = vec![0_u32; 3];
    let odd = values.as_mut_ptr().cast::<u8>().wrapping_add(1).expose_provenance();
    let layout = Layout::contiguous([2]).unwrap();
    // SAFETY: eight bytes within a vector that lives until the release and is not used otherwise.
    let array = unsafe {
        let memory = Memory::from_foreign(Device::cpu(), odd, 8, Box::new(move || drop(values)));
        SharedArray::from_memory(memory, layout, DType::Float32).unwrap()
    };
    assert!(matches!(array.view().as_slice::<f32>(), Err(Error::Layout { .. })));
    assert!(array.view().as_ndarray::<f32>().is_err());
}

#[test]
fn elements_outside_the_memory_are_refused() {
    let layout = Layout::strided([3], [2], 0).unwrap();
    for (len, fits) in [(16, false), (20, true)] {
        let memory = Memory::allocate(len, &Device::cpu().stream().unwrap()).unwrap();
        // SAFETY: the memory is ours, and zero is a number.
        let array = unsafe { Array::from_memory(memory, layout.clone(), DType::Float32) };
        assert_eq!(array.is_ok(), fits, "{len} bytes");
    }
}

#[test]
fn an_array_whose_elements_share_places_cannot_be_written() {
    let layout = Layout::strided([3], [0], 0).unwrap();
    let memory = |len| Memory::allocate(len, &Device::cpu().stream().unwrap()).unwrap();
    // SAFETY: the memory is ours, and zero is a number.
    let (array, shared) = unsafe {
        let array = Array::from_memory(memory(4), layout.clone(), DType::Float32);
        (array, SharedArray::from_memory(memory(4), layout, DType::Float32).unwrap())
    };
    assert!(matches!(array, Err(Error::Layout { .. })));
    assert!(shared.try_into_array().is_err());
}

#[test]
fn a_shared_array_becomes_writable_again_when_held_alone() {
    let shared = Array::from_slice(&[1_u8, 2], [2]).unwrap().into_shared();
    let other = shared.clone();
    let shared = shared.try_into_array().unwrap_err();
    drop(other);
    let mut array = shared.try_into_array().unwrap();
    array.view_mut().as_mut_slice::<u8>().unwrap()[0] = 9;
    assert_eq!(array.view().to_vec::<u8>().unwrap(), [9, 2]);
}

#[test]
fn a_scalar_is_read_as_one_value() {
    let scalar = Array::from_slice(&[-25_i64], []).unwrap();
    assert_eq!(scalar.view().item::<i64>().unwrap(), -25);
    let two = Array::from_slice(&[1_i32, 2], [2]).unwrap();
    assert!(matches!(two.view().item::<i32>(), Err(Error::Shape { operation: "item", .. })));
    assert_eq!(two.view().sliced(0, 1, 1).unwrap().item::<i32>().unwrap(), 2);
    assert!(matches!(Array::from_slice(&[1_i32], [2]), Err(Error::Shape { .. })));
}
