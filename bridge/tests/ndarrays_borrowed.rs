//! What is borrowed for a conversion is used during the borrow only, whatever the caller forgets.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod common;

use std::sync::Mutex;

use arrayspan_bridge::convert::{ArraySource, ConvertOptions, Imported};
use arrayspan_bridge::devices::{Argument, Device, Grid, KernelSource, Memory, Stream};
use arrayspan_bridge::{Array, DType, Transfer};
use ndarray::Array1;

/// Below and above the size from which copies are staged.
const SIZES: [usize; 3] = [1, 1009, 1_500_007];

/// Never drops a borrow, as `std::mem::forget`, and keeps it where those who look for leaks find it.
fn forget(imported: Imported<'_>) {
    struct Kept(#[allow(dead_code, reason = "it is only to be found")] *mut ());
    // SAFETY: nobody uses it.
    unsafe impl Send for Kept {}
    static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
    KEPT.lock().unwrap().push(Kept(Box::into_raw(Box::new(imported)).cast()));
}

/// Keeps the stream busy for some milliseconds.
fn keep_busy(stream: &Stream) {
    const SLOW: &str = "\
KERNEL slow(i64 rounds, GLOBAL u32* y) {
  u32 state = 12345u;
  for (i64 k = 0; k < rounds; ++k) state = state * 1664525u + 1013904223u;
  y[GID(0)] = state;
}";
    let device = stream.device();
    let kernel = device.kernel(&KernelSource::new("borrowed_slow", "slow", SLOW)).unwrap();
    let memory = Memory::allocate(256, stream).unwrap();
    let grid = Grid { groups: [1, 1, 1], threads: [64, 1, 1] };
    let arguments = [Argument::I64(1_000_000), Argument::Write(&memory)];
    // SAFETY: as SLOW declares; the block holds as many numbers as there are threads.
    unsafe { stream.launch(&kernel, grid, &arguments).unwrap() };
    if device.to_string().starts_with("cuda") {
        common::delay(stream.raw());
    }
}

/// A copy on the device, made of a borrow that is forgotten before the host writes again.
fn copied(values: &Array1<f32>, device: Device, stream: &Stream) -> Array {
    keep_busy(stream);
    let imported = values.view().import(&ConvertOptions::default()).unwrap();
    let (copy, _) = imported.view().to_with(device, Transfer::CopyIfNeeded, stream).unwrap();
    forget(imported);
    copy
}

fn all(array: &Array, value: f32) -> bool {
    array
        .view()
        .to_vec::<f32>()
        .unwrap()
        .into_iter()
        .all(|found| found.to_bits() == value.to_bits())
}

#[test]
fn a_forgotten_borrow_is_not_read_later() {
    for device in common::accelerators() {
        let stream = device.new_stream().unwrap();
        for len in SIZES {
            let mut values = Array1::from_elem(len, 1.0_f32);
            let copy = copied(&values, device, &stream);
            values.fill(2.0);
            assert!(all(&copy, 1.0), "{device}, {len}");
            drop(copy);
            let copy = copied(&values, device, &stream);
            drop(values);
            assert!(all(&copy, 2.0), "{device}, {len}");
        }
    }
}

#[test]
fn a_forgotten_borrow_of_page_locked_memory_is_not_read_later() {
    for device in common::accelerators() {
        let stream = device.new_stream().unwrap();
        for len in SIZES {
            let Ok(mut array) = Array::pinned([len], DType::Float32, device) else {
                eprintln!("skipped: {device} has no page-locked memory");
                continue;
            };
            array.view_mut().as_ndarray_mut::<f32>().unwrap().fill(1.0);
            keep_busy(&stream);
            let view = array.view().as_ndarray::<f32>().unwrap();
            let imported = view.import(&ConvertOptions::default()).unwrap();
            let (copy, _) =
                imported.view().to_with(device, Transfer::CopyIfNeeded, &stream).unwrap();
            forget(imported);
            array.view_mut().as_ndarray_mut::<f32>().unwrap().fill(2.0);
            assert!(all(&copy, 1.0), "{device}, {len}");
        }
    }
}

#[test]
fn a_borrow_forgotten_at_any_place_leaves_the_elements_to_their_owner() {
    let mut values = Array1::from_elem(7, 1.0_f32);
    let imported = values.view().import(&ConvertOptions::default()).unwrap();
    let copy = imported.view().to_array().unwrap();
    forget(imported);
    values.fill(2.0);
    assert!(all(&copy, 1.0));
    let imported = values.view().import(&ConvertOptions::default()).unwrap();
    forget(imported);
    drop(values);
}
