//! `stencil`.

use arrayspan_kernels::{Band, Stencil, Tap, Update};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::reference;
use crate::sample::{FORMS, Form, Random, Sample};

#[track_caller]
pub(super) fn check(cell: &Cell, stencil: &Stencil, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference::stencil(stencil, &x.tensor, &y.tensor, update);
    cell.executor.stencil(stencil, x.view(), y.view_mut(), update).unwrap();
    let what = format!("{:?} {update:?}", stencil.terms().first());
    cell.check(y, &expected, &what);
    x.check_unchanged(cell);
}

/// A centered difference.
pub(super) fn difference(len: usize) -> Band {
    Band::uniform(len, [(-1, -0.5), (1, 0.5)])
}

/// Many taps, to one side more than to the other.
pub(super) fn filter(len: usize, taps: usize) -> Band {
    let mut random = Random(taps as u64);
    let first = -(taps as isize) / 3;
    Band::uniform(len, (0..taps as isize).map(move |k| (first + k, random.next())))
}

/// Other taps in the first two rows and in the last one.
pub(super) fn with_edges(len: usize) -> Band {
    Band::from_rows(len, 2, |i| {
        let taps = match (i, len - 1 - i) {
            (0, _) => vec![(0, -1.0), (1, 1.0), (2, 0.25)],
            (1, _) => vec![(-1, 2.0), (3, -0.5)],
            (_, 0) => vec![(-2, 0.75), (0, 4.0)],
            _ => vec![(-1, -0.5), (0, 0.125), (2, 0.5)],
        };
        taps.into_iter().map(|(offset, weight)| Tap { offset, weight: Complex64::new(weight, 0.0) })
    })
}

pub fn every_axis_of_every_rank(cell: &Cell) {
    for shape in [&[13][..], &[7, 11], &[5, 7, 3], &[3, 5, 2, 7], &[4, 1, 6]] {
        for axis in 0..shape.len() {
            let stencil = Stencil::along(axis, with_edges(shape[axis])).unwrap();
            let x = cell.random(shape, Form::Plain, 1);
            check(cell, &stencil, &x, &mut cell.unreadable(shape, Form::Plain), Update::set());
        }
    }
}

pub fn axes_shorter_than_the_reach(cell: &Cell) {
    for len in 1..6 {
        for (axis, shape) in [(0, [len, 3]), (1, [3, len])] {
            for band in [filter(len, 9), with_edges(len), difference(len)] {
                let stencil = Stencil::along(axis, band).unwrap();
                let x = cell.random(&shape, Form::Plain, 2);
                check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
            }
        }
    }
}

pub fn special_first_and_last_rows(cell: &Cell) {
    for (axis, shape) in [(0, [23, 6]), (1, [6, 23])] {
        for band in [with_edges(23), with_edges(23).transpose()] {
            let stencil = Stencil::along(axis, band).unwrap();
            let x = cell.random(&shape, Form::Plain, 3);
            check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
        }
    }
}

pub fn long_filters(cell: &Cell) {
    for taps in [4, 5, 7, 22, 41] {
        for (axis, shape) in [(0, [97, 5]), (1, [5, 97])] {
            let stencil = Stencil::along(axis, filter(97, taps)).unwrap();
            let x = cell.random(&shape, Form::Plain, 4);
            check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
        }
    }
}

pub fn long_rows_of_taps_along_every_axis(cell: &Cell) {
    let plane: &[usize] = &[211, 37];
    let shapes: [(usize, &[usize]); 8] = [
        (3, plane),
        (12, plane),
        (12, &[3, 67, 34]),
        (41, plane),
        (41, &[1009]),
        (64, &[37, 131]),
        (65, &[131, 2]),
        (130, plane),
    ];
    for (taps, shape) in shapes {
        for axis in 0..shape.len() {
            let stencil = Stencil::along(axis, filter(shape[axis], taps)).unwrap();
            let x = cell.random(shape, Form::Plain, taps as u64);
            check(cell, &stencil, &x, &mut cell.unreadable(shape, Form::Plain), Update::set());
        }
    }
}

pub fn long_rows_of_taps_between_special_rows(cell: &Cell) {
    for (axis, shape) in [(0, [83, 35]), (1, [35, 83])] {
        let band = filter(83, 19).plus(&with_edges(83)).unwrap();
        for band in [band.clone(), band.transpose(), filter(83, 70).plus(&band).unwrap()] {
            let stencil = Stencil::along(axis, band).unwrap();
            let x = cell.random(&shape, Form::Plain, 16);
            for update in [Update::set(), Update::new(cell.number(0.5, 0.25), -2.0)] {
                check(cell, &stencil, &x, &mut cell.random(&shape, Form::Plain, 17), update);
            }
        }
    }
}

