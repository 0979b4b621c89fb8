//! What an import can demand beyond the rules, what a capsule tells before it, and packed elements.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::atomic::Ordering;

use arrayspan_bridge::dlpack::{ImportOptions, Legacy, Packed, UnknownFlags, Versioned};
use arrayspan_bridge::{Array, Crossing, DType, Error, Relayout, SharedArray, Transfer};
use common::producer::Producer;

const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;
const SUBBYTE_PADDED: u64 = 4;

fn aligned(alignment: usize) -> ImportOptions {
    ImportOptions { alignment, ..ImportOptions::default() }
}

#[track_caller]
fn names_field<T: std::fmt::Debug>(result: Result<T, Error>, field: &str) {
    match result {
        Err(Error::Foreign { field: found, .. }) => assert_eq!(found, field),
        other => panic!("expected a refusal of {field}, found {other:?}"),
    }
}

#[test]
fn an_alignment_asked_for_is_that_of_the_first_element() {
    for (past, fits) in [(0, true), (32, false), (8, false), (64, true)] {
        let words = vec![0; 64];
        let start = words.as_ptr().addr();
        let byte_offset = (start.next_multiple_of(64) - start + past) as u64;
        let producer = Producer { byte_offset, words, ..Producer::default() };
        let deleted = producer.counter();
        let result = SharedArray::from_dlpack_with(producer.versioned(), None, &aligned(64));
        if fits {
            assert!(result.is_ok(), "{past} bytes past a multiple of 64: {result:?}");
        } else {
            names_field(result, "data");
            assert_eq!(deleted.load(Ordering::SeqCst), 1);
        }
    }
    for lenient in [0, 1, 4, 8] {
        let producer = Producer { data: Some(8), ..Producer::default() };
        assert!(SharedArray::from_dlpack_with(producer.legacy(), None, &aligned(lenient)).is_ok());
    }
}

#[test]
fn an_alignment_asked_for_holds_for_arrays_to_write_too() {
    let producer = Producer { data: Some(4), ..Producer::default() };
    let (transfer, options) = (Transfer::CopyIfNeeded, aligned(8));
    names_field(Array::from_dlpack_with(producer.legacy(), transfer, None, &options), "data");
}

#[test]
fn in_a_buffer_the_offset_has_the_alignment_asked_for() {
    let Some(device) = common::first("opencl") else { return };
    for (start, fits) in [(0, true), (4, false), (16, true)] {
        let array = Array::from_slice(&[0.0_f32; 32], [32]).unwrap().into_device(device).unwrap().0;
        let part = array.sliced(0, start, 8).unwrap().into_dlpack::<Versioned>(None).unwrap();
        let result = SharedArray::from_dlpack_with(part, None, &aligned(64));
        if fits {
            assert!(result.is_ok(), "from element {start}: {result:?}");
        } else {
            names_field(result, "byte_offset");
        }
    }
}

#[test]
fn unknown_flags_are_refused_or_ignored() {
    let unknown = || Producer { flags: 1 << 40 | READ_ONLY, ..Producer::default() };
    names_field(SharedArray::from_dlpack(unknown().versioned(), None), "flags");
    let options = ImportOptions { unknown_flags: UnknownFlags::Ignore, ..ImportOptions::default() };
    let array = SharedArray::from_dlpack_with(unknown().versioned(), None, &options).unwrap();
    assert!(array.try_into_array().is_err(), "the known flag beside it counts");
}

#[test]
fn a_capsule_says_whether_its_elements_may_be_written_and_whether_they_were_copied() {
    for flags in [0, READ_ONLY, IS_COPIED, READ_ONLY | IS_COPIED] {
        let capsule = Producer { flags, ..Producer::default() }.versioned();
        assert_eq!(capsule.is_read_only(), flags & READ_ONLY != 0);
        assert_eq!(capsule.is_copied(), flags & IS_COPIED != 0);
    }
    let legacy = Producer::default().legacy();
    assert!(!legacy.is_read_only() && !legacy.is_copied());
    let unknown = Producer { major: 2, flags: READ_ONLY, ..Producer::default() }.versioned();
    assert!(!unknown.is_read_only(), "flags of another version mean nothing");
}

#[test]
fn a_copy_we_export_says_so_and_the_original_does_not() {
    let array = Array::from_slice(&[1.0_f32, 2.0], [2]).unwrap();
    let (copy, crossing) = array.view().to_dlpack::<Versioned>(None).unwrap();
    assert!(copy.is_copied() && !copy.is_read_only());
    assert!(matches!(crossing, Crossing::Copied { .. }));
    let original = array.into_dlpack::<Versioned>(None).unwrap();
    assert!(!original.is_copied());
}

