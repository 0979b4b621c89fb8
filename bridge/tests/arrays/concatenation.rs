//! Arrays one after the other.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType, Error, Relayout, View, concatenate};
use ndarray::{ArrayD, Axis, IxDyn};
use proptest::prelude::*;

use super::common::config;
use super::devices;

fn numbers(shape: &[usize], from: i32) -> ArrayD<i32> {
    let len = shape.iter().product::<usize>() as i32;
    ArrayD::from_shape_vec(IxDyn(shape), (from..from + len).collect()).unwrap()
}

#[test]
fn parts_of_any_extent_lie_one_after_the_other_along_every_axis_on_every_device() {
    for device in devices() {
        for axis in 0..3 {
            let parts: Vec<ArrayD<i32>> = [2, 0, 1, 7, 3]
                .iter()
                .enumerate()
                .map(|(n, &extent)| {
                    let mut shape = [3, 5, 2];
                    shape[axis] = extent;
                    numbers(&shape, 1000 * n as i32)
                })
                .collect();
            let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
            let expected = ndarray::concatenate(Axis(axis), &views).unwrap();
            let parts: Vec<Array> = parts
                .into_iter()
                .map(|part| Array::from(part).into_device(device).unwrap().0)
                .collect();
            let whole = concatenate(&parts, axis).unwrap();
            assert_eq!((whole.device(), whole.shape()), (device, expected.shape()));
            assert_eq!(whole.view().to_ndarray::<i32>().unwrap(), expected);
        }
    }
}

#[test]
fn views_of_any_layout_are_parts() {
    for device in devices() {
        let array = Array::from(numbers(&[4, 6], 0)).into_device(device).unwrap().0;
        let turned = array.view().permuted(&[1, 0]).unwrap();
        let every_other = array.view().reversed(0).unwrap().stepped(1, 2).unwrap();
        let rows = every_other.broadcast(&[4, 3]).unwrap().permuted(&[1, 0]).unwrap();
        let whole = concatenate(&[turned, rows], 0).unwrap();
        let values = numbers(&[4, 6], 0);
        let reversed = values.slice(ndarray::s![..;-1, ..;2]).reversed_axes().into_dyn();
        let expected = ndarray::concatenate(Axis(0), &[values.t().into_dyn(), reversed]).unwrap();
        assert_eq!(whole.view().to_ndarray::<i32>().unwrap(), expected);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_cut_and_joined_again_is_what_it_was(
        shape in proptest::collection::vec(1..6_usize, 1..4), axis in 0..3_usize, cut in 0..6_usize,
    ) {
        let axis = axis % shape.len();
        let cut = cut % (shape[axis] + 1);
        let values = numbers(&shape, 0);
        let array = Array::from(values.clone());
        let rest = shape[axis] - cut;
        let parts = [
            array.view().sliced(axis, 0, cut).unwrap(),
            array.view().sliced(axis, cut, rest).unwrap(),
        ];
        let whole = concatenate(&parts, axis).unwrap();
        prop_assert_eq!(whole.view().to_ndarray::<i32>().unwrap(), values);
    }
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let first = Array::from(numbers(&[2, 3], 0));
    let number = |parts: &[&Array], axis| match concatenate(parts, axis).unwrap_err() {
        Error::Slice { index, error } => (index, error.to_string()),
        other => panic!("{other}"),
    };
    let taller = Array::from(numbers(&[3, 3], 0));
    let expected = "concatenate: shape is [3, 3] (9 elements), expected [2, 3] (6 elements)";
    assert_eq!(number(&[&first, &first, &taller], 1), (2, expected.to_owned()));
    let flat = Array::from(numbers(&[6], 0));
    assert_eq!(number(&[&first, &flat], 0).0, 1);
    let floats = Array::zeros([2, 3], DType::Float32, Device::cpu()).unwrap();
    let expected = "concatenate: dtype is Float32, expected Int32";
    assert_eq!(number(&[&first, &floats], 0), (1, expected.to_owned()));
    for device in super::common::accelerators() {
        let there = first.view().to(device).unwrap().0;
        let expected = format!("concatenate: array is on {device}, expected cpu");
        assert_eq!(number(&[&first, &there], 0), (1, expected));
    }
    let error = concatenate(&[&first], 2).unwrap_err();
    assert!(matches!(error, Error::Axis { operation: "concatenate", axis: 2, rank: 2 }));
    let error = concatenate(&[&first], -3).unwrap_err().to_string();
    assert_eq!(error, "concatenate: axis -3 does not exist in an array of rank 2");
    let [last, same] = [-1, 1].map(|axis| concatenate(&[&first, &first], axis).unwrap());
    assert_eq!(last.shape(), same.shape());
    assert_eq!(
        last.bytes().unwrap().to_vec::<u8>().unwrap(),
        same.bytes().unwrap().to_vec::<u8>().unwrap()
    );
    let none: [View<'_>; 0] = [];
    assert!(matches!(concatenate(&none, 0), Err(Error::Inexpressible { .. })));
    let huge = Array::zeros([usize::MAX, 0], DType::UInt8, Device::cpu());
    if let Ok(huge) = huge {
        assert!(matches!(
            concatenate(&[&huge, &huge], 0),
            Err(Error::Slice { .. } | Error::Layout { .. })
        ));
    }
}
