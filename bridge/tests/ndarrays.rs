//! ndarray in and out.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, Crossing, DType, Error, Relayout, SharedArray, Transfer, Why};
use common::{apply, changes, config, counting, shapes};
use ndarray::{Array2, Array3, Axis, Ix2, ShapeBuilder, array, s};
use num_complex::Complex;
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// What ndarray can express comes back without a copy, everything else with the same elements.
    #[test]
    fn an_array_comes_back_as_it_was_seen_last(shape in shapes(), changes in changes()) {
        let original = counting(&shape);
        let address = original.as_ptr().addr();
        let mut ours = Array::from(original.clone()).into_shared();
        drop(ours);
        let mut theirs = original.clone();
        ours = Array::from(original).into_shared();
        for change in changes {
            let shape = ours.shape().to_vec();
            if let Some(Ok(next)) = apply(&change, &ours, &shape, &theirs) {
                (ours, theirs) = next;
            }
        }
        let ours = ours.try_into_array().unwrap();
        let dense = ours.layout().extent().map_or(0, |(low, high)| high + 1 - low) == ours.layout().len();
        let (back, crossing) = ours.into_ndarray::<i32>(Transfer::CopyIfNeeded).unwrap();
        prop_assert_eq!(&back, &theirs);
        prop_assert_eq!(crossing == Crossing::ZeroCopy, dense);
        if dense && !back.is_empty() {
            let low = back.iter().map(|element| std::ptr::from_ref(element).addr()).min();
            prop_assert!(low.unwrap() >= address && low.unwrap() < address + 4 * shape.iter().product::<usize>());
        }
    }
}

/// Takes an array in and out and asserts that the very same memory came back, laid out the same.
fn there_and_back(values: Array2<f32>) {
    let (copy, pointer, strides) = (values.clone(), values.as_ptr(), values.strides().to_vec());
    let array = Array::from(values);
    assert_eq!(array.view().as_ndarray::<f32>().unwrap(), copy.view().into_dyn());
    let (back, crossing) = array.into_ndarray::<f32>(Transfer::ZeroCopyOnly).unwrap();
    assert_eq!(crossing, Crossing::ZeroCopy);
    assert_eq!((back.as_ptr(), back.strides()), (pointer, &strides[..]));
    assert_eq!(back.into_dimensionality::<Ix2>().unwrap(), copy);
}

fn square() -> Array2<f32> {
    Array2::from_shape_fn((4, 5), |(i, j)| (10 * i + j) as f32)
}

#[test]
fn a_row_major_array_goes_there_and_back() {
    there_and_back(square());
}

#[test]
fn a_fortran_array_goes_there_and_back() {
    let mut fortran = Array2::zeros((4, 5).f());
    fortran.assign(&square());
    there_and_back(fortran);
}

#[test]
fn an_array_running_backwards_goes_there_and_back() {
    let mut backwards = square();
    backwards.invert_axis(Axis(1));
    there_and_back(backwards.clone());
    backwards.invert_axis(Axis(0));
    there_and_back(backwards);
}

#[test]
fn a_part_with_gaps_goes_there_and_back() {
    there_and_back(square().slice_move(s![1..;2, ..;-2]));
    there_and_back(square().slice_move(s![1..3, 2..4]));
}

#[test]
fn an_array_without_elements_goes_there_and_back() {
    there_and_back(Array2::zeros((0, 3)));
    there_and_back(square().slice_move(s![2..2, ..]));
}

#[test]
fn an_array_allocated_here_leaves_as_a_reported_copy() {
    let stream = Device::cpu().stream().unwrap();
    let array = || Array::empty([2, 3], DType::Complex64, &stream).unwrap();
    let (back, crossing) = array().into_ndarray::<Complex<f32>>(Transfer::CopyIfNeeded).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::Allocator, bytes: 48 });
    assert_eq!(back.shape(), [2, 3]);
    let refused = array().into_ndarray::<Complex<f32>>(Transfer::ZeroCopyOnly).unwrap_err();
    assert!(matches!(refused, Error::CopyRefused { why: Why::Allocator, bytes: 48, .. }));
    let wrong = array().into_ndarray::<f32>(Transfer::CopyIfNeeded).unwrap_err();
    assert!(matches!(wrong, Error::DType { operation: "into_ndarray", .. }));
    let wrong = array().view().to_ndarray::<f32>().unwrap_err();
    assert_eq!(wrong.to_string(), "to_ndarray: dtype is Complex64, expected Float32");
}

#[test]
fn a_part_with_gaps_leaves_as_a_reported_copy() {
    let part = || Array::from(square()).sliced(1, 1, 2).unwrap();
    let (back, crossing) = part().into_ndarray::<f32>(Transfer::CopyIfNeeded).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::Strides, bytes: 32 });
    assert_eq!(back, square().slice(s![.., 1..3]).into_dyn());
    let refused = part().into_ndarray::<f32>(Transfer::ZeroCopyOnly).unwrap_err();
    assert!(matches!(refused, Error::CopyRefused { why: Why::Strides, .. }));
}

#[test]
fn a_vector_leaves_as_an_ndarray_without_a_copy() {
    let values = vec![1_u16, 2, 3, 4, 5, 6];
    let pointer = values.as_ptr();
    let array = Array::from_vec(values, [2, 3]).unwrap().permuted(&[1, 0]).unwrap();
    let (back, _) = array.into_ndarray::<u16>(Transfer::ZeroCopyOnly).unwrap();
    assert_eq!(back, array![[1, 4], [2, 5], [3, 6]].into_dyn());
    assert_eq!(back.as_ptr(), pointer);
}

#[test]
fn counted_arrays_are_shared_and_never_written() {
    let counted = ndarray::arr2(&[[1.0_f64, 2.0], [3.0, 4.0]]).into_shared();
    let shared = SharedArray::from(counted.clone().reversed_axes());
    assert_eq!(shared.view().to_vec::<f64>().unwrap(), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(shared.memory().address(), counted.as_ptr().addr());
    let shared = shared.try_into_array().unwrap_err();
    drop(shared);
    assert!(counted.try_into_owned_nocopy().is_ok(), "our reference is gone");

    let counted = Arc::new(Array3::<u8>::ones((2, 1, 2)));
    let shared = SharedArray::from(counted.clone());
    assert_eq!(shared.view().to_vec::<u8>().unwrap(), [1; 4]);
    drop(shared);
    assert_eq!(Arc::strong_count(&counted), 1);
}

#[test]
fn views_write_through() {
    let mut ours = Array::from(square()).reversed(1).unwrap();
    {
        let mut view = ours.view_mut().sliced(0, 1, 2).unwrap();
        view.as_ndarray_mut::<f32>().unwrap().fill(-1.0);
    }
    let (back, _) = ours.into_ndarray::<f32>(Transfer::ZeroCopyOnly).unwrap();
    let mut expected = square();
    expected.slice_mut(s![1..3, ..]).fill(-1.0);
    assert_eq!(back, expected.slice(s![.., ..;-1]).into_dyn());
}

#[test]
fn a_broadcast_view_repeats() {
    let row = Array::from(array![1.0_f32, 2.0]);
    let view = row.view().broadcast(&[3, 2]).unwrap();
    assert_eq!(
        view.as_ndarray::<f32>().unwrap(),
        array![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]].into_dyn()
    );
}
