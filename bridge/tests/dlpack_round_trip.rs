//! Every dtype in every layout there and back, in both structs; through ndarray where Rust has the type.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan_bridge::{
    Array, Crossing, DType, Element, Error, Layout, Relayout, Result, Transfer, View,
};
use common::{Change, apply, changes, config, counting, shapes};
use half::{bf16, f16};
use ndarray::ArrayD;
use num_complex::Complex;
use proptest::prelude::*;

/// Out and in again.
fn round_trip<M: Managed>(array: Array) -> Result<Array> {
    // SAFETY: a live struct that only this function holds.
    let capsule =
        unsafe { Capsule::<M>::from_raw(array.into_dlpack::<M>(None)?.into_raw()).unwrap() };
    let (array, crossing) = Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, None)?;
    assert_eq!(crossing, Crossing::ZeroCopy);
    Ok(array)
}

fn travelled(array: Array, legacy: bool) -> Result<Array> {
    if legacy { round_trip::<Legacy>(array) } else { round_trip::<Versioned>(array) }
}

/// A row-major array of any dtype whose bytes count up, or alternate for truth values.
fn numbered(shape: &[usize], dtype: DType) -> Array {
    let mut array = Array::empty(shape, dtype, &Device::cpu().stream().unwrap()).unwrap();
    let mut bytes = array.bytes_mut().unwrap();
    for (i, byte) in bytes.as_mut_slice::<u8>().unwrap().iter_mut().enumerate() {
        *byte = if dtype == DType::Bool { u8::from(i.is_multiple_of(3)) } else { i as u8 };
    }
    array
}

/// The bytes of all elements, row-major.
fn bytes_of(view: &View<'_>) -> Vec<u8> {
    view.to_array().unwrap().bytes().unwrap().as_slice::<u8>().unwrap().to_vec()
}

/// The array and the numbers of its elements after some changes.
fn changed(array: Array, changes: &[Change]) -> (Array, ArrayD<i32>) {
    let mut numbers = counting(array.shape());
    let mut array = array.into_shared();
    for change in changes {
        let shape = array.shape().to_vec();
        if let Some(Ok(next)) = apply(change, &array, &shape, &numbers) {
            (array, numbers) = next;
        }
    }
    (array.try_into_array().unwrap(), numbers)
}

fn dtypes() -> impl Strategy<Value = DType> {
    proptest::sample::select(DType::all().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_dtype_travels_in_every_layout(
        dtype in dtypes(),
        shape in shapes(),
        changes in changes(),
        legacy in any::<bool>(),
    ) {
        let size = dtype.bytes();
        let array = numbered(&shape, dtype);
        let all = bytes_of(&array.view());
        let (array, numbers) = changed(array, &changes);
        let layout = array.layout().clone();
        let back = match travelled(array, legacy) {
            Ok(back) => back,
            Err(Error::Inexpressible { .. }) => {
                prop_assert!(legacy && dtype.bits() < 8);
                return Ok(());
            }
            Err(error) => panic!("{error}"),
        };
        prop_assert_eq!((back.dtype(), back.shape()), (dtype, layout.shape()));
        prop_assert_eq!(meaning(back.layout()), meaning(&layout), "strides that count are kept");
        let elements = numbers.iter().flat_map(|&i| &all[i as usize * size..][..size]);
        let expected: Vec<u8> = elements.copied().collect();
        prop_assert_eq!(bytes_of(&back.view()), expected);
    }

    #[test]
    fn every_type_of_rust_travels_from_ndarray_to_ndarray(
        shape in shapes(),
        changes in changes(),
        legacy in any::<bool>(),
    ) {
        through_ndarray(&shape, &changes, legacy, |i| i % 3 == 0);
        through_ndarray(&shape, &changes, legacy, |i| i as i8);
        through_ndarray(&shape, &changes, legacy, |i| -i as i16);
        through_ndarray(&shape, &changes, legacy, |i| -i);
        through_ndarray(&shape, &changes, legacy, |i| i64::from(i) << 40);
        through_ndarray(&shape, &changes, legacy, |i| i as u8);
        through_ndarray(&shape, &changes, legacy, |i| i as u16);
        through_ndarray(&shape, &changes, legacy, |i| i as u32);
        through_ndarray(&shape, &changes, legacy, |i| i as u64);
        through_ndarray(&shape, &changes, legacy, |i| f16::from_f32(i as f32));
        through_ndarray(&shape, &changes, legacy, |i| bf16::from_f32(i as f32));
        through_ndarray(&shape, &changes, legacy, |i| i as f32 / 3.0);
        through_ndarray(&shape, &changes, legacy, |i| f64::from(i) / 3.0);
        let half = |i: i32| f16::from_f32(i as f32);
        through_ndarray(&shape, &changes, legacy, |i| Complex::new(half(i), half(-i)));
        through_ndarray(&shape, &changes, legacy, |i| Complex::new(i as f32, -0.5));
        through_ndarray(&shape, &changes, legacy, |i| Complex::new(f64::from(i), -0.5));
    }
}

/// Offset apart, which the pointer takes over: what a layout says about elements that are there.
fn meaning(layout: &Layout) -> Vec<(usize, isize)> {
    let of_elements = |(&extent, &stride): (&usize, &isize)| (extent, stride);
    let pairs = layout.shape().iter().zip(layout.strides()).map(of_elements);
    pairs.filter(|&(extent, _)| extent > 1 && !layout.is_empty()).collect()
}

fn through_ndarray<T: Element + PartialEq>(
    shape: &[usize],
    changes: &[Change],
    legacy: bool,
    value: impl Fn(i32) -> T,
) {
    let values = counting(shape).mapv(&value);
    let (array, numbers) = changed(Array::from(values), changes);
    let back = travelled(array, legacy).unwrap();
    let expected = numbers.mapv(&value);
    assert_eq!(back.view().as_ndarray::<T>().unwrap(), expected.view());
    let (values, _) = back.into_ndarray::<T>(Transfer::CopyIfNeeded).unwrap();
    assert_eq!(values, expected);
}

#[test]
fn strides_that_mean_nothing_leave_as_none_that_harm() {
    // Some consumers end the process over a negative stride, even along an axis of one index.
    let array = numbered(&[3, 1, 2], DType::Float32).reversed(1).unwrap();
    assert!(array.layout().strides()[1] < 0);
    let capsule = array.into_dlpack::<Versioned>(None).unwrap();
    // SAFETY: the struct lives as long as the capsule, and has three strides.
    let strides = unsafe { std::slice::from_raw_parts((*capsule.as_raw()).dl_tensor.strides, 3) };
    assert_eq!(strides, [2, 2, 1]);
    let array = numbered(&[2, 0], DType::Float32).reversed(0).unwrap();
    let capsule = array.into_dlpack::<Versioned>(None).unwrap();
    // SAFETY: as above, with two strides.
    let tensor = unsafe { (*capsule.as_raw()).dl_tensor };
    assert!(tensor.data.is_null());
    // SAFETY: as above.
    assert!(unsafe { std::slice::from_raw_parts(tensor.strides, 2) }.iter().all(|&s| s >= 0));
}
