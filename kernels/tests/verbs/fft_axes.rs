//! `fft_axes`: transforms along several axes.

use std::sync::Arc;

use arrayspan_kernels::bridge::devices::{Device, DeviceKind};
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Fourier, Result, Update, on};
use num_complex::Complex64;

use crate::cell::{Cell, compiles_slowly};
use crate::errors::{argument, array, dtype, host, refused, shape};
use crate::fft::spectra;
use crate::fft_library::{error, most, with_library};
use crate::sample::{FORMS, Form, Sample};

/// A cell of the same device for another dtype.
fn of(cell: &Cell, dtype: DType) -> Cell {
    Cell { executor: Arc::clone(&cell.executor), dtype }
}

/// The shapes and dtypes behind each transform.
fn behind(transforms: &[Fourier], from: &[usize], dtype: DType) -> Vec<(Vec<usize>, DType)> {
    let mut shape = from.to_vec();
    let behind = transforms.iter().map(|fourier| {
        shape = fourier.range_of(&shape).unwrap();
        (shape.clone(), fourier.dtypes(dtype)[1])
    });
    behind.collect()
}

/// Results of one call, or of a call for each axis.
fn results(
    cell: &Cell,
    transforms: &[Fourier],
    from: &[usize],
    [x_form, y_form]: [Form; 2],
    (update, together): (Update, bool),
) -> Vec<Complex64> {
    let x_cell = of(cell, transforms[0].dtypes(cell.dtype)[0]);
    let x = x_cell.random(from, x_form, 5);
    let mut all: Vec<(Cell, Sample)> = Vec::new();
    for (number, (shape, dtype)) in behind(transforms, from, cell.dtype).into_iter().enumerate() {
        let cell = of(cell, dtype);
        let last = number + 1 == transforms.len();
        let form = if last { y_form } else { Form::Plain };
        let array = if last { cell.random(&shape, form, 6) } else { cell.unreadable(&shape, form) };
        all.push((cell, array));
    }
    if together {
        let (last, between) = all.split_last_mut().unwrap();
        let between = between.iter_mut().map(|(_, array)| array.view_mut());
        let on = &cell.executor;
        on.fft_axes(transforms, x.view(), between, last.1.view_mut(), update).unwrap();
        x.check_unchanged(&x_cell);
        last.1.check_surroundings(&last.0, "y");
    } else {
        for (number, fourier) in transforms.iter().enumerate() {
            let (before, rest) = all.split_at_mut(number);
            let from = before.last().map_or(&x, |(_, array)| array).view();
            let update = if rest.len() == 1 { update } else { Update::set() };
            cell.executor.fft(fourier, from, rest[0].1.view_mut(), update).unwrap();
        }
    }
    let (cell, y) = all.last().unwrap();
    y.read(cell).values
}

#[track_caller]
fn check(cell: &Cell, transforms: &[Fourier], from: &[usize], forms: [Form; 2], update: Update) {
    let host = Cell { executor: on(Device::cpu()).unwrap(), dtype: cell.dtype };
    let expected = results(&host, transforms, from, forms, (update, false));
    let found = results(cell, transforms, from, forms, (update, true));
    let wrong = error(&expected, &found);
    assert!(wrong < most(cell.dtype), "{transforms:?} of {from:?}, {update:?}: {wrong:e}");
}

/// The last axes of a shape, each whole and orthonormal, the last one first; as half a spectrum with √2 where numbers are real.
fn last(cell: &Cell, shape: &[usize], count: usize) -> Vec<Vec<Fourier>> {
    let rank = shape.len();
    let line = spectra(cell, rank - 1, shape[rank - 1]).into_iter().map(|line| {
        let line = line.scaled(0.75).unwrap();
        line.weighted(2.0_f64.sqrt()).unwrap_or(line)
    });
    let others = (rank - count..rank - 1)
        .rev()
        .map(|axis| Fourier::new(axis, shape[axis]).unwrap().scaled(0.5).unwrap());
    let others: Vec<Fourier> = others.collect();
    line.map(|line| [&[line][..], &others].concat()).collect()
}

