//! `gather`.

use arrayspan_kernels::{Gather, Update};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::reference;
use crate::sample::{FORMS, Form, Random, Sample};

#[track_caller]
pub(super) fn check(cell: &Cell, gather: &Gather, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference::gather(gather, &x.tensor, &y.tensor, update);
    cell.executor.gather(gather, x.view(), y.view_mut(), update).unwrap();
    let (axis, rows, columns) = (gather.axis(), gather.rows(), gather.columns());
    let what = format!(
        "{} entries, {columns:?} to {rows:?} along axis {axis} of {:?}, {update:?}",
        gather.entries(),
        x.tensor.shape
    );
    cell.check(y, &expected, &what);
    x.check_unchanged(cell);
}

/// From an input in that layout to an output of which nothing may be read.
#[track_caller]
pub(super) fn set(cell: &Cell, gather: &Gather, shape: &[usize], seed: u64) {
    let x = cell.random(shape, Form::Plain, seed);
    let range = gather.range_of(shape).unwrap();
    check(cell, gather, &x, &mut cell.unreadable(&range, Form::Plain), Update::set());
}

/// Rows with these numbers of entries, drawn at random.
pub(super) fn drawn(
    axis: usize,
    extent: usize,
    lengths: &[usize],
    weights: Kind,
    seed: u64,
) -> Gather {
    let mut random = Random(seed);
    let mut starts = vec![0];
    for len in lengths {
        starts.push(starts[starts.len() - 1] + len);
    }
    let entries = starts[lengths.len()];
    let indices = (0..entries).map(|_| random.bits() as usize % extent).collect();
    let weights = match weights {
        Kind::Ones => None,
        Kind::Real => Some((0..entries).map(|_| random.next().into()).collect()),
        Kind::Complex => {
            Some((0..entries).map(|_| Complex64::new(random.next(), random.next())).collect())
        }
    };
    Gather::new(axis, &[lengths.len()], &[extent], starts, indices, weights).unwrap()
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Ones,
    Real,
    Complex,
}

pub fn one_entry_a_row_along_every_axis(cell: &Cell) {
    for shape in [&[13][..], &[7, 11], &[5, 7, 3], &[3, 5, 2, 7], &[4, 1, 6]] {
        for axis in 0..shape.len() {
            for rows in [1, 9] {
                let picked = drawn(axis, shape[axis], &vec![1; rows], Kind::Ones, axis as u64);
                set(cell, &picked, shape, 1);
                let weighted = drawn(axis, shape[axis], &vec![1; rows], Kind::Real, axis as u64);
                set(cell, &weighted, shape, 2);
            }
        }
    }
}

pub fn repeated_and_unsorted_indices_and_their_adjoint(cell: &Cell) {
    for (axis, shape) in [(0, [17, 3]), (1, [3, 17])] {
        let picked = Gather::pick(axis, 17, [16, 3, 3, 0, 9, 3, 1]).unwrap();
        set(cell, &picked, &shape, 3);
        let adjoint = picked.adjoint();
        let rows: Vec<usize> = adjoint.row(3).unwrap().map(|(row, _)| row).collect();
        assert_eq!(rows, [1, 2, 5]);
        set(cell, &adjoint, &picked.range_of(&shape).unwrap(), 4);
    }
}

pub fn few_entries_a_row(cell: &Cell) {
    for entries in [2, 3, 4, 7, 9, 21] {
        for (axis, shape) in [(0, [31, 5]), (1, [5, 31]), (0, [31, 8])] {
            for kind in [Kind::Ones, Kind::Real] {
                set(cell, &drawn(axis, 31, &[entries; 23], kind, 5), &shape, 6);
            }
        }
    }
}

