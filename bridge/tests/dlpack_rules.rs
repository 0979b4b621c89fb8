//! Every rule for tensors from outside: what breaks it is refused by name, and the deleter runs once.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::atomic::Ordering;

use arrayspan_bridge::dlpack::{Capsule, Legacy, Versioned};
use arrayspan_bridge::{Array, DType, Error, SharedArray};
use common::producer::Producer;

/// Asserts that a tensor is refused for `field`, in both structs, and given back once.
fn refused(field: &str, make: impl Fn() -> Producer) {
    for legacy in [false, true] {
        let producer = make();
        let deleted = producer.counter();
        let result = if legacy {
            SharedArray::from_dlpack(producer.legacy(), None)
        } else {
            SharedArray::from_dlpack(producer.versioned(), None)
        };
        match result {
            Err(Error::Foreign { field: found, .. }) => assert_eq!(found, field),
            other => panic!("expected a refusal of {field}, found {other:?}"),
        }
        assert_eq!(deleted.load(Ordering::SeqCst), 1, "{field}, legacy: {legacy}");
    }
}

/// The array of a tensor that is accepted.
fn accepted(producer: Producer) -> SharedArray {
    SharedArray::from_dlpack(producer.versioned(), None).unwrap()
}

#[test]
fn a_null_struct_is_refused() {
    // SAFETY: null is allowed, and refused.
    let (versioned, legacy) = unsafe {
        let versioned = Capsule::<Versioned>::from_raw(std::ptr::null_mut());
        (versioned.err(), Capsule::<Legacy>::from_raw(std::ptr::null_mut()).err())
    };
    for error in [versioned, legacy] {
        assert!(matches!(error, Some(Error::Foreign { field: "managed tensor", .. })));
    }
}

