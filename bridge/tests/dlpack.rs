//! `DLPack` out and in again: what the consumer sees, who may write, and when the deleter runs.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrayspan_bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan_bridge::{
    Array, Crossing, DType, Error, Relayout, Result, SharedArray, Transfer, Why,
};
use common::producer::Producer;
use common::{apply, changes, config, counting, shapes};
use proptest::prelude::*;

const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

/// A capsule as another library would get and return it.
fn travelled<M: Managed>(capsule: Capsule<M>) -> Capsule<M> {
    // SAFETY: a live struct that only this function holds.
    unsafe { Capsule::from_raw(capsule.into_raw()).unwrap() }
}

fn flags(capsule: &Capsule<Versioned>) -> u64 {
    // SAFETY: the struct lives as long as the capsule.
    unsafe { (*capsule.as_raw()).flags }
}

fn round_trip<M: Managed>(array: Array) -> Result<(Array, Crossing)> {
    let capsule = travelled(array.into_dlpack::<M>(None)?);
    Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, None)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_layout_travels_without_a_copy(
        shape in shapes(),
        changes in changes(),
        legacy in any::<bool>(),
    ) {
        let mut theirs = counting(&shape);
        let mut ours = Array::from(theirs.clone()).into_shared();
        for change in changes {
            let shape = ours.shape().to_vec();
            if let Some(Ok(next)) = apply(&change, &ours, &shape, &theirs) {
                (ours, theirs) = next;
            }
        }
        let ours = ours.try_into_array().unwrap();
        let address = ours.memory().address() + 4 * ours.layout().offset();
        let (back, crossing) =
            if legacy { round_trip::<Legacy>(ours) } else { round_trip::<Versioned>(ours) }.unwrap();
        prop_assert_eq!(crossing, Crossing::ZeroCopy);
        prop_assert_eq!(back.view().as_ndarray::<i32>().unwrap(), theirs.view());
        if !theirs.is_empty() {
            prop_assert_eq!(back.memory().address() + 4 * back.layout().offset(), address);
        }
    }
}

#[test]
fn an_exported_tensor_says_all_there_is_to_say() {
    let array = Array::from_slice(&[0_i16; 24], [2, 3, 4]).unwrap().sliced(1, 1, 2).unwrap();
    let first = array.memory().address() + 4 * 2;
    let capsule = array.into_dlpack::<Versioned>(None).unwrap();
    // SAFETY: the struct lives as long as the capsule, and its shape and strides have three numbers.
    unsafe {
        let managed = &*capsule.as_raw();
        let tensor = &managed.dl_tensor;
        assert_eq!((managed.version.major, managed.version.minor, managed.flags), (1, 3, 0));
        assert_eq!((tensor.device.device_type.0, tensor.device.device_id), (1, 0));
        assert_eq!((tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes), (0, 16, 1));
        assert_eq!((tensor.data.addr(), tensor.byte_offset), (first, 0));
        assert_eq!(std::slice::from_raw_parts(tensor.shape, 3), [2, 2, 4]);
        assert_eq!(std::slice::from_raw_parts(tensor.strides, 3), [12, 4, 1]);
    }
}

#[test]
fn an_array_without_elements_travels_as_null() {
    let capsule =
        Array::from_slice::<f64>(&[], [3, 0]).unwrap().into_dlpack::<Legacy>(None).unwrap();
    // SAFETY: the struct lives as long as the capsule.
    assert!(unsafe { (*capsule.as_raw()).dl_tensor.data.is_null() });
    let (back, _) = Array::from_dlpack(travelled(capsule), Transfer::ZeroCopyOnly, None).unwrap();
    assert_eq!((back.shape(), back.dtype()), (&[3, 0][..], DType::Float64));
}

#[test]
fn a_scalar_travels_without_axes() {
    let (back, _) = round_trip::<Versioned>(Array::from_slice(&[4_u8], []).unwrap()).unwrap();
    assert_eq!(back.view().item::<u8>().unwrap(), 4);
}

