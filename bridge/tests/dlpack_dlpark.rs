//! Another implementation of `DLPack`, dlpark, as a judge: what we export it reads, what it exports we read.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use arrayspan_bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan_bridge::{Array, DType, Element, SharedArray, Transfer};
use common::{apply, changes, config, counting, shapes};
use dlpark::allocation::dynamic::Initialized;
use dlpark::ffi::{DLManagedTensor, DLManagedTensorVersioned};
use dlpark::{DlpackElement, DlpackFlags, ManagedTensorBase, TryFromDlpack};
use ndarray::{ArrayD, ArrayViewD, ArrayViewMutD};
use proptest::prelude::*;

/// One of our structs as dlpark's of the same layout.
fn to_theirs<M: Managed, T: ManagedTensorBase>(capsule: Capsule<M>) -> dlpark::Managed<T> {
    assert_eq!(size_of::<M>(), size_of::<T>());
    // SAFETY: a live struct of the same standard that only this function holds.
    unsafe { dlpark::Managed::from_raw(capsule.into_raw().cast()).unwrap() }
}

fn from_theirs<T: ManagedTensorBase, M: Managed>(managed: dlpark::Managed<T>) -> Capsule<M> {
    assert_eq!(size_of::<M>(), size_of::<T>());
    // SAFETY: as above; nobody else uses the elements.
    unsafe { Capsule::from_raw(managed.into_raw().cast()).unwrap() }
}

fn built<M: ManagedTensorBase, T: DlpackElement + Send>(values: ArrayD<T>) -> Initialized<M> {
    Box::new(values).try_into().unwrap()
}

/// What dlpark sees of an array, or nothing where it refuses strides below zero.
fn seen<M: Managed, T: ManagedTensorBase>(array: Array) -> Option<ArrayD<i32>> {
    let backwards = array.layout().strides().iter().any(|&stride| stride < 0);
    let theirs = to_theirs::<M, T>(array.into_dlpack(None).unwrap());
    let tensor = theirs.validate().unwrap();
    let strides = tensor.strides();
    assert!(strides.is_some() || tensor.ndim() == 0, "strides are null");
    let backwards = backwards && strides.is_some_and(|all| all.iter().any(|&stride| stride < 0));
    // SAFETY: the elements live as long as the struct, and nobody writes them.
    let view = unsafe { ArrayViewD::<i32>::try_from_dlpack(&theirs, ()) };
    assert_eq!(view.is_err(), backwards, "{view:?}");
    // Element by element: ndarray cannot copy an array without elements that has strides.
    let copied = |view: ArrayViewD<'_, i32>| {
        ArrayD::from_shape_vec(view.raw_dim(), view.iter().copied().collect()).unwrap()
    };
    view.ok().map(copied)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn dlpark_reads_every_layout_we_export(
        shape in shapes(),
        changes in changes(),
        legacy in any::<bool>(),
    ) {
        let mut values = counting(&shape);
        let mut ours = Array::from(values.clone()).into_shared();
        for change in changes {
            let shape = ours.shape().to_vec();
            if let Some(Ok(next)) = apply(&change, &ours, &shape, &values) {
                (ours, values) = next;
            }
        }
        let ours = ours.try_into_array().unwrap();
        let seen = if legacy {
            seen::<Legacy, DLManagedTensor>(ours)
        } else {
            seen::<Versioned, DLManagedTensorVersioned>(ours)
        };
        prop_assert!(seen.is_none_or(|seen| seen == values));
    }

    #[test]
    fn we_read_every_layout_that_dlpark_exports(
        shape in shapes(),
        axes in any::<[bool; 4]>(),
        legacy in any::<bool>(),
    ) {
        let mut values = counting(&shape).reversed_axes();
        for (axis, reverse) in axes.into_iter().enumerate().take(values.ndim()) {
            if reverse {
                values.invert_axis(ndarray::Axis(axis));
            }
        }
        let array = if legacy {
            // SAFETY: every field is set; nobody else knows the elements.
            let theirs = unsafe { built::<DLManagedTensor, _>(values.clone()).finish() };
            SharedArray::from_dlpack(from_theirs::<_, Legacy>(theirs), None)
        } else {
            // SAFETY: as above.
            let theirs = unsafe { built::<DLManagedTensorVersioned, _>(values.clone()).finish() };
            SharedArray::from_dlpack(from_theirs::<_, Versioned>(theirs), None)
        };
        let array = array.unwrap();
        prop_assert_eq!(array.view().as_ndarray::<i32>().unwrap(), values.view());
    }
}

