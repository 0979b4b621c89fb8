//! Arrays from device to device: what arrives is what was sent, and every copy is told.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::devices::{Device, drain};
use arrayspan_bridge::{Array, Crossing, DType, Error, Relayout, Transfer, Why};
use common::{accelerators, apply, changes, config, counting, shapes};
use proptest::prelude::*;

/// A 3 × 4 array of the numbers from 0 on that device.
fn counting_on(device: Device) -> Array {
    Array::from(counting(&[3, 4])).into_device(device).unwrap().0
}

#[test]
fn by_value_an_array_stays_where_it_is() {
    for device in accelerators().into_iter().chain([Device::cpu()]) {
        let array = counting_on(device);
        let address = array.memory().address();
        let stream = device.stream().unwrap();
        let (array, crossing) =
            array.into_device_with(device, Transfer::ZeroCopyOnly, &stream).unwrap();
        assert_eq!((array.memory().address(), crossing), (address, Crossing::ZeroCopy));
        let (shared, crossing) = array.into_shared().to(device).unwrap();
        assert_eq!((shared.memory().address(), crossing), (address, Crossing::ZeroCopy));
    }
}

#[test]
fn a_view_is_copied_even_where_it_is() {
    let array = counting_on(Device::cpu());
    let (copy, crossing) = array.view().to(Device::cpu()).unwrap();
    assert_eq!(crossing, Crossing::Copied { why: Why::Borrowed, bytes: 48 });
    assert_ne!(copy.memory().address(), array.memory().address());
    let stream = Device::cpu().stream().unwrap();
    let refused = array.view().to_with(Device::cpu(), Transfer::ZeroCopyOnly, &stream);
    assert!(matches!(refused, Err(Error::CopyRefused { why: Why::Borrowed, .. })));
}

#[test]
fn a_borrowed_array_is_copied_even_where_it_is_and_stays() {
    for device in accelerators().into_iter().chain([Device::cpu()]) {
        let array = counting_on(device);
        let (copy, crossing) = array.to(device).unwrap();
        assert_eq!(crossing, Crossing::Copied { why: Why::Borrowed, bytes: 48 });
        assert_eq!(copy.device(), device);
        let stream = device.stream().unwrap();
        let refused = array.to_with(device, Transfer::ZeroCopyOnly, &stream);
        assert!(matches!(refused, Err(Error::CopyRefused { why: Why::Borrowed, .. })));
        for array in [array, copy] {
            assert_eq!(array.to_vec::<i32>().unwrap(), (0..12).collect::<Vec<_>>());
        }
    }
}

#[test]
fn crossing_to_another_device_is_a_copy_that_can_be_refused() {
    for device in accelerators() {
        let stream = device.stream().unwrap();
        let host = Array::from(counting(&[3, 4])).into_shared();
        let (there, crossing) = host.to(device).unwrap();
        assert_eq!(crossing, Crossing::Copied { why: Why::OtherDevice, bytes: 48 });
        assert_eq!(there.device(), device);
        assert_eq!(there.view().to_vec::<i32>().unwrap(), (0..12).collect::<Vec<_>>());
        let refused = host.to_with(device, Transfer::ZeroCopyOnly, &stream).unwrap_err();
        assert!(matches!(refused, Error::CopyRefused { why: Why::OtherDevice, .. }), "{device}");
        let (back, crossing) = there.to(Device::cpu()).unwrap();
        assert_eq!(crossing, Crossing::Copied { why: Why::OtherDevice, bytes: 48 });
        assert_eq!(back.view().as_slice::<i32>().unwrap(), (0..12).collect::<Vec<_>>());
    }
}

#[test]
fn strided_views_arrive_row_major_between_any_two_devices() {
    let devices: Vec<_> = accelerators().into_iter().chain([Device::cpu()]).collect();
    for &from in &devices {
        let array = counting_on(from);
        let view = array.view().sliced(1, 1, 3).unwrap().reversed(0).unwrap();
        for &to in &devices {
            let (copy, _) = view.to(to).unwrap();
            assert!(copy.layout().is_contiguous());
            let values = copy.view().to_vec::<i32>().unwrap();
            assert_eq!(values, [9, 10, 11, 5, 6, 7, 1, 2, 3], "{from} to {to}");
        }
    }
}