fn adjoint(transforms: &[Fourier]) -> Vec<Fourier> {
    transforms.iter().rev().map(|fourier| fourier.adjoint()).collect()
}

fn conj(transforms: &[Fourier]) -> Vec<Fourier> {
    transforms.iter().map(|fourier| fourier.conj()).collect()
}

/// Both directions and signs of transforms of an array of signals of that shape.
fn each_direction(
    cell: &Cell,
    transforms: &[Fourier],
    shape: &[usize],
    mut check: impl FnMut(&[Fourier], &[usize]),
) {
    let range = behind(transforms, shape, cell.dtype).pop().unwrap().0;
    let back = adjoint(transforms);
    check(transforms, shape);
    check(&back, &range);
    check(&conj(transforms), shape);
    check(&conj(&back), &range);
}

pub fn last_axes_of_every_rank(cell: &Cell) {
    let shapes: [(&[usize], usize); 7] = [
        (&[6, 10], 2),
        (&[3, 5, 7], 2),
        (&[4, 5, 6], 3),
        (&[2, 3, 8, 9], 3),
        (&[1, 12], 2),
        (&[5, 1, 6], 3),
        (&[7, 1], 2),
    ];
    let slowly = compiles_slowly(cell.executor.device());
    let updates = [Update::set(), Update::new(0.5, -2.0), Update::add()];
    for (number, (shape, count)) in shapes.into_iter().take(if slowly { 3 } else { 7 }).enumerate()
    {
        for transforms in last(cell, shape, count) {
            let mut turn = number;
            each_direction(cell, &transforms, shape, |transforms, from| {
                turn += 1;
                check(cell, transforms, from, [Form::Plain; 2], updates[turn % 3]);
            });
        }
    }
}

/// Zeros, cuts and turns of the last axis, or of others; axes in another order, and with others between them; of other layouts.
pub fn ends_orders_and_layouts(cell: &Cell) {
    let shape = [4, 6, 9];
    let line = spectra(cell, 2, 10).pop().unwrap();
    let others = [0, 1].map(|axis| Fourier::new(axis, shape[axis]).unwrap());
    let padded = line.of_extent(9).turned([3, 2]);
    let all = [
        vec![padded, others[1]],
        vec![padded, others[1], others[0]],
        vec![padded, others[0]],
        vec![line.of_extent(9), others[0], others[1]],
        vec![line.of_extent(9), Fourier::new(1, 8).unwrap().of_extent(6).turned([1, 3])],
        vec![line.of_extent(9), others[1].conj()],
        vec![spectra(cell, 2, 9)[0], others[1], others[0]],
    ];
    let slowly = compiles_slowly(cell.executor.device());
    for (number, transforms) in all.iter().enumerate() {
        each_direction(cell, transforms, &shape, |transforms, from| {
            check(cell, transforms, from, [Form::Plain; 2], Update::set());
        });
        if !slowly || number == 1 {
            let forms = [FORMS[number % FORMS.len()], FORMS[(number / 2 + 1) % FORMS.len()]];
            check(cell, transforms, &shape, forms, Update::new(2.0, 1.0));
        }
    }
}

/// More than a stand-in for a library takes at a time.
pub fn several_parts(cell: &Cell) {
    let shapes: [(&[usize], usize); 2] = [(&[5, 200, 301], 2), (&[3, 40, 50, 60], 3)];
    for (shape, count) in shapes {
        for transforms in last(cell, shape, count) {
            check(cell, &transforms, shape, [Form::Plain; 2], Update::set());
            let range = behind(&transforms, shape, cell.dtype).pop().unwrap().0;
            check(cell, &adjoint(&transforms), &range, [Form::Plain; 2], Update::add());
        }
    }
}

