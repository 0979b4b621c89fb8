//! Imports a hostile tensor, holds what comes of it against the model, and does with it all that can be done.

use std::sync::atomic::Ordering;

use arrayspan_bridge::dlpack::{Capsule, ImportOptions, Legacy, Managed, Packed, Versioned};
use arrayspan_bridge::{
    Array, DType, Element, Error, Relayout, SharedArray, Transfer, View, ViewMut, Why,
};
use half::{bf16, f16};
use ndarray::{ArrayD, IxDyn};
use num_complex::Complex;

use super::model::{Accepted, Verdict, judge};
use super::{Block, Hostile};
use crate::common::apply;

/// Whether the tensor was imported and its elements were read.
pub(crate) fn exercise(hostile: &Hostile) -> bool {
    let (producer, block) = hostile.build();
    let verdict = judge(hostile, &producer, &block);
    let deleted = producer.counter();
    if let Verdict::Accepted(Accepted { dtype: DType::Bool, places: None, .. }) = verdict {
        // Truth values that are not there would be looked at.
        drop(producer.versioned());
        return false;
    }
    let read = if hostile.legacy {
        check(hostile, producer.legacy(), &verdict, &block)
    } else {
        check(hostile, producer.versioned(), &verdict, &block)
    };
    assert_eq!(deleted.load(Ordering::SeqCst), 1, "the deleter runs once: {hostile:?}");
    read
}

fn check<M: Managed>(
    hostile: &Hostile,
    capsule: Capsule<M>,
    verdict: &Verdict,
    block: &Block,
) -> bool {
    let options = hostile.options();
    let imported = if hostile.packed {
        Packed::from_dlpack(capsule, None, &options).map(|packed| packed.bytes)
    } else {
        SharedArray::from_dlpack_with(capsule, None, &options)
    };
    match (imported, verdict) {
        (Err(Error::Foreign { field, .. }), Verdict::Refused(fields)) => {
            assert!(fields.contains(field), "refused for {field}: {fields:?} {hostile:?}");
            false
        }
        (Ok(array), Verdict::Accepted(accepted)) => {
            assert_eq!((array.dtype(), array.shape()), (accepted.dtype, &accepted.shape[..]));
            let Some(places) = &accepted.places else { return false };
            read_all(hostile, array, accepted, places, block);
            if !hostile.packed {
                write_all(hostile, accepted, places);
            }
            true
        }
        (imported, verdict) => panic!("{imported:?} instead of {verdict:?}: {hostile:?}"),
    }
}

/// Reads the elements in every layout and after every journey; nobody may write them meanwhile.
fn read_all(
    hostile: &Hostile,
    mut array: SharedArray,
    accepted: &Accepted,
    places: &[i32],
    block: &Block,
) {
    let mut places = ArrayD::from_shape_vec(IxDyn(&accepted.shape), places.to_vec()).unwrap();
    agree(&array.view(), &places, &block.bytes);
    for change in hostile.changes() {
        let shape = array.shape().to_vec();
        if let Some(Ok(changed)) = apply(&change, &array, &shape, &places) {
            if changed.0.layout().rank() > 64 {
                continue;
            }
            (array, places) = changed;
            agree(&array.view(), &places, &block.bytes);
        }
    }
    let array = travelled(array);
    agree(&array.view(), &places, &block.bytes);
    let array = array.try_into_array().expect_err("read-only");
    assert!(block.left.lock().unwrap().is_none(), "still in use");
    drop(array);
    assert_eq!(block.left.lock().unwrap().as_ref(), Some(&block.bytes), "nobody wrote");
}

