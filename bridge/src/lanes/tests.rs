use arrayspan_devices::Device;

use super::*;
use crate::{Array, Relayout};

/// 0, 1, 2, … row-major.
fn counted(shape: &[usize]) -> Array {
    let stream = Device::cpu().stream().unwrap();
    let mut array = Array::empty(shape, DType::Int32, &stream).unwrap();
    let mut view = array.view_mut();
    for (i, element) in view.as_mut_slice::<i32>().unwrap().iter_mut().enumerate() {
        *element = i as i32;
    }
    array
}

fn gathered(lane: &Lane<'_, i32>) -> Vec<i32> {
    let mut elements = vec![0; lane.len()];
    lane.gather(0, &mut elements);
    elements
}

#[test]
fn lanes_run_along_any_axis() {
    let array = counted(&[3, 4]);
    let lanes = array.view().lanes::<i32>().unwrap();
    assert_eq!(lanes.lane(&[1, 1], 1, 3).as_slice(), Some(&[5, 6, 7][..]));
    let column = lanes.lane(&[1, 2], 0, 2);
    assert_eq!((column.as_slice(), gathered(&column)), (None, vec![6, 10]));
    let reversed = array.view().reversed(1).unwrap();
    let lane = reversed.lanes::<i32>().unwrap().lane(&[2, 0], 1, 4);
    assert_eq!((lane.as_slice(), gathered(&lane)), (None, vec![11, 10, 9, 8]));
    assert_eq!(lanes.lane(&[1, 4], 1, 0).as_slice(), Some(&[][..]));
}

#[test]
fn a_repeated_element_is_told() {
    let array = counted(&[1]);
    let view = array.view().broadcast(&[2, 5]).unwrap();
    let lane = view.lanes::<i32>().unwrap().lane(&[1, 0], 1, 5);
    assert_eq!((lane.as_repeated(), gathered(&lane)), (Some(0), vec![0; 5]));
}

#[test]
fn parts_are_written_by_several_threads() {
    let mut array = counted(&[4, 6]);
    let mut view = array.view_mut().permuted(&[1, 0]).unwrap();
    let (mut first, mut second) = view.lanes_mut::<i32>().unwrap().split_at(0, 2);
    assert_eq!((first.shape(), second.shape()), (&[2, 4][..], &[4, 4][..]));
    std::thread::scope(|scope| {
        scope.spawn(|| first.lane(&[1, 0], 1, 4).scatter(0, &[-1; 4]));
        scope.spawn(|| second.lane(&[3, 1], 1, 2).scatter(0, &[-2; 2]));
    });
    let expected = [
        [0, -1, 2, 3, 4, 5],
        [6, -1, 8, 9, 10, -2],
        [12, -1, 14, 15, 16, -2],
        [18, -1, 20, 21, 22, 23],
    ];
    assert_eq!(array.view().as_slice::<i32>().unwrap(), expected.as_flattened());
}

#[test]
fn lanes_copy_between_any_strides() {
    let source = counted(&[3, 4]);
    let lanes = source.view().lanes::<i32>().unwrap();
    let repeated = source.view().sliced(1, 0, 1).unwrap().broadcast(&[3, 3]).unwrap();
    let repeated = repeated.lanes::<i32>().unwrap().lane(&[2, 0], 1, 3);
    let mut target = counted(&[3, 3]);
    let mut view = target.view_mut();
    let mut to = view.lanes_mut::<i32>().unwrap();
    to.lane(&[0, 0], 1, 3).copy_from(&lanes.lane(&[0, 3], 0, 3));
    to.lane(&[1, 1], 0, 2).copy_from(&lanes.lane(&[1, 1], 0, 2));
    to.lane(&[1, 0], 0, 2).copy_from(&lanes.lane(&[2, 2], 1, 2));
    assert_eq!(target.view().as_slice::<i32>().unwrap(), [3, 7, 11, 10, 5, 5, 11, 9, 8]);
    let mut view = target.view_mut();
    let mut to = view.lanes_mut::<i32>().unwrap();
    to.lane(&[0, 1], 0, 3).copy_from(&repeated);
    to.lane(&[0, 0], 1, 3).copy_from(&repeated);
    assert_eq!(target.view().as_slice::<i32>().unwrap(), [8, 8, 8, 10, 8, 5, 11, 8, 8]);
}

#[test]
fn bytes_are_those_of_the_elements() {
    let array = counted(&[2, 2]);
    let lanes = array.view().byte_lanes::<4>().unwrap();
    let bytes = lanes.lane(&[1, 0], 1, 2).as_slice().map(<[_]>::to_vec);
    assert_eq!(bytes, Some(vec![2_i32.to_ne_bytes(), 3_i32.to_ne_bytes()]));
    assert!(matches!(array.view().byte_lanes::<8>(), Err(Error::Inexpressible { .. })));
    let stream = Device::cpu().stream().unwrap();
    let mut flags = Array::empty([2], DType::Bool, &stream).unwrap();
    assert!(matches!(flags.view_mut().byte_lanes_mut::<1>(), Err(Error::Inexpressible { .. })));
}

#[test]
fn other_types_and_places_outside_are_refused() {
    let array = counted(&[3, 4]);
    assert!(matches!(array.view().lanes::<f32>(), Err(Error::DType { .. })));
    let view = array.view();
    let lanes = view.lanes::<i32>().unwrap();
    for (index, axis, len) in [([0, 0], 1, 5), ([0, 2], 1, 3), ([3, 0], 1, 1), ([0, 4], 0, 1)] {
        let outside = std::panic::catch_unwind(|| lanes.lane(&index, axis, len).len());
        assert!(outside.is_err(), "{index:?} + {len} along {axis}");
    }
    let lane = lanes.lane(&[0, 0], 1, 4);
    assert!(std::panic::catch_unwind(|| lane.gather(2, &mut [0; 3])).is_err());
    // One place before the lane, if places were counted round.
    let column = lanes.lane(&[0, 1], 0, 3);
    for lane in [lane, column] {
        assert!(std::panic::catch_unwind(|| lane.gather(usize::MAX, &mut [0; 1])).is_err());
    }
    let mut array = counted(&[3, 4]);
    let mut view = array.view_mut();
    let mut lanes = view.lanes_mut::<i32>().unwrap();
    let scatter = || lanes.lane(&[0, 1], 0, 3).scatter(usize::MAX, &[0]);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(scatter)).is_err());
}