#[test]
fn a_shared_array_travels_read_only_and_stays_readable() {
    let shared = Array::from_slice(&[1_i32, 2], [2]).unwrap().into_shared();
    let (capsule, crossing) = shared.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
    assert_eq!((crossing, flags(&capsule)), (Crossing::ZeroCopy, READ_ONLY));
    let back = SharedArray::from_dlpack(travelled(capsule), None).unwrap();
    assert_eq!(back.memory().address(), shared.memory().address());
    assert!(back.clone().try_into_array().is_err());
    assert_eq!(shared.view().to_vec::<i32>().unwrap(), back.view().to_vec::<i32>().unwrap());
    // Once nothing is lent any more the memory is writable again.
    drop(back);
    assert!(shared.try_into_array().is_ok());
}

#[test]
fn a_legacy_struct_never_makes_a_shared_array_writable() {
    let shared = Array::from_slice(&[1_i32, 2], [2]).unwrap().into_shared();
    let refused = shared.to_dlpack::<Legacy>(Transfer::ZeroCopyOnly, None).unwrap_err();
    assert!(matches!(refused, Error::CopyRefused { why: Why::ReadOnly, bytes: 8, .. }));
    let (capsule, crossing) = shared.to_dlpack::<Legacy>(Transfer::CopyIfNeeded, None).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::ReadOnly, bytes: 8 });
    let (mut back, _) = Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, None).unwrap();
    back.view_mut().as_mut_slice::<i32>().unwrap().fill(7);
    assert_eq!(shared.view().to_vec::<i32>().unwrap(), [1, 2]);
}

#[test]
fn a_view_travels_as_a_copy_and_says_so() {
    let array = Array::from_slice(&[1_i32, 2, 3], [3]).unwrap();
    let (capsule, crossing) = array.view().reversed(0).unwrap().to_dlpack(None).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::Borrowed, bytes: 12 });
    assert_eq!(flags(&capsule), IS_COPIED);
    let back = SharedArray::from_dlpack(capsule, None).unwrap();
    assert_eq!(back.view().to_vec::<i32>().unwrap(), [3, 2, 1]);
}

#[test]
fn elements_below_a_byte_travel_padded_or_not_at_all() {
    let stream = arrayspan_bridge::devices::Device::cpu().stream().unwrap();
    let array = || Array::empty([3], DType::Float4E2M1Fn, &stream).unwrap();
    let capsule = array().into_dlpack::<Versioned>(None).unwrap();
    assert_eq!(flags(&capsule), 4);
    let back = SharedArray::from_dlpack(travelled(capsule), None).unwrap();
    assert_eq!((back.dtype(), back.shape()), (DType::Float4E2M1Fn, &[3][..]));
    let refused = array().into_dlpack::<Legacy>(None).unwrap_err();
    assert!(matches!(refused, Error::Inexpressible { operation: "to_dlpack", .. }), "{refused}");
}

#[test]
fn a_read_only_tensor_becomes_writable_only_by_a_copy() {
    let read_only = || Producer { flags: READ_ONLY, ..Producer::default() };
    let shared = SharedArray::from_dlpack(read_only().versioned(), None).unwrap();
    assert!(shared.try_into_array().is_err());
    let refused = Array::from_dlpack(read_only().versioned(), Transfer::ZeroCopyOnly, None);
    assert!(matches!(refused, Err(Error::CopyRefused { why: Why::ReadOnly, bytes: 24, .. })));
    let producer = read_only();
    let deleted = producer.counter();
    let (mut array, crossing) =
        Array::from_dlpack(producer.versioned(), Transfer::CopyIfNeeded, None).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::ReadOnly, bytes: 24 });
    assert_eq!(deleted.load(Ordering::SeqCst), 1, "the original is not needed after the copy");
    array.view_mut().as_mut_slice::<f32>().unwrap()[0] = 9.0;
}

#[test]
fn overlapping_elements_become_writable_only_by_a_copy() {
    let overlapping = || Producer { strides: Some(vec![1, 1]), ..Producer::default() };
    let refused = Array::from_dlpack(overlapping().legacy(), Transfer::ZeroCopyOnly, None);
    assert!(matches!(refused, Err(Error::CopyRefused { why: Why::Strides, .. })));
    let (array, crossing) =
        Array::from_dlpack(overlapping().legacy(), Transfer::CopyIfNeeded, None).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::Strides, bytes: 24 });
    assert_eq!(array.view().as_slice::<f32>().unwrap(), [0.0, 1.0, 2.0, 1.0, 2.0, 3.0]);
}