/// Imports the tensor again, to write all its elements and nothing else.
fn write_all(hostile: &Hostile, accepted: &Accepted, places: &[i32]) {
    let (producer, block) = hostile.build();
    // Another block, which may lie elsewhere.
    let options = ImportOptions { alignment: 0, ..hostile.options() };
    let transfer = Transfer::ZeroCopyOnly;
    let imported = if hostile.legacy {
        Array::from_dlpack_with(producer.legacy(), transfer, None, &options)
    } else {
        Array::from_dlpack_with(producer.versioned(), transfer, None, &options)
    };
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    let size = accepted.dtype.bytes();
    let overlap = sorted.windows(2).any(|pair| pair[1] - pair[0] < size as i32);
    let mut array = match imported {
        Ok((array, _)) => array,
        Err(Error::CopyRefused { why: Why::ReadOnly, .. }) => return assert!(!accepted.writable),
        // May err on the safe side.
        Err(Error::CopyRefused { why: Why::Strides, .. }) => return,
        Err(error) => panic!("{error}: {hostile:?}"),
    };
    assert!(accepted.writable && !overlap, "{hostile:?}");
    write(&mut array);
    let mut expected = block.bytes.clone();
    for (i, &place) in places.iter().enumerate() {
        expected[place as usize..][..size].copy_from_slice(&stamp(accepted.dtype, i)[..size]);
    }
    let places = ArrayD::from_shape_vec(IxDyn(&accepted.shape), places.to_vec()).unwrap();
    agree(&array.view(), &places, &expected);
    let capsule = array.into_dlpack::<Versioned>(None).unwrap();
    let (array, _) = Array::from_dlpack(capsule, transfer, None).unwrap();
    agree(&array.view(), &places, &expected);
    drop(array);
    assert_eq!(block.left.lock().unwrap().as_ref(), Some(&expected), "only elements were written");
}

/// The array after a journey through a read-only struct. Copies that leave for other consumers are equal.
fn travelled(array: SharedArray) -> SharedArray {
    let (copy, _) = array.view().to_dlpack::<Versioned>(None).unwrap();
    let copy = SharedArray::from_dlpack(copy, None).unwrap();
    assert_eq!(bytes_of(&copy.view()), bytes_of(&array.view()));
    let legacy = array.to_dlpack::<Legacy>(Transfer::ZeroCopyOnly, None);
    assert!(matches!(legacy, Err(Error::CopyRefused { why: Why::ReadOnly, .. })));
    let (lent, _) = array.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
    drop(array);
    SharedArray::from_dlpack(lent, None).unwrap()
}

/// Every way to read gives the same elements.
fn agree(view: &View<'_>, places: &ArrayD<i32>, memory: &[u8]) {
    let size = view.dtype().bytes();
    assert_eq!(view.shape(), places.shape());
    let elements = |&place: &i32| memory[place as usize..][..size].iter().copied();
    let expected: Vec<u8> = places.iter().flat_map(elements).collect();
    assert_eq!(bytes_of(view), expected, "copied row-major");
    match view.dtype() {
        DType::Bool => typed::<bool>(view, &expected),
        DType::Int8 => typed::<i8>(view, &expected),
        DType::Int16 => typed::<i16>(view, &expected),
        DType::Int32 => typed::<i32>(view, &expected),
        DType::Int64 => typed::<i64>(view, &expected),
        DType::UInt8 => typed::<u8>(view, &expected),
        DType::UInt16 => typed::<u16>(view, &expected),
        DType::UInt32 => typed::<u32>(view, &expected),
        DType::UInt64 => typed::<u64>(view, &expected),
        DType::Float16 => typed::<f16>(view, &expected),
        DType::BFloat16 => typed::<bf16>(view, &expected),
        DType::Float32 => typed::<f32>(view, &expected),
        DType::Float64 => typed::<f64>(view, &expected),
        DType::Complex32 => typed::<Complex<f16>>(view, &expected),
        DType::Complex64 => typed::<Complex<f32>>(view, &expected),
        DType::Complex128 => typed::<Complex<f64>>(view, &expected),
        _ if size == 1 => by_lane::<1>(view, &expected),
        _ => by_lane::<8>(view, &expected),
    }
}

