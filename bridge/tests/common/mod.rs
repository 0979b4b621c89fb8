//! What several test files need.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod held;
pub(crate) mod producer;

use std::ffi::c_void;
use std::thread::sleep;
use std::time::Duration;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Layout, Relayout, Result};
use cudarc::driver::result::stream::launch_host_function;
use proptest::prelude::*;

/// Every device but the CPU; says which kinds are missing.
pub(crate) fn accelerators() -> Vec<Device> {
    let mut found = Vec::new();
    if !cfg!(miri) {
        found = Device::all().into_iter().filter(|device| !device.is_cpu()).collect();
    }
    for (kind, name) in [("cuda", "CUDA"), ("opencl", "OpenCL")] {
        if !found.iter().any(|device| device.to_string().starts_with(kind)) {
            eprintln!("skipped: no {name} device");
        }
    }
    found
}

/// The first device of a kind, or a line that says it is missing.
pub(crate) fn first(kind: &str) -> Option<Device> {
    let device = if cfg!(miri) { None } else { kind.parse().ok() };
    if device.is_none() {
        let name = if kind == "cuda" { "CUDA" } else { "OpenCL" };
        eprintln!("skipped: no {name} device");
    }
    device
}

/// Holds a CUDA stream back for longer than a busy host needs to fill it.
pub(crate) fn delay(stream: usize) {
    unsafe extern "C" fn nap(_: *mut c_void) {
        sleep(Duration::from_millis(100));
    }
    let stream = std::ptr::with_exposed_provenance_mut(stream);
    // SAFETY: a live stream; the function calls nothing of CUDA.
    unsafe { launch_host_function(stream, nap, std::ptr::null_mut()).unwrap() };
}

/// One change of layout, with numbers that fit any shape after a remainder.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Permute(usize),
    Slice { axis: usize, start: usize, len: usize },
    Step { axis: usize, step: usize },
    Reverse { axis: usize },
    Merge { axis: usize },
    Split { axis: usize, by: usize },
}

pub(crate) fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        any::<usize>().prop_map(Change::Permute),
        (0..4_usize, 0..9_usize, 0..9_usize).prop_map(|(axis, start, len)| Change::Slice {
            axis,
            start,
            len
        }),
        (0..4_usize, 1..4_usize).prop_map(|(axis, step)| Change::Step { axis, step }),
        (0..4_usize).prop_map(|axis| Change::Reverse { axis }),
        (0..4_usize).prop_map(|axis| Change::Merge { axis }),
        (0..4_usize, 1..4_usize).prop_map(|(axis, by)| Change::Split { axis, by }),
    ];
    proptest::collection::vec(change, 0..6)
}

pub(crate) fn shapes() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(0..6_usize, 0..4)
}

/// Fewer cases where each costs seconds; no files.
pub(crate) fn config() -> ProptestConfig {
    let cases = if cfg!(miri) { 3 } else { 256 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// The order of axes number `number` among all orders.
fn order(rank: usize, mut number: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..rank).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.remove(number % left.len()));
        number /= rank;
    }
    order
}

/// Applies a change to one of ours and to an ndarray view. `None` where the change does not apply.
/// Merging may be refused by us only where ndarray, which copies then, finds other strides.
pub(crate) fn apply<A: Relayout + Clone>(
    change: &Change,
    ours: &A,
    shape: &[usize],
    theirs: &ndarray::ArrayD<i32>,
) -> Option<Result<(A, ndarray::ArrayD<i32>)>> {
    use ndarray::{Axis, IxDyn, Slice};
    let (ours, theirs) = (ours.clone(), theirs.clone());
    let rank = shape.len();
    let at = |axis: usize| (rank > 0).then(|| axis % rank);
    let reshaped = |shape: Vec<usize>| {
        let ours = ours.clone().reshaped(&shape)?;
        let elements: Vec<i32> = theirs.iter().copied().collect();
        let theirs = ndarray::ArrayD::from_shape_vec(IxDyn(&shape), elements).unwrap();
        Ok((ours, theirs))
    };
    Some(match *change {
        Change::Permute(number) => {
            let order = order(rank, number);
            ours.permuted(&order).map(|ours| (ours, theirs.permuted_axes(IxDyn(&order))))
        }
        Change::Slice { axis, start, len } => {
            let axis = at(axis)?;
            let start = start % (shape[axis] + 1);
            let len = len % (shape[axis] - start + 1);
            let range = Slice::from(start..start + len);
            let theirs = theirs.slice_axis(Axis(axis), range).to_owned();
            ours.sliced(axis, start, len).map(|ours| (ours, theirs))
        }
        Change::Step { axis, step } => {
            let axis = at(axis)?;
            let every = Slice { start: 0, end: None, step: step as isize };
            let theirs = theirs.slice_axis(Axis(axis), every).to_owned();
            ours.stepped(axis, step).map(|ours| (ours, theirs))
        }
        Change::Reverse { axis } => {
            let axis = at(axis)?;
            let mut theirs = theirs;
            theirs.invert_axis(Axis(axis));
            ours.reversed(axis).map(|ours| (ours, theirs))
        }
        Change::Merge { axis } => {
            let axis = (rank > 1).then(|| axis % (rank - 1))?;
            let mut merged = shape.to_vec();
            let gone = merged.remove(axis + 1);
            merged[axis] *= gone;
            reshaped(merged)
        }
        Change::Split { axis, by } => {
            let axis = at(axis)?;
            let by = (shape[axis].is_multiple_of(by)).then_some(by)?;
            let mut split = shape.to_vec();
            split[axis] /= by;
            split.insert(axis + 1, by);
            reshaped(split)
        }
    })
}

/// Counts 0, 1, 2, … in that shape.
pub(crate) fn counting(shape: &[usize]) -> ndarray::ArrayD<i32> {
    let len = shape.iter().product::<usize>() as i32;
    ndarray::ArrayD::from_shape_vec(ndarray::IxDyn(shape), (0..len).collect()).unwrap()
}

/// The place of every index in row-major order, found the slow, obvious way.
pub(crate) fn places(layout: &Layout) -> Vec<usize> {
    ndarray::indices(ndarray::IxDyn(layout.shape()))
        .into_iter()
        .map(|index| {
            let index = ndarray::Dimension::slice(&index).to_vec();
            let steps = index.iter().zip(layout.strides()).map(|(&i, &s)| i as isize * s);
            layout.offset().checked_add_signed(steps.sum()).unwrap()
        })
        .collect()
}