pub fn complex_weights(cell: &Cell) {
    if !cell.is_complex() {
        return;
    }
    for (axis, shape) in [(0, [19, 4]), (1, [4, 19])] {
        for lengths in [vec![1; 11], vec![2; 11], vec![0, 40, 1, 3, 90]] {
            let gather = drawn(axis, 19, &lengths, Kind::Complex, 7);
            let range = gather.range_of(&shape).unwrap();
            set(cell, &gather, &shape, 8);
            set(cell, &gather.adjoint(), &range, 9);
            set(cell, &gather.transpose(), &range, 10);
            set(cell, &gather.conj(), &shape, 11);
        }
    }
}

pub fn uneven_rows(cell: &Cell) {
    let lengths: Vec<usize> = (0..61).map(|row| row * row % 37).collect();
    for (axis, shape) in [(0, [53, 6]), (1, [6, 53]), (0, [53, 1])] {
        for kind in [Kind::Ones, Kind::Real] {
            let gather = drawn(axis, 53, &lengths, kind, 12);
            set(cell, &gather, &shape, 13);
            set(cell, &gather.adjoint(), &gather.range_of(&shape).unwrap(), 14);
        }
    }
}

pub fn long_rows(cell: &Cell) {
    for (axis, shape) in [(0, [311, 7]), (1, [7, 311]), (0, [311, 1]), (0, [311, 64])] {
        for lengths in [&[3001][..], &[0, 2, 700, 65, 64, 1], &[600, 601]] {
            for kind in [Kind::Ones, Kind::Real] {
                let gather = drawn(axis, 311, lengths, kind, 15);
                set(cell, &gather, &shape, 16);
                let y = gather.range_of(&shape).unwrap();
                let x = cell.random(&shape, Form::Plain, 17);
                let update = Update::new(cell.number(0.5, 0.25), cell.number(-2.0, 1.5));
                check(cell, &gather, &x, &mut cell.random(&y, Form::Mixed, 18), update);
            }
        }
    }
}

