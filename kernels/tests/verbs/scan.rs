//! `scan`.

use arrayspan_kernels::bridge::Relayout;
use arrayspan_kernels::{Scan, Update};

use crate::cell::{Cell, compiles_slowly};
use crate::reference;
use crate::sample::{FORMS, Form, Random, Sample};

#[track_caller]
pub(super) fn check(cell: &Cell, scan: &Scan, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference::scan(scan, &x.tensor, &y.tensor, update);
    cell.executor.scan(scan, x.view(), y.view_mut(), update).unwrap();
    cell.check(y, &expected, &format!("{scan:?} of {:?}, {update:?}", x.tensor.shape));
    x.check_unchanged(cell);
}

/// From a plain input to an output of which nothing may be read.
#[track_caller]
fn set(cell: &Cell, scan: &Scan, shape: &[usize], seed: u64) {
    let x = cell.random(shape, Form::Plain, seed);
    let range = scan.range_of(shape).unwrap();
    check(cell, scan, &x, &mut cell.unreadable(&range, Form::Plain), Update::set());
}

/// Inclusive and exclusive sums, and those of the half and the trapezoidal rule.
pub(super) fn kinds(axis: usize, extent: usize) -> [Scan; 4] {
    let weighted = |corner, coupling| Scan::weighted(axis, extent, 0.5, corner, coupling).unwrap();
    [
        Scan::inclusive(axis, extent),
        Scan::exclusive(axis, extent),
        weighted(0.5, 1.0),
        weighted(0.0, 0.5),
    ]
}

pub fn every_kind_along_every_axis(cell: &Cell) {
    let shapes = [&[5, 7, 3][..], &[1, 9], &[13], &[7, 11], &[3, 5, 2, 7], &[4, 1, 6], &[1]];
    let tried = if compiles_slowly(cell.executor.device()) { 2 } else { shapes.len() };
    for shape in &shapes[..tried] {
        for axis in 0..shape.len() {
            for scan in kinds(axis, shape[axis]) {
                set(cell, &scan, shape, 1);
                set(cell, &scan.transpose(), shape, 2);
            }
        }
    }
}

/// Sizes around those of runs, tiles and bunches of them.
fn sizes(cell: &Cell) -> Vec<usize> {
    if compiles_slowly(cell.executor.device()) {
        return vec![1, 2, 5, 33, 64, 257, 2048, 4099];
    }
    let long = [127, 255, 256, 257, 511, 513, 1023, 2048, 4095, 4096, 4097, 8191, 8193, 16_385];
    (1..70).chain(long).collect()
}

pub fn every_size_along_the_last_axis(cell: &Cell) {
    for extent in sizes(cell) {
        let scan = kinds(1, extent)[extent % 4];
        set(cell, &scan, &[3, extent], extent as u64);
        set(cell, &scan.transpose(), &[3, extent], extent as u64);
    }
}

pub fn every_size_along_the_first_axis(cell: &Cell) {
    for extent in sizes(cell) {
        let scan = kinds(0, extent)[extent % 4];
        let columns = [3, 1, 33][extent % 3];
        set(cell, &scan, &[extent, columns], extent as u64);
        set(cell, &scan.transpose(), &[extent, columns], extent as u64);
    }
}

pub fn first_rows_are_left_out(cell: &Cell) {
    let shapes = [&[61, 5][..], &[2, 5000], &[9], &[1, 700], &[5, 61], &[5000, 2], &[3, 7, 4]];
    let tried = if compiles_slowly(cell.executor.device()) { 2 } else { shapes.len() };
    for shape in &shapes[..tried] {
        for axis in 0..shape.len() {
            for count in [1, 3, shape[axis]] {
                let Ok(scan) = kinds(axis, shape[axis])[count % 4].without(count) else { continue };
                set(cell, &scan, shape, 3);
                let range = scan.range_of(shape).unwrap();
                set(cell, &scan.transpose(), &range, 4);
                let both = scan.transpose().without(1).unwrap();
                let update = Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5));
                let (x, y) = (&range, both.range_of(&range).unwrap());
                let x = cell.random(x, Form::Plain, 5);
                check(cell, &both, &x, &mut cell.random(&y, Form::Mixed, 6), update);
            }
        }
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for axis in 0..3 {
        let shape = [5, 67, 4];
        let scan = kinds(axis, shape[axis])[3];
        for x_form in FORMS {
            for y_form in FORMS {
                let x = cell.random(&shape, x_form, 23);
                check(cell, &scan, &x, &mut cell.unreadable(&shape, y_form), Update::set());
                let turned = scan.transpose();
                check(cell, &turned, &x, &mut cell.unreadable(&shape, y_form), Update::set());
            }
        }
        // The same row, or the same number, again and again.
        for part in [&[4][..], &[67, 1], &[]] {
            let x = cell.random(part, Form::Plain, 24);
            let mut y = cell.unreadable(&shape, Form::Plain);
            let repeated = x.tensor.broadcast(&shape);
            let expected = reference::scan(&scan, &repeated, &y.tensor, Update::set());
            let view = x.view().broadcast(&shape).unwrap();
            cell.executor.scan(&scan, view, y.view_mut(), Update::set()).unwrap();
            cell.check(&y, &expected, &format!("{part:?} repeated"));
        }
    }
}

