//! Copies between any two layouts and devices: each element arrives where it belongs, and no other place changes.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Error, Relayout, View, ViewMut};
use common::{Change, accelerators, apply, changes, config, counting, places, shapes};
use proptest::prelude::*;

fn every_device() -> Vec<Device> {
    accelerators().into_iter().chain([Device::cpu()]).collect()
}

/// `len` bytes that differ from their neighbours, on that device.
fn bytes(len: usize, start: usize, device: Device) -> Array {
    let values: Vec<u8> = (start..start + len).map(|i| (i % 251) as u8).collect();
    Array::from_vec(values, [len]).unwrap().into_device(device).unwrap().0
}

/// The front of a block of bytes as an array of any dtype.
fn array<'a>(block: &'a mut Array, shape: &[usize], dtype: DType) -> ViewMut<'a> {
    block.view_mut().carve(shape, dtype).unwrap().0
}

/// Copies between two layouts of one shape and compares whole blocks with a copy made element by element.
#[track_caller]
fn check(
    [from, to]: [Device; 2],
    dtype: DType,
    shapes: [&[usize]; 2],
    source: impl for<'v> Fn(View<'v>) -> View<'v>,
    target: impl for<'v> Fn(ViewMut<'v>) -> ViewMut<'v>,
) {
    let size = dtype.bytes();
    let room = shapes.map(|shape| (shape.iter().product::<usize>() * size).next_multiple_of(256));
    let (mut x, mut y) = (bytes(room[0], 0, from), bytes(room[1], 100, to));
    let (sent, mut expected) = (x.view().to_vec::<u8>().unwrap(), y.view().to_vec::<u8>().unwrap());
    let stream = if to.is_cpu() { from.stream().unwrap() } else { to.stream().unwrap() };
    let x = array(&mut x, shapes[0], dtype);
    let x = source(x.view());
    {
        let mut y = target(array(&mut y, shapes[1], dtype));
        for (from, to) in places(x.layout()).into_iter().zip(places(y.layout())) {
            expected[to * size..][..size].copy_from_slice(&sent[from * size..][..size]);
        }
        y.copy_from(&x, &stream).unwrap();
    }
    assert!(y.view().to_vec::<u8>().unwrap() == expected, "{dtype} {shapes:?} {from} to {to}");
}

#[test]
fn every_dtype_moves_between_any_two_devices() {
    for from in every_device() {
        for to in every_device() {
            for dtype in DType::all() {
                check(
                    [from, to],
                    dtype,
                    [&[5, 3, 7], &[7, 3, 5]],
                    |x| x.reversed(1).unwrap(),
                    |y| y.permuted(&[2, 1, 0]).unwrap(),
                );
            }
        }
    }
}

