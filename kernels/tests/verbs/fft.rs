//! `fft`.

use std::sync::Arc;

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::{Fourier, Signals, Update};
use num_complex::Complex64;

use crate::cell::{Cell, compiles_slowly};
use crate::reference;
use crate::sample::{FORMS, Form, Random, Sample};

/// The cells of inputs and results: this one, and that of the numbers on the other side.
pub fn sides(cell: &Cell, fourier: &Fourier) -> [Cell; 2] {
    fourier.dtypes(cell.dtype).map(|dtype| Cell { executor: Arc::clone(&cell.executor), dtype })
}

#[track_caller]
pub fn check(cell: &Cell, fourier: &Fourier, x: &Sample, y: &mut Sample, update: Update) {
    let [of_x, of_y] = sides(cell, fourier);
    let expected = reference::fft(fourier, &x.tensor, &y.tensor, update);
    cell.executor.fft(fourier, x.view(), y.view_mut(), update).unwrap();
    of_y.check(y, &expected, &format!("{fourier:?} of {:?}, {update:?}", x.tensor.shape));
    x.check_unchanged(&of_x);
}

/// From a plain input to an output of which nothing may be read.
#[track_caller]
pub fn set(cell: &Cell, fourier: &Fourier, shape: &[usize], seed: u64) {
    set_by(cell, fourier, shape, seed, Update::set());
}

/// The same times a factor.
#[track_caller]
fn set_by(cell: &Cell, fourier: &Fourier, shape: &[usize], seed: u64, update: Update) {
    let [of_x, of_y] = sides(cell, fourier);
    let mut domain = shape.to_vec();
    domain[fourier.axis()] = fourier.extents()[0];
    let x = of_x.random(&domain, Form::Plain, seed);
    let range = fourier.range_of(&domain).unwrap();
    check(cell, fourier, &x, &mut of_y.unreadable(&range, Form::Plain), update);
}

/// Of a cell's numbers: of complex ones, or the three of real ones.
pub fn kinds(cell: &Cell, axis: usize, points: usize) -> Vec<Fourier> {
    let fourier = Fourier::new(axis, points).unwrap();
    if cell.is_complex() {
        vec![fourier]
    } else {
        vec![fourier.real(), fourier.half(), fourier.cosines()]
    }
}

/// Those whose spectra are complex, which a library takes.
pub fn spectra(cell: &Cell, axis: usize, points: usize) -> Vec<Fourier> {
    let all = kinds(cell, axis, points).into_iter();
    all.filter(|fourier| fourier.signals() != Signals::Cosines).collect()
}

/// In both directions, with exponents of both signs.
pub fn directions(fourier: Fourier) -> [Fourier; 4] {
    [fourier, fourier.adjoint(), fourier.conj(), fourier.adjoint().conj()]
}

pub fn slowly(cell: &Cell) -> bool {
    compiles_slowly(cell.executor.device())
}

pub fn every_length_along_the_last_axis(cell: &Cell) {
    let some = [1, 2, 3, 8, 13, 17, 24, 77, 286, 625];
    let long = [97, 100, 128, 143, 210, 256, 360, 625, 675, 1001, 1024, 1155];
    let all: Vec<usize> = (1..70).chain(long).collect();
    let lengths = if slowly(cell) { &some[..] } else { &all };
    for &points in lengths {
        for (number, fourier) in kinds(cell, 1, points).into_iter().enumerate() {
            let turned = directions(fourier);
            let tried =
                if slowly(cell) { vec![turned[(points + number) % 4]] } else { turned.to_vec() };
            for fourier in tried {
                set(cell, &fourier, &[3, points], points as u64);
            }
        }
    }
}

pub fn every_axis_of_every_rank(cell: &Cell) {
    let shapes = [&[6, 5, 3][..], &[7, 33], &[12, 1], &[1, 9], &[10], &[3, 5, 2, 7], &[40, 70]];
    let tried = if slowly(cell) { 2 } else { shapes.len() };
    for shape in &shapes[..tried] {
        for axis in 0..shape.len() {
            for fourier in kinds(cell, axis, shape[axis]) {
                let turned = directions(fourier);
                let tried = if slowly(cell) { 1 } else { 2 };
                turned[..tried].iter().for_each(|fourier| set(cell, fourier, shape, 2));
            }
        }
    }
}

