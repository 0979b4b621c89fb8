//! Sparse matrices between arrays of 16-bit floats: as between those of `Float32`, rounded once.

use arrayspan_kernels::{Gather, Update};

use crate::cell::{Cell, compiles_slowly};
use crate::gather::{Kind, drawn};
use crate::halves::{Half, compare, halves};

fn check<T: Half>(cell: &Cell, gather: &Gather, shape: &[usize], update: Update<'_>, exact: bool) {
    let range = gather.range_of(shape).unwrap();
    compare::<T>(cell, [shape, &range], update, exact, |x, y| {
        cell.executor.gather(gather, x, y, update).unwrap();
    });
}

pub fn elements_are_moved_to_the_bit<T: Half>(cell: &Cell) {
    let shapes: [&[usize]; 4] = [&[37, 53], &[203, 97], &[5, 41, 16], &[4001]];
    for shape in shapes {
        for axis in 0..shape.len() {
            let extent = shape[axis];
            let picked: Vec<usize> = (0..extent).map(|at| at * 37 % extent).collect();
            let picked = Gather::pick(axis, extent, picked).unwrap();
            let some = Gather::pick(axis, extent, [extent - 1, 0, 0, extent / 2]).unwrap();
            for gather in [&picked, &some] {
                check::<T>(cell, gather, shape, Update::set(), true);
            }
        }
    }
}

pub fn sums_are_those_of_float32_rounded_once<T: Half>(cell: &Cell) {
    let slow = compiles_slowly(cell.executor.device());
    let updates = [Update::set(), Update::add(), Update::new(0.5, -2.0)];
    let mut turn = 0;
    for (lengths, seed) in
        [(vec![2; 29], 1), (vec![0, 3, 1, 9, 2], 2), (vec![1, 200, 70, 0], 3), (vec![12; 40], 4)]
    {
        for (axis, shape) in [(0, [31, 24]), (1, [24, 31]), (0, [31, 1])] {
            for kind in [Kind::Ones, Kind::Real] {
                let gather = drawn(axis, 31, &lengths, kind, seed);
                let adjoint = gather.adjoint();
                let range = gather.range_of(&shape).unwrap();
                turn += 1;
                for update in updates.into_iter().cycle().skip(turn).take(if slow { 1 } else { 3 })
                {
                    if !slow || turn % 5 == 1 {
                        check::<T>(cell, &gather, &shape, update, false);
                    }
                    if !slow || turn % 5 == 2 {
                        check::<T>(cell, &adjoint, &range, update, false);
                    }
                }
            }
        }
    }
}

pub fn rows_without_entries_are_scaled<T: Half>(cell: &Cell) {
    let none = drawn(0, 5, &[0; 3], Kind::Ones, 36);
    let empty = Gather::new(0, &[2], &[0], vec![0; 3], vec![], None).unwrap();
    let axes = Gather::new(0, &[2], &[3, 0], vec![0; 3], vec![], None).unwrap();
    for update in [Update::set(), Update::add(), Update::new(1.0, -0.5)] {
        check::<T>(cell, &axes, &[3, 0, 4], update, true);
        check::<T>(cell, &none, &[5, 4], update, true);
        check::<T>(cell, &empty, &[0, 4], update, true);
        check::<T>(cell, &none, &[5, 0], update, true);
    }
}

halves! {
    gather_half:
        elements_are_moved_to_the_bit
        sums_are_those_of_float32_rounded_once
        rows_without_entries_are_scaled
}