fn as_is(y: ViewMut<'_>) -> ViewMut<'_> {
    y
}

fn turned(x: View<'_>) -> View<'_> {
    x.permuted(&[1, 0]).unwrap()
}

fn rotated(x: View<'_>) -> View<'_> {
    x.permuted(&[2, 0, 1]).unwrap().reversed(0).unwrap()
}

#[test]
fn large_arrays_are_turned_in_tiles() {
    let dtypes = [DType::UInt8, DType::Float16, DType::Float32, DType::Int64, DType::Complex128];
    for device in every_device() {
        for dtype in dtypes {
            check([device; 2], dtype, [&[301, 277], &[277, 301]], turned, as_is);
            check([device; 2], dtype, [&[41, 47, 43], &[43, 41, 47]], rotated, as_is);
            check([device; 2], dtype, [&[8, 1000], &[1000, 8]], turned, as_is);
        }
    }
}

#[test]
fn parts_of_every_size_are_turned_wherever_they_begin() {
    let dtypes = [DType::UInt8, DType::Float16, DType::Float32, DType::Int64, DType::Complex128];
    let sizes = [[8, 8], [9, 31], [63, 65], [64, 64], [70, 129], [129, 70], [135, 260]];
    for (device, dtype) in every_device().into_iter().flat_map(|to| dtypes.map(|dtype| (to, dtype)))
    {
        for ([rows, columns], at) in
            sizes.into_iter().flat_map(|size| [0, 1, 3].map(|at| (size, at)))
        {
            check(
                [device; 2],
                dtype,
                [&[rows + 1, columns + 3], &[columns + 2, rows + 6]],
                |x| turned(x.sliced(1, at, columns).unwrap().sliced(0, 1, rows).unwrap()),
                |y| y.sliced(1, 5 - at, rows).unwrap().sliced(0, 2, columns).unwrap(),
            );
        }
    }
}

#[test]
fn rows_repeat() {
    for device in every_device() {
        let stream = device.stream().unwrap();
        let row = bytes(70, 3, device);
        let mut whole = bytes(50 * 70, 0, device).reshaped(&[50, 70]).unwrap();
        let rows = row.view().broadcast(&[50, 70]).unwrap();
        whole.view_mut().copy_from(&rows, &stream).unwrap();
        let expected: Vec<u8> = (0..50).flat_map(|_| 3..73).collect();
        assert_eq!(whole.view().to_vec::<u8>().unwrap(), expected, "{device}");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_moves() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    let x = bytes(6, 0, device).reshaped(&[2, 3]).unwrap();
    let mut y = bytes(6, 9, device).reshaped(&[3, 2]).unwrap();
    let refused = y.view_mut().copy_from(&x.view(), &stream);
    assert!(matches!(refused, Err(Error::Shape { operation: "copy_from", .. })));
    let mut wide = Array::from_slice(&[0_u16; 6], [2, 3]).unwrap();
    let refused = wide.view_mut().copy_from(&x.view(), &stream);
    assert!(matches!(refused, Err(Error::DType { operation: "copy_from", .. })));
    assert_eq!(y.view().to_vec::<u8>().unwrap(), [9, 10, 11, 12, 13, 14]);
    for other in accelerators() {
        let refused = y.view_mut().copy_from(&y_like(device).view(), &other.stream().unwrap());
        assert!(matches!(refused, Err(Error::WrongDevice { .. })), "{other} is neither's device");
    }
}

fn y_like(device: Device) -> Array {
    bytes(6, 0, device).reshaped(&[3, 2]).unwrap()
}

/// A layout made by any changes, into a block with gaps whose axes are turned and reversed.
fn arrives(
    device: Device,
    shape: &[usize],
    changes: &[Change],
    reversed: usize,
) -> Result<(), TestCaseError> {
    let mut theirs = counting(shape);
    let source = Array::from(theirs.clone()).into_device(device).unwrap().0;
    let mut x = source.view();
    for change in changes {
        let shape = x.shape().to_vec();
        if let Some(Ok(next)) = apply(change, &x, &shape, &theirs) {
            (x, theirs) = next;
        }
    }
    let rank = x.shape().len();
    let room: Vec<usize> = x.shape().iter().rev().map(|extent| 2 * extent + 1).collect();
    let len = room.iter().product();
    let mut block =
        Array::from_vec(vec![-1_i32; len], room).unwrap().into_device(device).unwrap().0;
    let axes: Vec<usize> = (0..rank).rev().collect();
    let mut y = block.view_mut().permuted(&axes).unwrap();
    for (axis, &extent) in x.shape().iter().enumerate() {
        y = y.sliced(axis, 1, 2 * extent).unwrap().stepped(axis, 2).unwrap();
        if reversed >> axis & 1 == 1 {
            y = y.reversed(axis).unwrap();
        }
    }
    y.copy_from(&x, &device.stream().unwrap()).unwrap();
    let mut expected = vec![-1; len];
    for (place, value) in places(y.layout()).into_iter().zip(theirs.iter()) {
        expected[place] = *value;
    }
    prop_assert_eq!(block.view().to_vec::<i32>().unwrap(), expected);
    Ok(())
}

#[test]
fn any_layout_goes_into_any_other() {
    for device in every_device() {
        let config = ProptestConfig { cases: if device.is_cpu() { 256 } else { 48 }, ..config() };
        proptest::test_runner::TestRunner::new(config)
            .run(&(shapes(), changes(), any::<usize>()), |(shape, changes, reversed)| {
                arrives(device, &shape, &changes, reversed)
            })
            .unwrap();
    }
}