fn bytes_of(view: &View<'_>) -> Vec<u8> {
    let copy = view.to_array().unwrap();
    copy.bytes().unwrap().as_slice::<u8>().unwrap().to_vec()
}

fn typed<T: Element>(view: &View<'_>, expected: &[u8]) {
    assert_eq!(raw(&view.to_vec::<T>().unwrap()), expected);
    let seen: Vec<T> = view.as_ndarray::<T>().unwrap().iter().copied().collect();
    assert_eq!(raw(&seen), expected);
    match view.as_slice::<T>() {
        Ok(slice) => assert_eq!(raw(slice), expected),
        Err(_) => assert!(!view.layout().is_contiguous()),
    }
    let Some((&extent, before)) = view.shape().split_last().filter(|_| !seen.is_empty()) else {
        return;
    };
    let lanes = view.lanes::<T>().unwrap();
    let mut gathered = Vec::new();
    for index in indices(before) {
        let mut elements = vec![seen[0]; extent];
        lanes.lane(&index, before.len(), extent).gather(0, &mut elements);
        gathered.extend(elements);
    }
    assert_eq!(raw(&gathered), expected);
}

fn by_lane<const N: usize>(view: &View<'_>, expected: &[u8]) {
    let lanes = view.byte_lanes::<N>().unwrap();
    let Some((&extent, before)) = view.shape().split_last().filter(|_| !expected.is_empty()) else {
        return;
    };
    let mut gathered = Vec::new();
    for index in indices(before) {
        let mut elements = vec![[0; N]; extent];
        lanes.lane(&index, before.len(), extent).gather(0, &mut elements);
        gathered.extend(elements.into_iter().flatten());
    }
    assert_eq!(gathered, expected);
}

/// The bytes that element `i` gets when all are written.
fn stamp(dtype: DType, i: usize) -> [u8; 16] {
    if dtype == DType::Bool { [u8::from(i.is_multiple_of(3)); 16] } else { [i as u8; 16] }
}

/// Writes its stamp to every element.
fn write(array: &mut Array) {
    let (dtype, shape) = (array.dtype(), array.shape().to_vec());
    let len: usize = shape.iter().product();
    let mut view = array.view_mut();
    if dtype == DType::Bool {
        let mut elements = view.as_ndarray_mut::<bool>().unwrap();
        elements.iter_mut().enumerate().for_each(|(i, element)| *element = i.is_multiple_of(3));
        return;
    }
    match dtype.bytes() {
        1 => stamp_lanes::<1>(&mut view, len),
        2 => stamp_lanes::<2>(&mut view, len),
        4 => stamp_lanes::<4>(&mut view, len),
        8 => stamp_lanes::<8>(&mut view, len),
        _ => stamp_lanes::<16>(&mut view, len),
    }
}

fn stamp_lanes<const N: usize>(view: &mut ViewMut<'_>, len: usize) {
    let shape = if view.shape().is_empty() { vec![1] } else { view.shape().to_vec() };
    let Some((&extent, before)) = shape.split_last().filter(|_| len > 0) else { return };
    let mut view = view.reborrow();
    if view.shape().is_empty() {
        view = view.reshaped(&[1]).unwrap();
    }
    let mut lanes = view.byte_lanes_mut::<N>().unwrap();
    for (row, index) in indices(before).enumerate() {
        let stamps: Vec<[u8; N]> = (0..extent).map(|i| [(row * extent + i) as u8; N]).collect();
        lanes.lane(&index, before.len(), extent).scatter(0, &stamps);
    }
}

/// Every index along all axes but the last, which is zero, row-major.
fn indices(before: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let rows = ndarray::indices(IxDyn(before)).into_iter();
    rows.map(|index| [ndarray::Dimension::slice(&index), &[0]].concat())
}

/// The bytes of elements.
fn raw<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: elements are plain numbers without padding.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}