/// Zeros behind signals, signals cut off, first samples and bins that are others, weights.
pub fn ends_are_taken_along(cell: &Cell) {
    let all = [
        (12, 7, [3, 5]),
        (7, 12, [4, 1]),
        (9, 9, [4, 2]),
        (8, 1, [0, 3]),
        (5, 11, [10, 0]),
        (17, 12, [6, 8]),
    ];
    for (points, extent, turns) in all.into_iter().take(if slowly(cell) { 3 } else { 6 }) {
        for (number, fourier) in kinds(cell, 1, points).into_iter().enumerate() {
            let fourier = fourier.of_extent(extent).turned(turns).scaled(0.75).unwrap();
            let fourier =
                if number > 0 { fourier.weighted(2.0_f64.sqrt()).unwrap() } else { fourier };
            for fourier in &directions(fourier)[..if slowly(cell) { 2 } else { 4 }] {
                set(cell, fourier, &[4, extent], 3);
            }
        }
    }
}

/// More of them than a group's lines times their number fit 32 bits.
pub fn many_zeros_behind_a_short_line(cell: &Cell) {
    let fourier = kinds(cell, 0, 2).pop().unwrap();
    set(cell, &fourier.of_extent(2_200_000).adjoint(), &[2_200_000], 8);
}

pub fn layouts_do_not_matter(cell: &Cell) {
    let mut turn = 0;
    for axis in 0..3 {
        for fourier in kinds(cell, axis, [6, 15, 4][axis]) {
            for x_form in FORMS {
                for y_form in FORMS {
                    turn += 1;
                    if slowly(cell) && turn % 23 != 1 {
                        continue;
                    }
                    let fourier = directions(fourier)[turn % 4];
                    let [of_x, of_y] = sides(cell, &fourier);
                    let mut shape = [6, 15, 4];
                    shape[axis] = fourier.extents()[0];
                    let x = of_x.random(&shape, x_form, 4);
                    let range = fourier.range_of(&shape).unwrap();
                    check(cell, &fourier, &x, &mut of_y.unreadable(&range, y_form), Update::set());
                }
            }
        }
    }
    // The same line again and again, and the same number.
    let fourier = kinds(cell, 1, 12)[0];
    let [of_x, of_y] = sides(cell, &fourier);
    for part in [&[12][..], &[5, 1]] {
        let x = of_x.random(part, Form::Plain, 5);
        let mut y = of_y.unreadable(&[5, 12], Form::Plain);
        let expected =
            reference::fft(&fourier, &x.tensor.broadcast(&[5, 12]), &y.tensor, Update::set());
        let view = x.view().broadcast(&[5, 12]).unwrap();
        cell.executor.fft(&fourier, view, y.view_mut(), Update::set()).unwrap();
        of_y.check(&y, &expected, "repeated");
    }
}

pub fn what_was_there_is_scaled_and_added(cell: &Cell) {
    for (axis, shape) in [(0, [9, 8]), (1, [9, 8]), (1, [3, 34])] {
        for (number, fourier) in kinds(cell, axis, shape[axis]).into_iter().enumerate() {
            for fourier in [fourier, fourier.adjoint()] {
                let [of_x, of_y] = sides(cell, &fourier);
                let mut domain = shape;
                domain[axis] = fourier.extents()[0];
                let x = of_x.random(&domain, Form::Plain, 6);
                let range = fourier.range_of(&domain).unwrap();
                let updates = [
                    Update::new(of_y.number(0.5, 0.25), of_y.number(-2.0, 1.5)),
                    Update::add(),
                    Update::new(-0.5, 2.0),
                ];
                let tried = if slowly(cell) { number % 2..number % 2 + 1 } else { 0..3 };
                for update in &updates[tried] {
                    check(cell, &fourier, &x, &mut of_y.random(&range, Form::Mixed, 7), *update);
                }
            }
        }
    }
}

pub fn nothing_to_transform(cell: &Cell) {
    let none = kinds(cell, 0, 4)[0];
    for fourier in [none, none.of_extent(0), none.adjoint(), none.of_extent(0).adjoint()] {
        let [of_x, of_y] = sides(cell, &fourier);
        for lines in [0, 3] {
            let shape = [fourier.extents()[0], lines];
            let range = fourier.range_of(&shape).unwrap();
            for update in [Update::set(), Update::add(), Update::new(2.0, 3.0)] {
                let x = of_x.random(&shape, Form::Plain, 10);
                check(cell, &fourier, &x, &mut of_y.random(&range, Form::Plain, 11), update);
            }
        }
    }
}