/// What no tap reaches is not touched: beside it may stand what is not a number.
pub fn values_beyond_the_taps_do_not_spread(cell: &Cell) {
    let at = 100;
    for (axis, shape) in [(0, [257, 33]), (1, [33, 257])] {
        for taps in [3, 17, 70] {
            let band = filter(257, taps);
            let reached: Vec<bool> = (0..257)
                .map(|i| band.row(i).iter().any(|tap| i.checked_add_signed(tap.offset) == Some(at)))
                .collect();
            let stencil = Stencil::along(axis, band).unwrap();
            let clean = cell.random(&shape, Form::Plain, 18);
            let mut values = clean.tensor.clone();
            for (index, value) in reference::indices(&shape).zip(&mut values.values) {
                if index[axis] == at {
                    value.re = f64::NAN;
                }
            }
            let spoilt = Sample::new(cell, &values, Form::Plain);
            let [clean, spoilt] = [clean, spoilt].map(|x| {
                let mut y = cell.unreadable(&shape, Form::Plain);
                cell.executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
                y.read(cell).values
            });
            for ((index, clean), spoilt) in reference::indices(&shape).zip(clean).zip(spoilt) {
                let reached = reached[index[axis]];
                assert_eq!(spoilt.re.is_nan(), reached, "{taps} taps along axis {axis}: {index:?}");
                assert!(reached || clean == spoilt, "{taps} taps along axis {axis}: {index:?}");
            }
        }
    }
}

pub fn several_axes_in_one_pass(cell: &Cell) {
    let second = |len| Band::uniform(len, [(-1, 1.0), (0, -2.0), (1, 1.0)]);
    let shape = [6, 7, 11];
    let laplacian = Stencil::new((0..3).map(|axis| (axis, second(shape[axis])))).unwrap();
    let outer = Stencil::new([(0, with_edges(6)), (1, filter(7, 5))]).unwrap();
    let ends = Stencil::new([(2, with_edges(11)), (0, difference(6))]).unwrap();
    let twice = Stencil::new([(1, second(7)), (1, with_edges(7))]).unwrap();
    for stencil in [laplacian, outer, ends, twice] {
        let x = cell.random(&shape, Form::Plain, 5);
        check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
    }
}

/// Stars that are large enough for threads that go along one of their axes, special rows at both ends of each.
pub fn large_stars(cell: &Cell) {
    let second = |len| Band::uniform(len, [(-1, 1.0), (0, -2.0), (1, 1.0)]);
    let lopsided = |len| Band::uniform(len, [(-2, 0.5), (1, -1.5)]);
    for shape in [&[37, 47, 43][..], &[40, 46, 44], &[17, 3, 101, 31]] {
        let rank = shape.len();
        let axis = |at: usize| (rank - 3 + at, shape[rank - 3 + at]);
        let along = |at: usize, band: &dyn Fn(usize) -> Band| (axis(at).0, band(axis(at).1));
        let laplacian = [along(0, &second), along(1, &second), along(2, &second)];
        let outer = [along(0, &with_edges), along(1, &lopsided)];
        let mixed = [along(0, &lopsided), along(1, &with_edges), along(2, &with_edges)];
        for terms in [laplacian.to_vec(), outer.to_vec(), mixed.to_vec()] {
            let stencil = Stencil::new(terms).unwrap();
            let x = cell.random(shape, Form::Plain, 19);
            check(cell, &stencil, &x, &mut cell.unreadable(shape, Form::Plain), Update::set());
            let update = Update::new(cell.number(0.5, -1.0), 2.0);
            check(cell, &stencil, &x, &mut cell.random(shape, Form::Inside, 20), update);
        }
    }
}

pub fn complex_weights(cell: &Cell) {
    if !cell.is_complex() {
        return;
    }
    let taps = [(-2, 0.5, 0.25), (0, -1.0, 2.0), (1, 0.0, -1.5)];
    let taps = taps.map(|(offset, re, im)| (offset, Complex64::new(re, im)));
    for (axis, shape) in [(0, [17, 5]), (1, [5, 17])] {
        let band = Band::uniform_complex(17, taps);
        for band in [band.clone(), band.adjoint(), band.after(&with_edges(17)).unwrap()] {
            let stencil = Stencil::along(axis, band).unwrap();
            let x = cell.random(&shape, Form::Plain, 6);
            check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
        }
    }
    // Real weights, complex factors.
    let stencil = Stencil::along(0, difference(17)).unwrap();
    let update = Update::new(Complex64::new(0.5, 1.0), Complex64::new(0.0, -2.0));
    let x = cell.random(&[17, 5], Form::Plain, 7);
    check(cell, &stencil, &x, &mut cell.random(&[17, 5], Form::Plain, 8), update);
}