#[test]
fn another_major_version_is_refused_before_any_other_field_is_looked_at() {
    for major in [0, 2, u32::MAX] {
        let producer = Producer { major, flags: u64::MAX, ndim: -1, ..Producer::default() };
        let deleted = producer.counter();
        let error = SharedArray::from_dlpack(producer.versioned(), None).unwrap_err();
        assert!(matches!(error, Error::Foreign { field: "version.major", .. }), "{error}");
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn every_minor_version_is_accepted_as_long_as_its_values_are_known() {
    for minor in [0, 1, 3, 99, u32::MAX] {
        let producer = Producer { minor, strides: None, ..Producer::default() };
        assert_eq!(accepted(producer).layout().strides(), [3, 1]);
    }
    refused("dtype", || Producer { minor: 99, dtype: (18, 2, 1), ..Producer::default() });
}

#[test]
fn impossible_ranks_are_refused() {
    for ndim in [-1, i32::MIN, 65, i32::MAX] {
        refused("ndim", || Producer { ndim, ..Producer::default() });
    }
}

#[test]
fn a_missing_shape_is_refused_unless_there_are_no_axes() {
    refused("shape", || Producer { shape: None, ..Producer::default() });
    let scalar = Producer { ndim: 0, shape: None, strides: None, ..Producer::default() };
    assert_eq!(accepted(scalar).view().to_vec::<f32>().unwrap(), [0.0]);
}

#[test]
fn negative_extents_are_refused() {
    refused("shape", || Producer { shape: Some(vec![2, -3]), ..Producer::default() });
    refused("shape", || Producer { shape: Some(vec![0, i64::MIN]), ..Producer::default() });
}

#[test]
fn more_elements_or_bytes_than_can_be_addressed_are_refused() {
    for shape in [[1 << 40, 1 << 40], [1 << 31, 1 << 31], [i64::MAX, 1]] {
        for strides in [Some(vec![0, 0]), None] {
            refused("shape", || Producer {
                shape: Some(shape.to_vec()),
                strides: strides.clone(),
                ..Producer::default()
            });
        }
    }
}

#[test]
fn strides_that_reach_beyond_all_addresses_are_refused() {
    for strides in [[i64::MAX, 1], [i64::MIN, 1], [1 << 62, 1], [-(1 << 61), 1]] {
        refused("strides", || Producer { strides: Some(strides.to_vec()), ..Producer::default() });
    }
    // The first element lies low enough that those before it would have negative addresses.
    refused("strides", || Producer { strides: Some(vec![-(1 << 60), 1]), ..Producer::default() });
    // At address zero there is never an element, and none may end after the last address.
    for (handle, stride) in [(12, -3_i64), (usize::MAX - 11, 3)] {
        let strides = Some(vec![stride, stride.signum()]);
        refused("strides", || Producer {
            handle: Some(handle),
            strides: strides.clone(),
            shape: Some(vec![2, 1]),
            ..Producer::default()
        });
    }
}

#[test]
fn missing_strides_are_row_major() {
    let array = accepted(Producer { strides: None, ..Producer::default() });
    assert_eq!(array.layout().strides(), [3, 1]);
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn negative_strides_run_down_from_the_first_element() {
    let array = accepted(Producer {
        strides: Some(vec![-3, -1]),
        byte_offset: 5 * 4,
        ..Producer::default()
    });
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
}

#[test]
fn zero_strides_repeat_and_cannot_be_written() {
    let array = accepted(Producer { strides: Some(vec![0, 1]), ..Producer::default() });
    assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    assert!(array.try_into_array().is_err());
}

#[test]
fn a_byte_offset_may_split_elements_as_long_as_the_address_fits() {
    let odd = Producer { data: Some(1), byte_offset: 7, ..Producer::default() };
    assert_eq!(accepted(odd).view().to_vec::<f32>().unwrap(), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    refused("data", || Producer { byte_offset: 6, ..Producer::default() });
}

#[test]
fn a_byte_offset_beyond_all_addresses_is_refused() {
    refused("byte_offset", || Producer { byte_offset: u64::MAX, ..Producer::default() });
}

#[test]
fn misaligned_data_are_refused() {
    refused("data", || Producer { data: Some(2), ..Producer::default() });
    // A complex number on the host needs the alignment of its parts only.
    let complex = Producer { data: Some(4), dtype: (5, 64, 1), ..Producer::default() };
    assert_eq!(accepted(complex).dtype(), DType::Complex64);
    refused("data", || Producer { data: Some(4), dtype: (2, 64, 1), ..Producer::default() });
}

#[test]
fn missing_data_are_refused_unless_there_are_no_elements() {
    refused("data", || Producer { data: None, ..Producer::default() });
    for data in [None, Some(0)] {
        let empty = Producer { data, shape: Some(vec![0, 3]), ..Producer::default() };
        let deleted = empty.counter();
        let array = accepted(empty);
        assert_eq!(array.shape(), [0, 3]);
        assert_eq!(array.view().to_vec::<f32>().unwrap(), [0.0_f32; 0]);
        drop(array);
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn unknown_dtypes_are_refused() {
    for dtype in [(2, 8, 1), (99, 32, 1), (6, 1, 1), (5, 31, 1), (0, 0, 1), (4, 32, 1)] {
        refused("dtype", || Producer { dtype, ..Producer::default() });
    }
}

#[test]
fn every_known_dtype_is_accepted() {
    for dtype in DType::all() {
        let (code, bits) = dtype.dlpack();
        // Elements below a byte only in a byte of their own, which is flag 4.
        let flags = if bits < 8 { 4 } else { 0 };
        let words = vec![0; 16];
        let producer = Producer { dtype: (code, bits, 1), flags, words, ..Producer::default() };
        assert_eq!(accepted(producer).dtype(), dtype);
    }
}

#[test]
fn packed_elements_below_a_byte_are_refused() {
    for (code, bits) in [(15, 6), (16, 6), (17, 4)] {
        refused("dtype.bits", || Producer { dtype: (code, bits, 1), ..Producer::default() });
    }
}

#[test]
fn lanes_are_one_more_axis() {
    refused("dtype.lanes", || Producer { dtype: (2, 32, 0), ..Producer::default() });
    for strides in [None, Some(vec![3, 1])] {
        let producer = Producer { dtype: (2, 32, 2), strides, ..Producer::default() };
        let array = accepted(producer);
        assert_eq!((array.shape(), array.layout().strides()), (&[2, 3, 2][..], &[6, 2, 1][..]));
        assert_eq!(array.view().to_vec::<f32>().unwrap()[10..], [10.0, 11.0]);
    }
    refused("strides", || Producer {
        dtype: (2, 32, 4),
        strides: Some(vec![i64::MAX / 2, 1]),
        ..Producer::default()
    });
}

#[test]
fn more_axes_than_come_in_do_not_go_out() {
    let axes = |ndim: usize, lanes| Producer {
        ndim: ndim as i32,
        shape: Some(vec![1; ndim]),
        strides: None,
        dtype: (2, 32, lanes),
        ..Producer::default()
    };
    assert_eq!(accepted(axes(64, 1)).layout().rank(), 64);
    assert_eq!(accepted(axes(63, 2)).layout().rank(), 64);
    refused("dtype.lanes", || axes(64, 2));
    let array = Array::from_slice(&[1.0_f32], [1; 65]).unwrap();
    let refused = array.into_dlpack::<Versioned>(None).unwrap_err();
    assert!(matches!(refused, Error::Layout { operation: "to_dlpack", .. }), "{refused}");
}

#[test]
fn truth_values_other_than_0_and_1_are_refused() {
    let truth = |byte: u8| {
        let words = vec![u64::from_ne_bytes([1, 0, 1, 0, 1, byte, 7, 7])];
        Producer { dtype: (6, 8, 1), words, ..Producer::default() }
    };
    refused("data", || truth(2));
    // Looked at once, however often it is repeated.
    let endless = |byte| Producer {
        shape: Some(vec![1 << 50, 2]),
        strides: Some(vec![0, 1]),
        data: Some(4),
        ..truth(byte)
    };
    assert_eq!(accepted(endless(0)).layout().len(), 1 << 51);
    refused("data", || endless(2));
    let values = accepted(truth(1)).view().to_vec::<bool>().unwrap();
    assert_eq!(values, [true, false, true, false, true, true]);
}

#[test]
fn devices_nobody_serves_are_refused() {
    for device_type in [0, 5, 8, 10, 18, 4096, u32::MAX] {
        let device = (device_type, 0);
        refused("device.device_type", || Producer { device, ..Producer::default() });
    }
}

#[test]
fn numbers_of_devices_that_do_not_exist_are_refused() {
    for device in [(1, 1), (1, -1), (3, 7), (13, 1), (13, -1)] {
        refused("device.device_id", || Producer { device, ..Producer::default() });
    }
}

#[test]
fn pinned_host_memory_is_host_memory() {
    let array = accepted(Producer { device: (3, 0), ..Producer::default() });
    assert!(array.device().is_cpu());
    assert_eq!(array.view().to_vec::<f32>().unwrap()[4..], [4.0, 5.0]);
}

#[test]
fn a_device_whose_driver_is_missing_is_unavailable() {
    if cfg!(miri) || common::first("cuda").is_some() {
        return;
    }
    // Its own memory, and what it manages for the host too.
    for device_type in [2, 13] {
        let producer = Producer { device: (device_type, 0), ..Producer::default() };
        let deleted = producer.counter();
        let error = SharedArray::from_dlpack(producer.versioned(), None).unwrap_err();
        let unavailable = |error: &_| {
            matches!(error, Error::Device(arrayspan_bridge::devices::Error::Unavailable { .. }))
        };
        assert!(unavailable(&error), "{error}");
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    }
}
