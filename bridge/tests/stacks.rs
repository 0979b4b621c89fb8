//! Several arrays as one and back, on every device and between them.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{
    Array, Conversion, Crossing, DType, Element, Error, Relayout, Transfer, View, Why,
    apply_slices, stack,
};
use common::{accelerators, counting, shapes};
use ndarray::{ArrayD, Axis};
use num_complex::Complex;
use proptest::prelude::*;

fn every_device() -> Vec<Device> {
    accelerators().into_iter().chain([Device::cpu()]).collect()
}

fn on(device: Device, values: &ArrayD<i32>) -> Array {
    Array::from(values.clone()).into_device(device).unwrap().0
}

#[test]
fn slices_from_several_devices_become_one_array() {
    let devices = every_device();
    let values: Vec<ArrayD<i32>> = (0..4).map(|i| counting(&[3, 5]) + 100 * i).collect();
    let views: Vec<_> = values.iter().map(|values| values.view()).collect();
    for &target in &devices {
        let arrays: Vec<Array> =
            values.iter().zip(devices.iter().cycle()).map(|(v, d)| on(*d, v)).collect();
        let slices: Vec<_> = arrays.iter().map(Array::view).collect();
        for axis in 0..3 {
            for stream in [target.stream().unwrap()] {
                let (whole, crossings) = stack(&slices, axis, target, &stream).unwrap();
                let expected = ndarray::stack(Axis(axis), &views).unwrap();
                assert_eq!(whole.view().to_ndarray::<i32>().unwrap(), expected, "{target} {axis}");
                for (crossing, slice) in crossings.iter().zip(&slices) {
                    let same = slice.device() == target;
                    let why = if same { Why::Borrowed } else { Why::OtherDevice };
                    assert_eq!(*crossing, Crossing::Copied { why, bytes: 60 });
                }
            }
        }
    }
}

#[test]
fn strided_slices_are_stacked_as_they_are_seen() {
    for device in every_device() {
        let array = on(device, &counting(&[4, 6]));
        let turned = array.view().permuted(&[1, 0]).unwrap();
        let flipped = turned.clone().reversed(0).unwrap();
        let stream = device.stream().unwrap();
        let (whole, _) = stack(&[turned, flipped], 1, device, &stream).unwrap();
        let values = counting(&[4, 6]).reversed_axes();
        let mut back = values.clone();
        back.invert_axis(Axis(0));
        let expected = ndarray::stack(Axis(1), &[values.view(), back.view()]).unwrap();
        assert_eq!(whole.view().to_ndarray::<i32>().unwrap(), expected, "{device}");
    }
}

#[test]
fn axes_below_zero_count_from_the_last() {
    let cpu = Device::cpu();
    let stream = cpu.stream().unwrap();
    let values = counting(&[3, 5]);
    let mut array = on(cpu, &values);
    for axis in [-3, -2, -1] {
        let (whole, _) = stack(&[array.view(), array.view()], axis, cpu, &stream).unwrap();
        let at = Axis((axis + 3) as usize);
        let expected = ndarray::stack(at, &[values.view(), values.view()]).unwrap();
        assert_eq!(whole.view().to_ndarray::<i32>().unwrap(), expected);
    }
    let refused = stack(&[array.view()], -4, cpu, &stream);
    assert!(matches!(refused, Err(Error::Axis { axis: -4, rank: 3, .. })));
    assert_eq!(array.view().unstack(-1).unwrap().len(), 5);
    assert_eq!(array.view_mut().unstack(-2).unwrap().len(), 3);
    let (left, right) = array.view_mut().split_at(-1, 2).unwrap();
    assert_eq!((left.shape(), right.shape()), (&[3, 2][..], &[3, 3][..]));
    let same = apply_slices(&array, -1, |slice| slice.to_array()).unwrap();
    assert_eq!(same.view().to_ndarray::<i32>().unwrap(), values);
}

#[test]
fn a_slice_that_differs_is_named() {
    let cpu = Device::cpu();
    let stream = cpu.stream().unwrap();
    let a = Array::from_slice(&[1_i32, 2], [2]).unwrap();
    let longer = Array::from_slice(&[1_i32, 2, 3], [3]).unwrap();
    let other = Array::from_slice(&[1.0_f32, 2.0], [2]).unwrap();
    let refused = stack(&[a.view(), a.view(), longer.view()], 0, cpu, &stream).unwrap_err();
    let Error::Slice { index: 2, error } = refused else { panic!("{refused}") };
    assert!(matches!(*error, Error::Shape { .. }));
    let refused = stack(&[a.view(), other.view()], 0, cpu, &stream).unwrap_err();
    let Error::Slice { index: 1, error } = refused else { panic!("{refused}") };
    assert!(matches!(*error, Error::DType { found: DType::Float32, .. }));
    let refused = stack(&[a.view()], 2, cpu, &stream);
    assert!(matches!(refused, Err(Error::Axis { axis: 2, rank: 2, .. })));
    assert!(matches!(stack(&[] as &[Array], 0, cpu, &stream), Err(Error::Inexpressible { .. })));
}

#[test]
fn unstacked_arrays_share_their_memory() {
    for device in every_device() {
        let array = on(device, &counting(&[2, 3, 4]));
        let address = array.memory().address();
        let slices = array.unstack(1).unwrap();
        assert_eq!(slices.len(), 3);
        for (i, slice) in slices.iter().enumerate() {
            assert_eq!(slice.memory().address(), address);
            let expected = counting(&[2, 3, 4]).index_axis(Axis(1), i).to_owned();
            assert_eq!(slice.view().to_ndarray::<i32>().unwrap(), expected);
        }
        assert!(matches!(slices[0].clone().unstack(2), Err(Error::Axis { axis: 2, .. })));
    }
}