pub fn layouts_do_not_matter(cell: &Cell) {
    let shape = [5, 9, 4];
    let stencil = Stencil::new([(1, with_edges(9)), (2, difference(4))]).unwrap();
    for x_form in FORMS {
        for y_form in FORMS {
            let x = cell.random(&shape, x_form, 9);
            check(cell, &stencil, &x, &mut cell.unreadable(&shape, y_form), Update::set());
        }
    }
    // The same row, or the same number, again and again.
    for part in [&[4][..], &[9, 1], &[]] {
        let x = cell.random(part, Form::Plain, 10);
        let mut y = cell.unreadable(&shape, Form::Plain);
        let repeated = x.tensor.broadcast(&shape);
        let expected = reference::stencil(&stencil, &repeated, &y.tensor, Update::set());
        let view = x.view().broadcast(&shape).unwrap();
        cell.executor.stencil(&stencil, view, y.view_mut(), Update::set()).unwrap();
        cell.check(&y, &expected, &format!("{part:?} repeated"));
    }
}

pub fn long_arrays(cell: &Cell) {
    for shape in [&[311, 307][..], &[3, 40_011], &[40_011, 3], &[40, 47, 42], &[40_011, 2, 1]] {
        for axis in 0..shape.len() {
            let band = with_edges(shape[axis].max(4));
            if band.len() != shape[axis] {
                continue;
            }
            for (x_form, y_form) in [(Form::Plain, Form::Plain), (Form::Inside, Form::Transposed)] {
                let stencil = Stencil::along(axis, band.clone()).unwrap();
                let x = cell.random(shape, x_form, 14);
                check(cell, &stencil, &x, &mut cell.unreadable(shape, y_form), Update::set());
            }
        }
    }
}

pub fn without_terms_there_is_nothing_to_add(cell: &Cell) {
    let empty = Stencil::new([]).unwrap();
    let zero = Stencil::along(0, Band::uniform(5, [])).unwrap();
    for stencil in [empty, zero] {
        let x = cell.unreadable(&[5, 4], Form::Plain);
        let mut y = cell.random(&[5, 4], Form::Mixed, 15);
        let update = Update::new(1.0, -0.5);
        let still = cell.filled(&[5, 4], 0.0);
        let expected = reference::stencil(&stencil, &still.tensor, &y.tensor, update);
        cell.executor.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
        cell.check(&y, &expected, "no taps, scaled");
        let mut y = cell.unreadable(&[5, 4], Form::Mixed);
        let expected = reference::stencil(&stencil, &still.tensor, &y.tensor, Update::set());
        cell.executor.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap();
        cell.check(&y, &expected, "no taps, set");
    }
}

pub fn the_adjoint_satisfies_the_dot_test(cell: &Cell) {
    let shape = [9, 14];
    let band = if cell.is_complex() {
        Band::uniform_complex(14, [(-3, Complex64::new(0.5, 1.0)), (1, Complex64::new(2.0, -0.5))])
    } else {
        filter(14, 5)
    };
    let stencil = Stencil::new([(0, with_edges(9)), (1, band)]).unwrap();
    let (u, v) = (cell.random(&shape, Form::Plain, 16), cell.random(&shape, Form::Plain, 17));
    let mut au = cell.unreadable(&shape, Form::Plain);
    let mut bv = cell.unreadable(&shape, Form::Plain);
    cell.executor.stencil(&stencil, u.view(), au.view_mut(), Update::set()).unwrap();
    cell.executor.stencil(&stencil.adjoint(), v.view(), bv.view_mut(), Update::set()).unwrap();
    let dot = |a: &[Complex64], b: &[Complex64]| -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    };
    let left = dot(&v.tensor.values, &au.read(cell).values);
    let right = dot(&bv.read(cell).values, &u.tensor.values);
    assert!((left - right).norm() <= 1e-5 * left.norm().max(1.0), "{left} and {right}");
}

pub fn empty_arrays(cell: &Cell) {
    for (axis, shape) in [(0, [0, 4]), (1, [0, 4]), (0, [4, 0])] {
        let stencil = Stencil::along(axis, difference(shape[axis])).unwrap();
        let x = cell.random(&shape, Form::Plain, 18);
        check(cell, &stencil, &x, &mut cell.random(&shape, Form::Plain, 19), Update::add());
    }
}