#[test]
fn flags_mean_the_same_to_both() {
    let shared = Array::from_slice(&[1_i32, 2, 3], [3]).unwrap().into_shared();
    let (lent, _) = shared.to_dlpack::<Versioned>(Transfer::ZeroCopyOnly, None).unwrap();
    let mut theirs = to_theirs::<_, DLManagedTensorVersioned>(lent);
    assert_eq!(theirs.flags(), DlpackFlags::READ_ONLY);
    // SAFETY: it refuses, so that nothing is written.
    let refused = unsafe { ArrayViewMutD::<i32>::try_from_dlpack(&mut theirs, ()) }.is_err();
    assert!(refused, "a read-only array to write");
    drop(theirs);
    let (copied, _) = shared.view().to_dlpack::<Versioned>(None).unwrap();
    let theirs = to_theirs::<_, DLManagedTensorVersioned>(copied);
    assert_eq!((theirs.flags(), theirs.version().major), (DlpackFlags::IS_COPIED, 1));

    let mut theirs = built::<DLManagedTensorVersioned, _>(counting(&[2, 2]));
    theirs.set_flags(DlpackFlags::READ_ONLY).unwrap();
    // SAFETY: every field is set.
    let capsule = from_theirs::<_, Versioned>(unsafe { theirs.finish() });
    assert!(capsule.is_read_only() && !capsule.is_copied());
    assert!(SharedArray::from_dlpack(capsule, None).unwrap().try_into_array().is_err());
}

#[test]
fn what_dlpark_writes_we_see() {
    let array = Array::from_slice(&[1_i32, 2, 3, 4], [2, 2]).unwrap();
    let mut theirs =
        to_theirs::<_, DLManagedTensorVersioned>(array.into_dlpack::<Versioned>(None).unwrap());
    // SAFETY: the array was handed over to be written, and nobody else holds it.
    let mut view = unsafe { ArrayViewMutD::<i32>::try_from_dlpack(&mut theirs, ()).unwrap() };
    view[[1, 0]] = 9;
    let capsule = from_theirs::<_, Versioned>(theirs);
    let (array, _) = Array::from_dlpack(capsule, Transfer::ZeroCopyOnly, None).unwrap();
    assert_eq!(array.view().as_slice::<i32>().unwrap(), [1, 2, 9, 4]);
}

#[test]
fn elements_mean_the_same_to_both() {
    fn check<T: Element + DlpackElement + PartialEq>(values: [T; 2]) {
        let ours = Array::from_slice(&values, [2]).unwrap();
        let theirs = to_theirs::<_, DLManagedTensor>(ours.into_dlpack::<Legacy>(None).unwrap());
        // SAFETY: the elements live as long as the struct, and nobody writes them.
        let seen = unsafe { ArrayViewD::<T>::try_from_dlpack(&theirs, ()).unwrap() };
        assert_eq!(seen.as_slice().unwrap(), values);
        let back = SharedArray::from_dlpack(from_theirs::<_, Legacy>(theirs), None).unwrap();
        assert_eq!(back.dtype(), <T as Element>::DTYPE);
        assert_eq!(back.view().to_vec::<T>().unwrap(), values);
    }
    check::<i8>([-1, 2]);
    check::<i16>([-1, 2]);
    check::<i32>([-1, 2]);
    check::<i64>([-1, 2]);
    check::<u8>([1, 2]);
    check::<u16>([1, 2]);
    check::<u32>([1, 2]);
    check::<u64>([1, 2]);
    check::<f32>([-1.5, 2.0]);
    check::<f64>([-1.5, 2.0]);
    assert_eq!(bool_in_theirs(), DType::Bool.dlpack());
}

/// Code and bits that dlpark gives truth values.
fn bool_in_theirs() -> (u8, u8) {
    let dtype = dlpark::ffi::DLDataType::BOOL;
    (dtype.code.0, dtype.bits)
}