#[test]
fn slices_to_write_do_not_meet() {
    let mut array = Array::from(counting(&[2, 3]));
    let slices = array.view_mut().unstack(1).unwrap();
    for (i, mut slice) in slices.into_iter().enumerate() {
        let values = Array::from_slice(&[10 * i as i32, 10 * i as i32 + 1], [2]).unwrap();
        slice.copy_from(&values.view(), &Device::cpu().stream().unwrap()).unwrap();
    }
    assert_eq!(array.view().as_slice::<i32>().unwrap(), [0, 10, 20, 1, 11, 21]);
}

#[test]
fn functions_are_applied_slice_by_slice() {
    for device in every_device() {
        let array = on(device, &counting(&[2, 3, 4]));
        let stream = device.stream().unwrap();
        let result = apply_slices::<Error>(&array.view(), 1, |slice| {
            slice.sliced(1, 1, 2)?.convert(DType::Float32, &Conversion::EXACT, &stream)
        })
        .unwrap();
        let expected = counting(&[2, 3, 4]).slice_axis(Axis(2), (1..3).into()).mapv(|x| x as f32);
        assert_eq!(result.view().to_ndarray::<f32>().unwrap(), expected.into_dyn(), "{device}");
        let mut shapes = [2, 2, 1].into_iter();
        let refused = apply_slices::<Error>(&array.view(), 1, |slice| {
            slice.sliced(1, 0, shapes.next().unwrap())?.to_array()
        });
        assert!(matches!(refused, Err(Error::Slice { index: 2, .. })));
    }
}

#[test]
fn stacking_what_was_unstacked_gives_it_back() {
    for device in every_device() {
        let cases = if device.is_cpu() { 128 } else { 16 };
        let config = ProptestConfig { cases, ..common::config() };
        proptest::test_runner::TestRunner::new(config)
            .run(&(shapes(), 0..4_usize), |(shape, axis)| {
                let array = on(device, &counting(&shape));
                let axis = axis % (shape.len() + 1);
                let Ok(slices) = array.view().unstack(axis) else { return Ok(()) };
                if slices.is_empty() {
                    return Ok(());
                }
                let (whole, _) = stack(&slices, axis, device, &device.stream().unwrap()).unwrap();
                prop_assert_eq!(whole.view().to_ndarray::<i32>().unwrap(), counting(&shape));
                Ok(())
            })
            .unwrap();
    }
}

/// `count` slices of different values.
fn many<T: Element>(count: usize, value: impl Fn(usize) -> T) -> Vec<Array> {
    let slice = |s: usize| (0..5 * 7).map(|i| value(s * 35 + i)).collect::<Vec<T>>();
    (0..count).map(|s| Array::from_vec(slice(s), [5, 7]).unwrap()).collect()
}

/// Stacks on a device what the host has stacked, along every axis.
fn agrees<T: Element + PartialEq>(device: Device, slices: &[Array]) {
    let cpu = Device::cpu();
    let there: Vec<Array> = slices.iter().map(|slice| slice.view().to(device).unwrap().0).collect();
    for axis in 0..3 {
        let stacked = |slices: &[Array], on: Device| {
            // In part and turned, so that slices have gaps.
            let whole: Vec<View<'_>> = slices.iter().map(Array::view).collect();
            let parts = whole.iter().map(|view| view.clone().permuted(&[1, 0]).unwrap());
            let parts: Vec<View<'_>> = parts.map(|view| view.sliced(0, 1, 5).unwrap()).collect();
            [whole, parts].map(|views| {
                let (whole, _) = stack(&views, axis, on, &on.stream().unwrap()).unwrap();
                whole.view().to_vec::<T>().unwrap()
            })
        };
        assert!(stacked(&there, device) == stacked(slices, cpu), "{device}, axis {axis}");
    }
}

#[test]
fn more_slices_than_a_launch_takes_are_stacked_along_every_axis() {
    for device in every_device() {
        for count in [1, 2, 3, 16, 17, 40] {
            agrees::<u8>(device, &many(count, |i| i as u8));
            agrees::<f32>(device, &many(count, |i| i as f32));
        }
        agrees::<i16>(device, &many(12, |i| i as i16));
        agrees::<f64>(device, &many(12, |i| i as f64));
        agrees::<Complex<f64>>(device, &many(12, |i| Complex::new(i as f64, 0.5)));
    }
}

#[test]
fn a_stream_of_a_third_device_is_blamed_by_name() {
    let cpu = Device::cpu();
    let values = counting(&[2, 3]);
    for other in accelerators() {
        let array = on(cpu, &values);
        let stream = other.stream().unwrap();
        let message = format!("stream is on {other}, expected cpu");
        let stacked = stack(&[array.view()], 0, cpu, &stream).unwrap_err();
        assert_eq!(stacked.to_string(), format!("stack: {message}"));
        let moved = array.view().to_with(cpu, Transfer::CopyIfNeeded, &stream).unwrap_err();
        assert_eq!(moved.to_string(), format!("to: {message}"));
        let mut target = on(cpu, &values);
        let copied = target.view_mut().copy_from(&array.view(), &stream).unwrap_err();
        assert_eq!(copied.to_string(), format!("copy_from: {message}"));
        // An array there, a stream of neither.
        let there = on(other, &values);
        for third in accelerators().into_iter().filter(|third| *third != other) {
            let stream = third.stream().unwrap();
            let refused = stack(&[there.view()], 0, cpu, &stream).unwrap_err();
            assert_eq!(refused.to_string(), format!("stack: stream is on {third}, expected cpu"));
        }
    }
}