pub fn several_axes_counted_as_one(cell: &Cell) {
    let mut random = Random(19);
    // Two axes to three, two to one, one to two, behind an axis and before another.
    for (columns, rows) in
        [(&[5, 7][..], &[3, 2, 4][..]), (&[5, 7], &[9]), (&[11], &[2, 3]), (&[1, 6], &[6, 1])]
    {
        let [width, count] = [columns, rows].map(|extents| extents.iter().product::<usize>());
        let starts = (0..=count).map(|row| 2 * row).collect();
        let indices = (0..2 * count).map(|_| random.bits() as usize % width).collect();
        let weights = (0..2 * count).map(|_| random.next().into()).collect();
        let gather = Gather::new(1, rows, columns, starts, indices, Some(weights)).unwrap();
        for (before, after) in [(3, 4), (1, 1), (2, 1), (1, 5)] {
            let shape = [&[before], columns, &[after]].concat();
            let range = gather.range_of(&shape).unwrap();
            for form in FORMS {
                let x = cell.random(&shape, form, 20);
                check(cell, &gather, &x, &mut cell.unreadable(&range, form), Update::set());
            }
            set(cell, &gather.adjoint(), &range, 21);
        }
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for axis in 0..3 {
        let shape = [5, 8, 4];
        let lengths: Vec<usize> = (0..7).map(|row| row % 4).collect();
        let gather = drawn(axis, shape[axis], &lengths, Kind::Real, 22);
        let range = gather.range_of(&shape).unwrap();
        for x_form in FORMS {
            for y_form in FORMS {
                let x = cell.random(&shape, x_form, 23);
                check(cell, &gather, &x, &mut cell.unreadable(&range, y_form), Update::set());
            }
        }
        // The same row, or the same number, again and again.
        for part in [&[4][..], &[8, 1], &[]] {
            let x = cell.random(part, Form::Plain, 24);
            let mut y = cell.unreadable(&range, Form::Plain);
            let repeated = x.tensor.broadcast(&shape);
            let expected = reference::gather(&gather, &repeated, &y.tensor, Update::set());
            let view = x.view().broadcast(&shape).unwrap();
            cell.executor.gather(&gather, view, y.view_mut(), Update::set()).unwrap();
            cell.check(&y, &expected, &format!("{part:?} repeated"));
        }
    }
}

pub fn long_arrays(cell: &Cell) {
    for shape in [&[311, 307][..], &[3, 40_011], &[40_011, 3], &[40, 47, 42], &[100_003]] {
        for axis in 0..shape.len() {
            let rows = shape[axis] + 5;
            for (lengths, kind) in [(vec![1; rows], Kind::Ones), (vec![2; rows], Kind::Real)] {
                let gather = drawn(axis, shape[axis], &lengths, kind, 31);
                set(cell, &gather, shape, 32);
                set(cell, &gather.adjoint(), &gather.range_of(shape).unwrap(), 33);
            }
        }
    }
}

pub fn rows_without_entries_are_zero(cell: &Cell) {
    for (axis, shape) in [(0, [5, 4]), (1, [4, 5])] {
        let gather = drawn(axis, 5, &[0, 2, 0, 0, 1], Kind::Real, 34);
        set(cell, &gather, &shape, 35);
        let none = drawn(axis, 5, &[0; 3], Kind::Ones, 36);
        set(cell, &none, &shape, 37);
        let range = none.range_of(&shape).unwrap();
        let x = cell.unreadable(&shape, Form::Plain);
        let still = cell.filled(&shape, 0.0);
        let update = Update::new(1.0, -0.5);
        let mut y = cell.random(&range, Form::Mixed, 38);
        let expected = reference::gather(&none, &still.tensor, &y.tensor, update);
        cell.executor.gather(&none, x.view(), y.view_mut(), update).unwrap();
        cell.check(&y, &expected, "no entries, scaled");
    }
}

pub fn nothing_to_gather(cell: &Cell) {
    // No rows, no columns, no other index.
    let cases = [
        (Gather::pick(0, 4, []).unwrap(), [4, 3]),
        (drawn(0, 1, &[0, 0], Kind::Ones, 39), [1, 3]),
        (Gather::new(1, &[2], &[0], vec![0; 3], vec![], None).unwrap(), [3, 0]),
        (Gather::pick(0, 4, [3, 1]).unwrap(), [4, 0]),
    ];
    for (gather, shape) in cases {
        let range = gather.range_of(&shape).unwrap();
        for update in [Update::set(), Update::add(), Update::new(2.0, 3.0)] {
            let x = cell.random(&shape, Form::Plain, 40);
            check(cell, &gather, &x, &mut cell.random(&range, Form::Plain, 41), update);
        }
    }
}

pub fn any_matrix(cell: &Cell) {
    let mut random = Random(42);
    let mut draw = move |below: usize| random.bits() as usize % below;
    for seed in 0..if cell.executor.device().is_cpu() { 60 } else { 12 } {
        let shape: Vec<usize> = (0..=draw(3)).map(|_| [1, 2, 3, 5, 8, 16][draw(6)]).collect();
        let axis = draw(shape.len());
        let most = [2, 4, 12, 200][draw(4)];
        let lengths: Vec<usize> = (0..=draw(12)).map(|_| draw(most)).collect();
        let kind = [Kind::Ones, Kind::Real, Kind::Complex][draw(3)];
        let kind = if cell.is_complex() || kind != Kind::Complex { kind } else { Kind::Real };
        let gather = drawn(axis, shape[axis], &lengths, kind, seed);
        let range = gather.range_of(&shape).unwrap();
        let (forms, update) = ([draw(6), draw(6)].map(|form| FORMS[form]), draw(3));
        let update =
            [Update::set(), Update::add(), Update::new(cell.number(0.5, -1.0), 2.0)][update];
        let x = cell.random(&shape, forms[0], seed + 100);
        check(cell, &gather, &x, &mut cell.random(&range, forms[1], seed + 200), update);
        let back = cell.random(&range, forms[1], seed + 300);
        let mut to = cell.random(&shape, forms[0], seed + 400);
        check(cell, &gather.adjoint(), &back, &mut to, update);
    }
}