pub fn what_was_there_is_scaled_and_added(cell: &Cell) {
    let updates = [
        Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5)),
        Update::add(),
        Update::new(-0.5, 1.0),
        Update::new(1.0, 2.0),
    ];
    let slowly = compiles_slowly(cell.executor.device());
    for (axis, shape) in [(0, [9, 8]), (1, [9, 8]), (1, [2, 4500]), (0, [4500, 2])] {
        for update in updates.into_iter().take(if slowly { 1 } else { 4 }) {
            for form in [Form::Plain, Form::Mixed] {
                let x = cell.random(&shape, Form::Plain, 26);
                let scan = kinds(axis, shape[axis])[2];
                check(cell, &scan, &x, &mut cell.random(&shape, form, 27), update);
                let turned = scan.transpose();
                check(cell, &turned, &x, &mut cell.random(&shape, form, 28), update);
            }
        }
    }
}

pub fn beta_zero_reads_nothing(cell: &Cell) {
    for (axis, shape) in [(0, [6, 7]), (1, [6, 7]), (1, [1, 5000])] {
        for form in FORMS {
            let x = cell.random(&shape, Form::Plain, 29);
            let update = Update::new(cell.number(2.0, -1.0), 0.0);
            let scan = kinds(axis, shape[axis])[0];
            check(cell, &scan, &x, &mut cell.unreadable(&shape, form), update);
        }
    }
}

/// Parts of rows, so that lines of input and output begin at every place that an access can, the same or different ones.
pub fn rows_that_begin_at_odd_places(cell: &Cell) {
    let (rows, extent) = (3, 709);
    for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
        let block = [rows, extent + 8];
        let x = cell.random(&block, Form::Plain, 30);
        let mut y = cell.unreadable(&block, Form::Plain);
        let scan = kinds(1, extent)[3];
        let scan = if to % 2 == 0 { scan } else { scan.transpose() };
        let view = x.view().sliced(1, from, extent).unwrap();
        let place = y.view_mut().sliced(1, to, extent).unwrap();
        cell.executor.scan(&scan, view, place, Update::set()).unwrap();
        let part = |tensor: &reference::Tensor, first: usize| {
            let of = |index: Vec<usize>| tensor.at(&[index[0], index[1] + first]);
            let values = reference::indices(&[rows, extent]).map(of).collect();
            reference::Tensor::new(&[rows, extent], values)
        };
        let found = y.read(cell);
        let wanted =
            reference::scan(&scan, &part(&x.tensor, from), &part(&found, to), Update::set());
        let mut result = Sample::new(cell, &part(&found, to), Form::Plain);
        result.tensor = wanted.result.clone();
        cell.check(&result, &wanted, &format!("from {from} to {to}"));
        let outside = reference::indices(&block).filter(|i| i[1] < to || i[1] >= to + extent);
        assert!(outside.into_iter().all(|index| found.at(&index).re.is_nan()), "{from} to {to}");
    }
}

pub fn long_arrays(cell: &Cell) {
    // More than there may be groups beside each other; the host has none.
    let many = if cell.executor.device().is_cpu() { 7_000 } else { 70_000 };
    let shapes = [
        &[3, 40_011][..],
        &[1, many, 65],
        &[311, 307],
        &[40_011, 3],
        &[40, 47, 42],
        &[300_003],
        &[70_000, 1],
    ];
    let tried = if compiles_slowly(cell.executor.device()) { 2 } else { shapes.len() };
    for shape in &shapes[..tried] {
        for axis in 0..shape.len() {
            let scan = kinds(axis, shape[axis])[axis];
            set(cell, &scan, shape, 32);
            set(cell, &scan.transpose(), shape, 33);
        }
    }
}

pub fn nothing_to_sum(cell: &Cell) {
    // No other index, no element of an input, no result, neither.
    let all_out = Scan::inclusive(0, 4).without(4).unwrap();
    for (scan, shape) in [
        (Scan::inclusive(0, 4), [4, 0]),
        (all_out, [4, 3]),
        (all_out.transpose(), [0, 3]),
        (Scan::exclusive(1, 0), [3, 0]),
    ] {
        let range = scan.range_of(&shape).unwrap();
        for update in [Update::set(), Update::add(), Update::new(2.0, 3.0)] {
            let x = cell.random(&shape, Form::Plain, 40);
            check(cell, &scan, &x, &mut cell.random(&range, Form::Plain, 41), update);
        }
    }
}

pub fn any_scan(cell: &Cell) {
    let mut random = Random(42);
    let mut draw = move |below: usize| random.bits() as usize % below;
    for seed in 0..if compiles_slowly(cell.executor.device()) { 6 } else { 80 } {
        let shape: Vec<usize> =
            (0..=draw(3)).map(|_| [1, 2, 3, 5, 8, 16, 37, 130][draw(8)]).collect();
        let axis = draw(shape.len());
        let weight = |number: usize| [0.0, 1.0, 0.5, -2.0][number];
        let [diagonal, corner, coupling] = [draw(4), draw(4), draw(4)].map(weight);
        let scan = Scan::weighted(axis, shape[axis], diagonal, corner, coupling).unwrap();
        let scan = scan.without(draw(3).min(shape[axis])).unwrap();
        let range = scan.range_of(&shape).unwrap();
        let (forms, update) = ([draw(6), draw(6)].map(|form| FORMS[form]), draw(3));
        let update =
            [Update::set(), Update::add(), Update::new(cell.number(0.5, -1.0), 2.0)][update];
        let x = cell.random(&shape, forms[0], seed + 100);
        check(cell, &scan, &x, &mut cell.random(&range, forms[1], seed + 200), update);
        let back = cell.random(&range, forms[1], seed + 300);
        let mut to = cell.random(&shape, forms[0], seed + 400);
        check(cell, &scan.transpose(), &back, &mut to, update);
    }
}
