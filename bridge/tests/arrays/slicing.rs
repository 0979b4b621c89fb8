//! Ranges and indices along several axes at once.

use arrayspan_bridge::{Array, Error};
use ndarray::s;

use super::common::counting;
use super::devices;

#[test]
fn ranges_and_indices_take_what_ndarray_takes() {
    let values = counting(&[5, 7, 4]);
    for device in devices() {
        let (array, _) = Array::from(values.clone()).into_device(device).unwrap();
        macro_rules! same {
            ($($ours:expr => $theirs:expr;)*) => {$(
                let found = array.view().slice($ours).unwrap().to_ndarray::<i32>().unwrap();
                assert_eq!(found, values.slice($theirs).into_dyn());
            )*};
        }
        same! {
            2 => s![2, .., ..];
            1..3 => s![1..3, .., ..];
            .. => s![.., .., ..];
            (1..3,) => s![1..3, .., ..];
            (.., 6) => s![.., 6, ..];
            (0, 1..1) => s![0, 1..1, ..];
            (4, 2.., ..3) => s![4, 2.., ..3];
            (..=1, 3..=5, 0) => s![..=1, 3..=5, 0];
            (4, 6, 3) => s![4, 6, 3];
            (5.., ..0) => s![5.., ..0, ..];
        }
    }
}

#[test]
fn arrays_and_views_to_write_are_sliced_too() {
    let mut array = Array::from(counting(&[3, 4]));
    array.view_mut().slice_mut((1, 2..)).unwrap().as_mut_slice::<i32>().unwrap().fill(9);
    array.slice_mut((2, 0)).unwrap().as_mut_slice::<i32>().unwrap().fill(7);
    assert_eq!(array.slice((1.., ..2)).unwrap().to_vec::<i32>().unwrap(), [4, 5, 7, 9]);
    assert_eq!(array.view_mut().slice((.., 3)).unwrap().to_vec::<i32>().unwrap(), [3, 9, 11]);
    let shared = array.into_shared();
    let row = shared.slice(1).unwrap();
    assert_eq!(row.to_vec::<i32>().unwrap(), [4, 5, 9, 9]);
    // It shares the memory, which thus cannot be written.
    let shared = shared.try_into_array().unwrap_err();
    drop(row);
    assert!(shared.try_into_array().is_ok());
}

#[test]
fn what_lies_outside_is_refused() {
    let array = Array::from(counting(&[3, 4]));
    let view = || array.view();
    assert!(matches!(view().slice((.., .., 0)), Err(Error::Axis { axis: 2, rank: 2, .. })));
    assert!(matches!(view().slice((0, 0, ..)), Err(Error::Axis { .. })));
    for refused in [
        view().slice(3).map(|_| ()),
        view().slice(1..4).map(|_| ()),
        view().slice((.., 5..)).map(|_| ()),
        view().slice((.., ..=4)).map(|_| ()),
        view().slice((.., 0..=usize::MAX)).map(|_| ()),
    ] {
        assert!(matches!(refused, Err(Error::Layout { .. } | Error::Axis { .. })), "{refused:?}");
    }
    let (start, end) = (2, 1);
    let error = view().slice((start..end,)).unwrap_err();
    let why = "slice: shape [3, 4] with strides [4, 1]: the range 2..1 along axis 0 ends before it begins";
    assert_eq!(error.to_string(), why);
}