/// Numbers whose squares are none.
pub fn sizes_far_from_one(cell: &Cell) {
    for size in [1e-20, 1e20] {
        for fourier in kinds(cell, 1, 60) {
            let [of_x, of_y] = sides(cell, &fourier);
            let plain = of_x.random(&[2, 60], Form::Plain, 12);
            let narrow = |part: f64| f64::from((part * size) as f32);
            let values = plain.tensor.values.iter();
            let values = values.map(|v| Complex64::new(narrow(v.re), narrow(v.im))).collect();
            let x = Sample::new(&of_x, &reference::Tensor::new(&[2, 60], values), Form::Plain);
            let range = fourier.range_of(&[2, 60]).unwrap();
            let update = Update::new(1.0 / size, 0.0);
            check(cell, &fourier, &x, &mut of_y.unreadable(&range, Form::Plain), update);
        }
    }
}

/// Scales, weights and factors of cosines that are far from one, but not their products.
pub fn factors_far_from_one(cell: &Cell) {
    // Devices that run kernels scale before they multiply by a factor.
    if cell.is_complex() || !cell.executor.device().is_cpu() {
        return;
    }
    let cosines = Fourier::new(1, 12).unwrap().cosines();
    for (scale, weight, alpha) in
        [(1e30, 1.0, 1e-30), (1e-30, 1.0, 1e30), (1e-45, 1e38, 1.0), (1e-20, 1e30, 1.0)]
    {
        let fourier = cosines.scaled(scale).unwrap().weighted(weight).unwrap();
        for fourier in [fourier, fourier.adjoint()] {
            set_by(cell, &fourier, &[2, 12], 10, Update::new(alpha, 0.0));
        }
    }
}

/// Errors of a transform of random numbers are less than one rounding for each time that its length is halved.
pub fn errors_are_a_few_roundings(cell: &Cell) {
    let epsilon =
        if cell.dtype.real() == DType::Float32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    for points in [1 << 10, 2187, 1009, 3003] {
        let fourier = kinds(cell, 0, points)[0];
        let [of_x, of_y] = sides(cell, &fourier);
        let x = of_x.random(&[points], Form::Plain, 13);
        let mut y = of_y.unreadable(&[points], Form::Plain);
        let expected = reference::fft(&fourier, &x.tensor, &y.tensor, Update::set()).result;
        cell.executor.fft(&fourier, x.view(), y.view_mut(), Update::set()).unwrap();
        let found = y.read(&of_y);
        let squares =
            |of: &dyn Fn(usize) -> Complex64| (0..points).map(|k| of(k).norm_sqr()).sum::<f64>();
        let wrong = squares(&|k| found.values[k] - expected.values[k]);
        let error = (wrong / squares(&|k| expected.values[k])).sqrt() / epsilon;
        assert!(error < f64::from(points.ilog2()), "{points} points: {error} roundings");
    }
}

pub fn any_transform(cell: &Cell) {
    let mut random = Random(42);
    let mut draw = move |below: usize| random.bits() as usize % below;
    for seed in 0..if slowly(cell) { 6 } else { 120 } {
        let mut shape: Vec<usize> =
            (0..=draw(3)).map(|_| [1, 2, 3, 5, 8, 16, 37][draw(7)]).collect();
        let axis = draw(shape.len());
        let points = 1 + draw(70);
        let kinds = kinds(cell, axis, points);
        let fourier = kinds[draw(kinds.len())].of_extent(draw(80)).turned([draw(90), draw(90)]);
        let fourier = fourier.scaled([1.0, -0.5, 0.125][draw(3)]).unwrap();
        let fourier = fourier.weighted(1.5).unwrap_or(fourier);
        let fourier = directions(fourier)[draw(4)];
        let [of_x, of_y] = sides(cell, &fourier);
        shape[axis] = fourier.extents()[0];
        let range = fourier.range_of(&shape).unwrap();
        let (forms, update) = ([draw(6), draw(6)].map(|form| FORMS[form]), draw(3));
        let update =
            [Update::set(), Update::add(), Update::new(of_y.number(0.5, -1.0), 2.0)][update];
        let x = of_x.random(&shape, forms[0], seed + 100);
        check(cell, &fourier, &x, &mut of_y.random(&range, forms[1], seed + 200), update);
    }
}