/// The sizes from which on the library is chosen without being asked for.
pub fn large_arrays(cell: &Cell) {
    if cell.executor.device().kind() != DeviceKind::Cuda {
        return;
    }
    for (shape, count) in [(&[3000, 4001][..], 2), (&[2, 150, 200, 211], 3)] {
        for transforms in last(cell, shape, count) {
            each_direction(cell, &transforms, shape, |transforms, from| {
                check(cell, transforms, from, [Form::Plain; 2], Update::set());
            });
        }
    }
}

pub fn nothing_to_transform(cell: &Cell) {
    for transforms in last(cell, &[4, 6], 2) {
        let transforms: Vec<Fourier> =
            transforms.iter().map(|fourier| fourier.at_axis(fourier.axis() + 1)).collect();
        let found = results(cell, &transforms, &[0, 4, 6], [Form::Plain; 2], (Update::add(), true));
        assert!(found.is_empty());
    }
}

macro_rules! by_the_library {
    ($($case:ident as $name:ident)*) => {
        $(pub fn $name(cell: &Cell) {
            with_library(cell, $case);
        })*
    };
}

by_the_library! {
    last_axes_of_every_rank as last_axes_by_the_library
    ends_orders_and_layouts as ends_orders_and_layouts_by_the_library
    several_parts as several_parts_by_the_library
}

#[test]
fn fft_axes_checks_its_arguments() {
    let x = array(&[2, 6], DType::Complex64);
    let run = |transforms: Vec<Fourier>, between: Vec<(Vec<usize>, DType)>| {
        let view = x.view();
        move |out: &mut Array| -> Result<()> {
            let mut between: Vec<Array> =
                between.iter().map(|(shape, dtype)| array(shape, *dtype)).collect();
            let between = between.iter_mut().map(Array::view_mut);
            host().fft_axes(&transforms, view, between, out.view_mut(), Update::set())
        }
    };
    let [two, six] = [(0, 2), (1, 6)].map(|(axis, points)| Fourier::new(axis, points).unwrap());
    let same = || vec![(vec![2, 6], DType::Complex64)];
    let to = DType::Complex64;
    for (transforms, between) in [(vec![], vec![]), (vec![six], vec![]), (vec![two, six], vec![])] {
        refused(&[2, 6], to, run(transforms, between), argument, &["fft_axes", "transforms with"]);
    }
    let words = ["fft_axes", "two transforms along axis 1"];
    refused(&[2, 6], to, run(vec![six, six], same()), argument, &words);
    let words = ["fft_axes", "between", "[2, 6]", "[6, 2]"];
    let turned = vec![(vec![6, 2], DType::Complex64)];
    refused(&[2, 6], to, run(vec![two, six], turned), shape, &words);
    let words = ["fft_axes", "between is Complex128", "Complex64"];
    let other = vec![(vec![2, 6], DType::Complex128)];
    refused(&[2, 6], to, run(vec![two, six], other), dtype, &words);
    let words = ["fft_axes", "y", "[2, 6]", "[2, 5]"];
    refused(&[2, 5], to, run(vec![two, six], same()), shape, &words);
    let words = ["fft_axes", "x is Complex64, y Complex128", "one precision"];
    refused(&[2, 6], DType::Complex128, run(vec![two, six], same()), argument, &words);
    let words = ["fft_axes", "x has shape [2, 6]", "no axis 2"];
    refused(&[2, 6], to, run(vec![two.at_axis(2), six], same()), argument, &words);
    let words = ["fft_axes", "between has shape [2, 6]", "expected 7 along axis 1"];
    let seven = Fourier::new(1, 7).unwrap();
    refused(&[2, 6], to, run(vec![two, seven], same()), argument, &words);
    let words = ["fft_axes", "1e60", "not a finite number of Complex64"];
    let heavy = two.scaled(1e60).unwrap();
    refused(&[2, 6], to, run(vec![heavy, six], same()), argument, &words);
}