/// Rows far apart are sent one by one, elements close together with what lies between them.
#[test]
fn sparse_and_dense_views_come_to_the_host() {
    for device in accelerators() {
        let wide = Array::from(counting(&[3, 1 << 16])).into_device(device).unwrap().0;
        let rows = wide.view().sliced(1, 5, 2).unwrap().to_vec::<i32>().unwrap();
        assert_eq!(
            rows,
            [0, 1, 2].map(|i| (i << 16) + 5).iter().flat_map(|&i| [i, i + 1]).collect::<Vec<_>>()
        );
        let every_other = wide.view().sliced(0, 1, 1).unwrap().stepped(1, 1 << 15).unwrap();
        assert_eq!(every_other.to_vec::<i32>().unwrap(), [1 << 16, (1 << 16) + (1 << 15)]);
        let column = wide.view().stepped(1, 2).unwrap().to_vec::<i32>().unwrap();
        assert_eq!(column, (0..3 << 15).map(|i| 2 * i).collect::<Vec<_>>());
    }
}

#[test]
fn single_values_are_read_from_any_device() {
    for device in accelerators() {
        let array = counting_on(device);
        let one = array.view().sliced(0, 2, 1).unwrap().sliced(1, 3, 1).unwrap();
        assert_eq!(one.item::<i32>().unwrap(), 11);
        assert!(matches!(one.as_slice::<i32>(), Err(Error::WrongDevice { .. })));
        assert!(matches!(array.view().as_ndarray::<i32>(), Err(Error::WrongDevice { .. })));
    }
}

#[test]
fn a_device_array_leaves_as_an_ndarray_by_a_reported_copy() {
    for device in accelerators() {
        let refused = counting_on(device).into_ndarray::<i32>(Transfer::ZeroCopyOnly);
        assert!(matches!(refused, Err(Error::CopyRefused { why: Why::OtherDevice, .. })));
        let (values, crossing) =
            counting_on(device).into_ndarray::<i32>(Transfer::CopyIfNeeded).unwrap();
        assert_eq!(crossing, Crossing::Copied { why: Why::OtherDevice, bytes: 48 });
        assert_eq!(values, counting(&[3, 4]));
    }
}

#[test]
fn arrays_without_elements_cross_too() {
    for device in accelerators() {
        let array = Array::from(counting(&[0, 4])).into_device(device).unwrap().0;
        assert_eq!((array.shape(), array.device()), (&[0, 4][..], device));
        assert_eq!(array.view().to_vec::<i32>().unwrap(), [0_i32; 0]);
    }
}

#[test]
fn bytes_of_a_device_that_are_no_booleans_stay_there() {
    for device in accelerators() {
        let bytes = Array::from_slice(&[0_u8; 256], [256]).unwrap().into_device(device).unwrap().0;
        let mut two = Array::from_slice(&[2_u8; 256], [256]).unwrap();
        let (flags, _) = two.view_mut().carve(&[4], DType::Bool).unwrap();
        let there = flags.view().to(device).unwrap().0;
        assert!(matches!(there.view().to_vec::<bool>(), Err(Error::Layout { .. })));
        drop(bytes);
    }
}

#[test]
fn host_memory_under_a_transfer_is_kept_until_it_is_done() {
    for device in accelerators() {
        let counted = ndarray::ArcArray1::from_iter(0..1 << 20);
        let shared = arrayspan_bridge::SharedArray::from(counted.clone());
        let there = shared.to(device).unwrap().0;
        drop(shared);
        assert_eq!(there.view().to_vec::<i32>().unwrap().last(), Some(&((1 << 20) - 1)));
        drop(there);
        drain();
        assert!(counted.try_into_owned_nocopy().is_ok(), "{device} gave the host memory back");
    }
}

/// Changes of layout on a device against the same on ndarray.
fn arrives(
    device: Device,
    shape: &[usize],
    changes: &[common::Change],
) -> Result<(), TestCaseError> {
    let mut theirs = counting(shape);
    let array = Array::from(theirs.clone()).into_device(device).unwrap().0;
    let mut ours = array.view();
    for change in changes {
        let shape = ours.shape().to_vec();
        if let Some(Ok(next)) = apply(change, &ours, &shape, &theirs) {
            (ours, theirs) = next;
        }
    }
    prop_assert_eq!(ours.to_ndarray::<i32>().unwrap(), theirs.clone());
    prop_assert_eq!(ours.to_array().unwrap().view().to_ndarray::<i32>().unwrap(), theirs);
    Ok(())
}

#[test]
fn every_layout_arrives_everywhere() {
    for device in accelerators() {
        let config = ProptestConfig { cases: 64, ..config() };
        let arrives = |(shape, changes): (Vec<_>, Vec<_>)| arrives(device, &shape, &changes);
        proptest::test_runner::TestRunner::new(config)
            .run(&(shapes(), changes()), arrives)
            .unwrap();
    }
}