/// A packed tensor over the bytes 0, 1, 2, …
fn packed(code: u8, bits: u8, lanes: u16, shape: &[i64]) -> Producer {
    let words =
        (0..4_u8).map(|word| u64::from_ne_bytes(std::array::from_fn(|i| word * 8 + i as u8)));
    Producer {
        dtype: (code, bits, lanes),
        ndim: shape.len() as i32,
        shape: Some(shape.to_vec()),
        strides: None,
        words: words.collect(),
        ..Producer::default()
    }
}

fn import(producer: Producer) -> Result<Packed, Error> {
    Packed::from_dlpack(producer.versioned(), None, &ImportOptions::default())
}

#[test]
fn packed_elements_come_as_the_bytes_they_lie_in() {
    let cases = [
        (17, 4, 1, vec![3, 5], 8),
        (15, 6, 1, vec![5], 4),
        (16, 6, 4, vec![2], 6),
        (0, 4, 1, vec![2, 2], 2),
        (1, 1, 1, vec![17], 3),
        (17, 4, 2, vec![3], 3),
        (1, 2, 1, vec![], 1),
    ];
    for (code, bits, lanes, shape, bytes) in cases {
        let producer = packed(code, bits, lanes, &shape);
        let (address, deleted) = (producer.words.as_ptr().addr(), producer.counter());
        let found = import(producer).unwrap();
        assert_eq!((found.code, found.bits), (code, bits));
        assert_eq!(found.bytes.memory().address(), address, "nothing is copied");
        let values = found.bytes.view().to_vec::<u8>().unwrap();
        assert_eq!(values, (0..bytes).collect::<Vec<u8>>());
        let mut shape: Vec<usize> = shape.iter().map(|&extent| extent as usize).collect();
        shape.extend((lanes > 1).then_some(usize::from(lanes)));
        assert_eq!(found.shape, shape);
        drop(found);
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn packed_elements_may_have_row_major_strides_and_an_offset_and_be_read_only() {
    let producer = Producer {
        strides: Some(vec![4, 1]),
        byte_offset: 3,
        flags: READ_ONLY,
        ..packed(17, 4, 1, &[2, 4])
    };
    let found = import(producer).unwrap();
    assert_eq!(found.bytes.view().to_vec::<u8>().unwrap(), [3, 4, 5, 6]);
    assert!(found.bytes.try_into_array().is_err());
    let found = import(packed(17, 4, 1, &[0, 4])).unwrap();
    assert_eq!((found.bytes.shape(), &found.shape[..]), (&[0][..], &[0, 4][..]));
}

#[test]
fn packed_elements_with_gaps_in_another_order_or_backwards_are_refused() {
    for strides in [[8, 1], [1, 2], [0, 1], [-4, 1], [i64::MAX, 1]] {
        let producer = Producer { strides: Some(strides.to_vec()), ..packed(17, 4, 1, &[2, 4]) };
        let deleted = producer.counter();
        names_field(import(producer), "strides");
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn what_is_not_packed_is_refused_as_packed() {
    names_field(import(Producer::default()), "dtype");
    for (code, bits) in [(0, 3), (2, 4), (6, 1), (17, 6), (99, 4), (15, 0)] {
        names_field(import(packed(code, bits, 1, &[4])), "dtype");
    }
    let padded = Producer { flags: SUBBYTE_PADDED, ..packed(17, 4, 1, &[4]) };
    names_field(import(padded), "flags");
    names_field(import(packed(17, 4, 0, &[4])), "dtype.lanes");
    names_field(import(packed(17, 4, 1, &[1 << 62, 4])), "shape");
    names_field(import(packed(17, 4, 1, &[-4])), "shape");
    names_field(import(Producer { data: None, ..packed(17, 4, 1, &[4]) }), "data");
}

#[test]
fn padded_elements_come_one_to_a_byte_and_packed_ones_only_on_request() {
    let padded = Producer { flags: SUBBYTE_PADDED, ..packed(17, 4, 1, &[4]) };
    let array = SharedArray::from_dlpack(padded.versioned(), None).unwrap();
    assert_eq!((array.dtype(), array.shape()), (DType::Float4E2M1Fn, &[4][..]));
    let refused = SharedArray::from_dlpack(packed(17, 4, 1, &[4]).versioned(), None);
    names_field(refused, "dtype.bits");
    let legacy = packed(17, 4, 1, &[4]).legacy();
    let found = Packed::from_dlpack::<Legacy>(legacy, None, &ImportOptions::default()).unwrap();
    assert_eq!(found.bytes.shape(), [2]);
}
