//! `stencil` with the squared norm of what it writes.

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::{Band, Reduction, Stencil, Update, input};

use crate::cell::{self, Cell};
use crate::reference;
use crate::sample::{FORMS, Form, Sample};
use crate::stencil::{difference, filter, with_edges};

/// Runs a call twice, as the parts of groups are used again, and compares with what it means.
#[track_caller]
fn check(cell: &Cell, (axis, band): (usize, Band), samples: [Sample; 2], update: Update) {
    let what = format!("axis {axis} of {:?}, {update:?}", samples[0].tensor.shape);
    check_all(cell, &Stencil::along(axis, band).unwrap(), samples, update, &what);
}

#[track_caller]
fn check_all(cell: &Cell, stencil: &Stencil, [x, y]: [Sample; 2], update: Update, what: &str) {
    // A real result, as precise as elements.
    let real = Cell { executor: cell.executor.clone(), dtype: cell.dtype.real() };
    let mut y = y;
    for _ in 0..2 {
        let before = if update.reads() { y.read(cell) } else { y.tensor.clone() };
        let expected = reference::stencil(stencil, &x.tensor, &before, update);
        let axes: Vec<usize> = (0..before.shape.len()).collect();
        let squares = [&expected.result];
        let mut sum = reference::reduce(Reduction::Sum, &input(0).abs2(), &squares, &axes);
        // Of what was rounded.
        sum.terms += 2 * expected.terms;
        let mut norm = real.unreadable(&[], Form::Plain);
        let (from, to) = (x.view(), y.view_mut());
        cell.executor
            .stencil_with_norm_squared(stencil, from, to, update, norm.view_mut())
            .unwrap();
        cell.check(&y, &expected, what);
        real.check(&norm, &sum, what);
    }
    x.check_unchanged(cell);
}

/// Bands of every kernel: few taps, many, and rows of their own near the ends.
fn bands(len: usize) -> [Band; 4] {
    let product = filter(len, 19).plus(&with_edges(len)).unwrap();
    [difference(len), filter(len, 12), filter(len, 41), product]
}

pub fn along_every_axis(cell: &Cell) {
    let shapes: [&[usize]; 3] = [&[67, 35], &[2, 83, 34], &[1009]];
    let slow = cell::compiles_slowly(cell.executor.device());
    for (turn, shape) in shapes.into_iter().enumerate() {
        for axis in 0..shape.len() {
            for (at, band) in bands(shape[axis]).into_iter().enumerate() {
                if slow && at != 1 + (turn + axis) % 3 {
                    continue;
                }
                let x = cell.random(shape, Form::Plain, at as u64);
                let y = cell.unreadable(shape, Form::Plain);
                check(cell, (axis, band), [x, y], Update::set());
            }
        }
    }
}

/// Stars: one group of threads, several, and more results than threads.
pub fn of_several_axes(cell: &Cell) {
    let shapes: [&[usize]; 4] = [&[5, 7], &[129, 67], &[1501, 1103], &[13, 11, 17]];
    let slow = cell::compiles_slowly(cell.executor.device());
    for (turn, shape) in shapes.into_iter().enumerate() {
        if slow && turn == 2 {
            continue;
        }
        let star = shape.iter().enumerate().map(|(axis, len)| (axis, difference(*len)));
        let star = Stencil::new(star).unwrap();
        let updates = [Update::set(), Update::new(0.5, -0.25)];
        let update = updates[turn % 2];
        let [x, y] = [0, 1].map(|k| cell.random(shape, Form::Plain, k));
        check_all(cell, &star, [x, y], update, &format!("a star of {shape:?}"));
    }
}

/// So many columns that threads go along them: what is written is that of a call without a norm, and the norm that of what is written.
pub fn of_long_columns(cell: &Cell) {
    let shape = [67, 34_001];
    let real = Cell { executor: cell.executor.clone(), dtype: cell.dtype.real() };
    let x = cell.random(&shape, Form::Plain, 3);
    let [mut plain, mut y] = [0; 2].map(|_| cell.unreadable(&shape, Form::Plain));
    let mut norm = real.unreadable(&[], Form::Plain);
    // As few taps as columns are taken with, which compile soonest.
    let stencil = Stencil::along(0, filter(67, 25)).unwrap();
    cell.executor.stencil(&stencil, x.view(), plain.view_mut(), Update::set()).unwrap();
    cell.executor
        .stencil_with_norm_squared(&stencil, x.view(), y.view_mut(), Update::set(), norm.view_mut())
        .unwrap();
    let (plain, y) = (plain.read(cell).values, y.read(cell).values);
    assert_eq!(plain, y);
    let exact: f64 = y.iter().map(num_complex::Complex64::norm_sqr).sum();
    let found = norm.read(&real).values[0].re;
    assert!((found - exact).abs() <= 1e-6 * exact, "{found} is not {exact}");
}

pub fn of_what_is_updated_in_any_layout(cell: &Cell) {
    for (at, form) in FORMS.into_iter().enumerate() {
        let forms = [form, FORMS[(at + 1) % FORMS.len()]];
        let axis = at % 2;
        let shape = [31 + 8 * axis, 39 - 8 * axis];
        let [x, y] = [0, 1].map(|k| cell.random(&shape, forms[k], k as u64));
        check(cell, (axis, filter(shape[axis], 13)), [x, y], Update::new(0.5, -0.25));
    }
}

pub fn of_nothing(cell: &Cell) {
    for shape in [[0, 40], [40, 0]] {
        let [x, y] = [0; 2].map(|_| cell.random(&shape, Form::Plain, 0));
        check(cell, (1, filter(shape[1], 12)), [x, y], Update::set());
    }
}

/// Squares are computed in the dtype of the result: these are no numbers of 32 bits.
pub fn in_a_wider_dtype(cell: &Cell) {
    let device = cell.executor.device();
    if !device.is_cpu() && !device.info().float64 {
        return;
    }
    let wide = Cell { executor: cell.executor.clone(), dtype: DType::Float64 };
    for scale in [2.0_f64.powi(-100), 2.0_f64.powi(100)] {
        let mut x = cell.random(&[70, 41], Form::Plain, 1).tensor;
        x.values.iter_mut().for_each(|value| *value *= scale);
        let x = Sample::new(cell, &x, Form::Plain);
        let mut y = cell.unreadable(&[70, 41], Form::Plain);
        let mut norm = wide.unreadable(&[], Form::Plain);
        let stencil = Stencil::along(0, filter(70, 15)).unwrap();
        cell.executor
            .stencil_with_norm_squared(
                &stencil,
                x.view(),
                y.view_mut(),
                Update::set(),
                norm.view_mut(),
            )
            .unwrap();
        let exact: f64 = y.read(cell).values.iter().map(num_complex::Complex64::norm_sqr).sum();
        let found = norm.read(&wide).values[0].re;
        assert!((found - exact).abs() <= 1e-12 * exact, "{found} is not {exact}");
    }
}
