//! Axes longer than 2³¹, with special rows at both ends and taps that reach from one to the other. On CUDA devices with
//! room for them; meant to be run under `compute-sanitizer`, too.

#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use arrayspan_kernels::bridge::devices::{Device, DeviceKind};
use arrayspan_kernels::bridge::{Array, DType, Relayout, View};
use arrayspan_kernels::{Band, Executor, Stencil, Tap, Update, constant, input, on, previous};

/// Bytes that have to be free: two arrays of 8.6 GB, and what a sanitizer keeps.
const ROOM: usize = 40_000_000_000;

/// The device, if it has room. Says so if there is none.
fn device() -> Option<Device> {
    let cuda = Device::all().into_iter().filter(|device| device.kind() == DeviceKind::Cuda);
    let found = cuda.max_by_key(|device| device.free_bytes())?;
    (found.free_bytes()? >= ROOM).then_some(found)
}

fn each(test: impl Fn(&dyn Executor)) {
    // Two at once would not fit.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    match device() {
        Some(device) => test(&*on(device).unwrap()),
        // A closed stderr is no reason to fail.
        None => _ = writeln!(std::io::stderr(), "skipped: no CUDA device with 40 GB free"),
    }
}

fn tap((offset, weight): (isize, f64)) -> Tap {
    Tap { offset, weight: weight.into() }
}

/// Special first and last rows, near and far taps in them and in all others.
fn band(len: usize) -> Band {
    let (end, half) = (len as isize, len as isize / 2);
    Band::from_rows(len, 2, |i| {
        let taps = match (i, len - 1 - i) {
            (0, _) => vec![(0, 1.0), (1, -2.0), (end - 1, 0.5), (end, 64.0)],
            (1, _) => vec![(-1, 4.0), (half, 0.25)],
            (_, 1) => vec![(1, 3.0), (-half, -1.0), (1 << 32, 64.0)],
            (_, 0) => vec![(0, 2.0), (-1, 0.125), (1 - end, 8.0), (-end, 64.0)],
            _ => vec![(-1, -0.5), (1, 0.5), (half + 3, 2.0), (-half, 0.25)],
        };
        taps.into_iter().map(tap)
    })
}

/// x at place `i`: a small whole number, nearly everywhere 0 but where rows are looked at.
fn marked(places: &[usize], i: usize) -> f64 {
    places.iter().position(|place| *place == i).map_or(1.0, |at| 2.0 + at as f64)
}

/// Part of a long axis.
fn part(array: &Array, axis: usize, start: usize, len: usize) -> View<'_> {
    array.view().sliced(axis, start, len).unwrap()
}

fn check(executor: &dyn Executor, shape: &[usize], axis: usize, band: &Band) {
    let len = shape[axis];
    let middle = [(1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 30), (1 << 30) - 1];
    let rows = [0, 1, 2, 3, len / 2 - 1, len / 2, len / 2 + 1, len - 4, len - 3, len - 2, len - 1];
    let mut places: Vec<usize> = rows.into_iter().chain(middle).filter(|row| *row < len).collect();
    places.sort_unstable();
    places.dedup();

    let mut x = executor.empty(shape, DType::Float32).unwrap();
    executor.map(&constant(1.0), &[], x.view_mut()).unwrap();
    for &place in &places {
        let one = x.view_mut().sliced(axis, place, 1).unwrap();
        executor.map(&(previous() + constant(marked(&places, place) - 1.0)), &[], one).unwrap();
    }
    let mut y = executor.empty(shape, DType::Float32).unwrap();
    // What no row may leave as it was.
    executor.map(&constant(f64::NAN), &[], y.view_mut()).unwrap();
    let stencil = Stencil::along(axis, band.clone()).unwrap();
    executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
    for &row in &places {
        let expected: f64 = band
            .row(row)
            .iter()
            .map(|tap| tap.weight.re * marked(&places, row.checked_add_signed(tap.offset).unwrap()))
            .sum();
        let found = part(&y, axis, row, 1).to_vec::<f32>().unwrap();
        assert!(
            found.iter().all(|value| (f64::from(*value) - expected).abs() < 1e-9),
            "row {row}: {found:?}, {expected}"
        );
    }
    // All rows at once: the sum over y is that over x with the sums of columns for weights, up to rounding.
    let mut sum = executor.empty(&[], DType::Float32).unwrap();
    executor.sum(&(input(0) * constant(2.0_f64.powi(-31))), &[y.view()], sum.view_mut()).unwrap();
    let ones: f64 = band
        .pieces()
        .map(|(rows, taps)| -> f64 {
            let counted = taps.iter().map(|tap| {
                let inside = |i: usize| i.checked_add_signed(tap.offset).is_some_and(|j| j < len);
                // Rows of a piece for which a tap falls on the axis follow each other.
                let first = rows.start.max(tap.offset.min(0).unsigned_abs());
                let behind = rows.end.min(len.saturating_sub(tap.offset.max(0).unsigned_abs()));
                assert!(first >= behind || inside(first) && inside(behind - 1));
                tap.weight.re * behind.saturating_sub(first) as f64
            });
            counted.sum()
        })
        .sum();
    let lines: usize = shape.iter().product::<usize>() / len;
    let expected = lines as f64 * ones * 2.0_f64.powi(-31);
    let found = f64::from(sum.view().to_vec::<f32>().unwrap()[0]);
    assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0), "{found}, {expected}");
}

/// Just beyond 2³¹, odd.
const LEN: usize = (1 << 31) + 5;

#[test]
fn an_axis_longer_than_two_to_the_31_with_special_rows_forward_and_adjoint() {
    each(|executor| {
        for band in [band(LEN), band(LEN).adjoint()] {
            check(executor, &[LEN], 0, &band);
        }
    });
}

#[test]
fn a_long_axis_beside_a_short_one() {
    each(|executor| {
        let len = LEN / 2 + 7;
        check(executor, &[len, 2], 0, &band(len));
        check(executor, &[2, len], 1, &band(len).adjoint());
    });
}

#[test]
fn special_rows_from_the_middle_of_a_long_axis_on() {
    each(|executor| {
        let shift = Band::uniform(LEN, [(1 << 30, 1.0), (0, 0.5)]);
        check(executor, &[LEN], 0, &shift.after(&shift.transpose()).unwrap());
    });
}
