//! Running sums of 16-bit floats: as those of `Float32`, rounded once.
//!
//! All numbers are multiples of one power of two, so that sums of `Float32` are exact, in whatever order.

use arrayspan_kernels::{Scan, Update};

use crate::cell::{Cell, compiles_slowly};
use crate::halves::{Half, compare, halves};
use crate::scan::kinds;

fn check<T: Half>(cell: &Cell, scan: &Scan, shape: &[usize], update: Update<'_>) {
    let range = scan.range_of(shape).unwrap();
    compare::<T>(cell, [shape, &range], update, true, |x, y| {
        cell.executor.scan(scan, x, y, update).unwrap();
    });
}

/// Both directions, with and without the first rows.
fn all<T: Half>(cell: &Cell, shape: &[usize], axis: usize, turn: usize) {
    let updates = [Update::set(), Update::add(), Update::new(0.5, -2.0)];
    let slow = compiles_slowly(cell.executor.device());
    for (number, scan) in kinds(axis, shape[axis]).into_iter().enumerate() {
        let update = updates[(turn + number) % 3];
        if slow && number != turn % 4 {
            continue;
        }
        for scan in [scan, scan.without(1).unwrap()] {
            check::<T>(cell, &scan, shape, update);
            check::<T>(cell, &scan.transpose(), &scan.range_of(shape).unwrap(), update);
        }
    }
}

pub fn sums_are_those_of_float32_rounded_once<T: Half>(cell: &Cell) {
    let shapes: [&[usize]; 6] =
        [&[37, 53], &[64, 128], &[3, 41, 16], &[1, 9], &[5, 4001], &[4001, 3]];
    for (number, shape) in shapes.into_iter().enumerate() {
        for axis in 0..shape.len() {
            all::<T>(cell, shape, axis, number + axis);
        }
    }
}

/// So many that threads, or groups of them, share a line.
pub fn long_arrays<T: Half>(cell: &Cell) {
    all::<T>(cell, &[300_007], 0, 1);
    if !compiles_slowly(cell.executor.device()) {
        all::<T>(cell, &[70_001, 2], 0, 3);
        all::<T>(cell, &[2, 140_001], 1, 0);
    }
}

pub fn nothing_to_sum<T: Half>(cell: &Cell) {
    let none = Scan::inclusive(0, 3).without(3).unwrap();
    for update in [Update::set(), Update::add(), Update::new(1.0, -0.5)] {
        check::<T>(cell, &none.transpose(), &[0, 5], update);
        check::<T>(cell, &none, &[3, 5], update);
        check::<T>(cell, &Scan::inclusive(0, 3), &[3, 0], update);
    }
}

halves! {
    scan_half:
        sums_are_those_of_float32_rounded_once
        long_arrays
        nothing_to_sum
}
