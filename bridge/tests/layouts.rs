//! Layouts against the slow, obvious way and against ndarray.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::{Array, Error, Layout, Relayout};
use common::{apply, changes, config, counting, places, shapes};
use proptest::prelude::*;

/// Any strides, overlapping ones included, that stay within a small block.
fn layouts() -> impl Strategy<Value = Layout> {
    proptest::collection::vec((0..5_usize, -6..7_isize), 0..4).prop_map(|axes| {
        let (shape, strides): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
        Layout::strided(shape, strides, 100).unwrap()
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn rearranged_views_hold_what_ndarray_holds(shape in shapes(), changes in changes()) {
        let mut theirs = counting(&shape);
        let array = Array::from(theirs.clone());
        let mut ours = array.view();
        for change in changes {
            let shape = ours.shape().to_vec();
            match apply(&change, &ours, &shape, &theirs) {
                Some(Ok(next)) => (ours, theirs) = next,
                // Only a change of shape may be refused, where elements would have to move.
                Some(Err(error)) => {
                    let refused = matches!(error, Error::Layout { operation: "reshape", .. });
                    prop_assert!(refused, "{}", error);
                }
                None => {}
            }
            prop_assert_eq!(ours.shape(), theirs.shape());
            let overlaps = ours.layout().may_overlap_itself();
            prop_assert!(!overlaps);
        }
        let elements: Vec<i32> = theirs.iter().copied().collect();
        prop_assert_eq!(ours.to_vec::<i32>().unwrap(), elements);
        prop_assert_eq!(ours.as_ndarray::<i32>().unwrap(), theirs.view());
        prop_assert_eq!(ours.to_ndarray::<i32>().unwrap(), theirs);
    }

    #[test]
    fn broadcast_views_hold_what_ndarray_holds(
        shape in shapes(),
        ones in proptest::collection::vec(any::<bool>(), 4),
        extra in proptest::collection::vec(1..4_usize, 0..2),
    ) {
        let small: Vec<_> = shape.iter().zip(&ones).map(|(&n, &one)| if one { 1 } else { n }).collect();
        let large: Vec<_> = extra.into_iter().chain(shape).collect();
        let theirs = counting(&small);
        let array = Array::from(theirs.clone());
        let ours = array.view().broadcast(&large).unwrap();
        prop_assert_eq!(ours.as_ndarray::<i32>().unwrap(), theirs.broadcast(large).unwrap());
    }

    #[test]
    fn merging_axes_keeps_every_place_in_order(layout in layouts()) {
        let merged = layout.merged();
        prop_assert_eq!(places(&merged), places(&layout));
        prop_assert!(merged.rank() <= layout.rank());
    }

    #[test]
    fn reshaping_keeps_every_place_in_order(layout in layouts(), shape in shapes()) {
        if let Ok(reshaped) = layout.reshaped(shape) {
            prop_assert_eq!(places(&reshaped), places(&layout));
        }
        // What has no gaps takes every shape of as many elements.
        let flat = layout.reshaped([layout.len()]);
        prop_assert_eq!(flat.is_ok(), layout.merged().rank() <= 1);
    }

    #[test]
    fn the_extent_is_the_lowest_and_the_highest_place(layout in layouts()) {
        let places = places(&layout);
        let ends = places.iter().min().copied().zip(places.iter().max().copied());
        prop_assert_eq!(layout.extent(), ends);
    }

    #[test]
    fn no_overlap_goes_unnoticed(layout in layouts()) {
        let mut places = places(&layout);
        places.sort_unstable();
        let overlaps = places.windows(2).any(|two| two[0] == two[1]);
        prop_assert!(layout.may_overlap_itself() || !overlaps);
    }

    #[test]
    fn contiguous_means_one_place_after_the_other(layout in layouts()) {
        let places = places(&layout);
        let follows = places.windows(2).all(|two| two[1] == two[0] + 1);
        prop_assert_eq!(layout.is_contiguous(), follows);
    }
}

#[test]
fn an_axis_of_one_index_may_have_the_longest_stride_there_is() {
    let layout = Layout::strided([1, 3], [isize::MIN, 1], 0).unwrap();
    assert_eq!(places(&layout.reversed(0).unwrap()), [0, 1, 2]);
    assert_eq!(layout.merged().shape(), [3]);
    assert_eq!(layout.reshaped([3]).unwrap().strides(), [1]);
}

#[test]
fn strides_of_empty_arrays_do_not_count() {
    let layout = Layout::strided([0, 3], [isize::MAX, isize::MAX], 5).unwrap();
    assert!(layout.is_contiguous() && !layout.may_overlap_itself());
    assert_eq!(layout.merged().len(), 0);
    assert_eq!(layout.reshaped([7, 0]).unwrap().len(), 0);
}

#[test]
fn places_before_the_block_or_beyond_all_addresses_are_refused() {
    for (shape, strides, offset) in [
        (vec![3], vec![-1], 1),
        (vec![3], vec![isize::MAX], 0),
        (vec![1 << 40, 1 << 40], vec![0, 0], 0),
        (vec![1 << 40, 1 << 40, 0], vec![0, 0, 0], 0),
        (vec![2], vec![1, 1], 0),
        (vec![2, 2], vec![isize::MAX / 2, isize::MAX / 2], 2),
    ] {
        let refused = Layout::strided(shape.clone(), strides.clone(), offset);
        assert!(matches!(refused, Err(Error::Layout { .. })), "{shape:?} {strides:?} {offset}");
    }
}

#[test]
fn axes_below_zero_count_from_the_last() {
    let layout = Layout::contiguous([2, 3, 5]).unwrap();
    for (from_last, from_first) in [(-1, 2_usize), (-2, 1), (-3, 0)] {
        assert_eq!(
            layout.sliced(from_last, 1, 1).unwrap(),
            layout.sliced(from_first, 1, 1).unwrap()
        );
        assert_eq!(layout.selected(from_last, 1).unwrap(), layout.selected(from_first, 1).unwrap());
        assert_eq!(layout.stepped(from_last, 2).unwrap(), layout.stepped(from_first, 2).unwrap());
        assert_eq!(layout.reversed(from_last).unwrap(), layout.reversed(from_first).unwrap());
    }
    assert_eq!(layout.permuted(&[-1, 0, -2]).unwrap(), layout.permuted(&[2, 0, 1_usize]).unwrap());
    assert!(matches!(layout.permuted(&[0, 1, -2]), Err(Error::Layout { .. })));
    assert!(matches!(layout.permuted(&[0, 1, -4]), Err(Error::Layout { .. })));
    assert!(matches!(layout.reversed(-4), Err(Error::Axis { axis: -4, rank: 3, .. })));
}

#[test]
fn axes_that_do_not_exist_are_named() {
    let layout = Layout::contiguous([2, 3]).unwrap();
    let refused = layout.sliced(2, 0, 1);
    assert!(matches!(refused, Err(Error::Axis { operation: "slice", axis: 2, rank: 2 })));
    assert!(matches!(layout.reversed(5), Err(Error::Axis { operation: "reverse", .. })));
    assert!(matches!(layout.stepped(2, 1), Err(Error::Axis { operation: "step", .. })));
    assert!(matches!(layout.permuted(&[0, 0]), Err(Error::Layout { operation: "permute", .. })));
    assert!(matches!(
        layout.sliced(0, usize::MAX, 2),
        Err(Error::Layout { operation: "slice", .. })
    ));
    assert!(matches!(layout.broadcast(&[3]), Err(Error::Shape { operation: "broadcast", .. })));
}

#[test]
fn arrays_that_own_their_memory_can_be_rearranged_too() {
    let array = Array::from(counting(&[2, 3])).permuted(&[1, 0]).unwrap().reversed(0).unwrap();
    assert_eq!(array.view().to_vec::<i32>().unwrap(), [2, 5, 1, 4, 0, 3]);
}

#[test]
fn what_leaves_an_axis_or_a_shape_is_named() {
    let layout = Layout::contiguous([4, 5]).unwrap();
    let message = |refused: Result<Layout, Error>| refused.unwrap_err().to_string();
    let slice = message(layout.sliced(1, 3, 6));
    assert!(slice.starts_with("slice: shape [4, 5]"), "{slice}");
    assert!(slice.ends_with("6 indices from 3 on leave axis 1, which has 5"), "{slice}");
    let step = message(layout.stepped(0, 0));
    assert!(step.ends_with("a step of 0 along axis 0"), "{step}");
    let reshape = message(layout.reshaped([3, 7]));
    assert_eq!(reshape, "reshape: shape is [4, 5] (20 elements), expected [3, 7] (21 elements)");
    let moved = message(layout.permuted(&[1, 0]).unwrap().reshaped([20]));
    assert!(moved.ends_with("elements would have to move for [20]"), "{moved}");
    assert!(message(layout.permuted(&[1, 1])).contains("[1, 1] does not name each axis once"));
    let ranks = message(Layout::strided([2, 3], [1], 0));
    assert!(ranks.ends_with("1 strides for 2 axes"), "{ranks}");
    let before = message(Layout::strided([3], [-1], 1));
    assert!(before.ends_with("from offset 1 an element lies 1 before the block"), "{before}");
}

proptest! {
    #[test]
    fn layouts_agree_with_wide_arithmetic(
        axes in prop::collection::vec((0_u32..64, 0_usize..4, any::<isize>(), 0_u32..64), 0..5),
        offset in any::<usize>(),
        narrow in 0_u32..64,
    ) {
        let shape: Vec<usize> = axes.iter().map(|axis| (1_usize << axis.0 >> 1) + axis.1).collect();
        let strides: Vec<isize> = axes.iter().map(|axis| axis.2 >> axis.3).collect();
        let offset = offset >> narrow;
        let most = isize::MAX as u128;
        let count = shape.iter().try_fold(1_u128, |n, &extent| n.checked_mul(extent.max(1) as u128));
        let countable = count.is_some_and(|count| count <= most);
        let contiguous = Layout::contiguous(&shape);
        prop_assert_eq!(contiguous.is_ok(), countable);
        if let Ok(layout) = &contiguous {
            let len: u128 = shape.iter().map(|&extent| extent as u128).product();
            prop_assert_eq!(layout.len() as u128, len);
        }
        let (mut low, mut high) = (offset as i128, offset as i128);
        if countable && !shape.contains(&0) {
            for (&extent, &stride) in shape.iter().zip(&strides) {
                let reach = (extent as i128 - 1) * stride as i128;
                if reach < 0 { low += reach } else { high += reach }
            }
        }
        let fits = countable && low >= 0 && high < isize::MAX as i128;
        let strided = Layout::strided(&shape, &strides, offset);
        prop_assert_eq!(strided.is_ok(), fits);
        if let Some((first, last)) = strided.ok().and_then(|layout| layout.extent()) {
            prop_assert_eq!((first as i128, last as i128), (low, high));
        }
    }
}