#[test]
fn what_is_written_here_is_seen_by_the_producer() {
    let producer = Producer::default();
    let address = producer.words.as_ptr().addr();
    let (mut array, crossing) =
        Array::from_dlpack(producer.legacy(), Transfer::ZeroCopyOnly, None).unwrap();
    assert_eq!((crossing, array.memory().address()), (Crossing::ZeroCopy, address));
    array.view_mut().as_mut_slice::<f32>().unwrap()[1] = -1.0;
    assert_eq!(array.view().to_vec::<f32>().unwrap()[..3], [0.0, -1.0, 2.0]);
}

#[test]
fn the_deleter_runs_once_when_the_last_array_goes() {
    let producer = Producer::default();
    let deleted = producer.counter();
    let array = SharedArray::from_dlpack(producer.versioned(), None).unwrap();
    let part = array.clone().sliced(0, 1, 1).unwrap();
    drop(array);
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    assert_eq!(part.view().to_vec::<f32>().unwrap(), [3.0, 4.0, 5.0]);
    drop(part);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn the_deleter_runs_on_whatever_thread_the_array_ends() {
    let producer = Producer::default();
    let deleted = producer.counter();
    let array = SharedArray::from_dlpack(producer.versioned(), None).unwrap();
    std::thread::spawn(move || drop(array)).join().unwrap();
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn a_capsule_that_nobody_imports_is_given_back_once() {
    let producer = Producer::default();
    let deleted = producer.counter();
    let raw = producer.versioned().into_raw();
    assert_eq!(deleted.load(Ordering::SeqCst), 0, "handed out");
    // SAFETY: a live struct that only this test holds.
    drop(unsafe { Capsule::from_raw(raw).unwrap() });
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn a_tensor_without_a_deleter_stays_its_producers() {
    let mut producer = Producer { with_deleter: false, ..Producer::default() };
    producer.words.shrink_to_fit();
    let deleted = producer.counter();
    let capsule = producer.versioned();
    // SAFETY: the struct lives on: nobody deletes it but this test, below.
    let context = unsafe { (*capsule.as_raw()).manager_ctx };
    let array = SharedArray::from_dlpack(capsule, None).unwrap();
    assert_eq!(array.view().to_vec::<f32>().unwrap()[4..], [4.0, 5.0]);
    drop(array);
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    // SAFETY: the producer's own way to free what it has made.
    unsafe { common::producer::free_versioned(context) };
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn an_exported_array_is_given_back_by_the_consumers_thread() {
    let values = ndarray::ArcArray1::from_vec(vec![1.0_f64, 2.0]);
    let shared = SharedArray::from(values.clone());
    let (capsule, _) = shared.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
    drop(shared);
    let address = capsule.into_raw().expose_provenance();
    let consumer = std::thread::spawn(move || {
        let raw: *mut Versioned = std::ptr::with_exposed_provenance_mut(address);
        // SAFETY: a live struct that only this thread holds; it calls the deleter once.
        unsafe { (*raw).deleter.unwrap()(raw) };
    });
    consumer.join().unwrap();
    assert!(values.try_into_owned_nocopy().is_ok(), "the last reference is ours again");
}

#[test]
fn a_stream_of_another_device_is_refused() {
    let Some(other) = common::first("opencl") else { return };
    let stream = other.stream().unwrap();
    let producer = Producer::default();
    let deleted = producer.counter();
    let refused = SharedArray::from_dlpack(producer.versioned(), Some(&stream));
    assert!(matches!(refused, Err(Error::WrongDevice { operation: "from_dlpack", .. })));
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    let array = Array::from_slice(&[1_i32], [1]).unwrap();
    let refused = array.into_dlpack::<Versioned>(Some(&stream));
    assert!(matches!(refused, Err(Error::WrongDevice { operation: "to_dlpack", .. })));
}

#[test]
fn the_counter_of_a_producer_counts() {
    let producer = Producer::default();
    let deleted = producer.counter();
    assert_eq!(Arc::strong_count(&deleted), 2);
    drop(producer.legacy());
    assert_eq!((deleted.load(Ordering::SeqCst), Arc::strong_count(&deleted)), (1, 1));
}
