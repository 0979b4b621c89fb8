//! Short bands along several axes at once, alone and in sums, in rows that begin at odd places: arrays of every size from 1 to
//! 70 along each axis, so many of them side by side that kernels take several rows a thread.

use arrayspan_kernels::{Band, Coefficients, Stencil, StencilTerm, Tap, Update};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::offsets::some;
use crate::reference::{self, Summand};
use crate::sample::{Form, Random, Sample};

/// Elements for each processor of a device that make every thread take as much as it may.
const ELEMENTS: usize = 256 * 2 * 8;

/// So many arrays of that shape as make a device busy.
fn many(cell: &Cell, inner: &[usize]) -> Vec<usize> {
    let device = cell.executor.device();
    let units = if device.is_cpu() { 1 } else { device.info().compute_units.max(1) };
    let count = (units * ELEMENTS).div_ceil(inner.iter().product());
    std::iter::once(count).chain(inner.iter().copied()).collect()
}

/// Extents from 1 to 70, each of them from time to time.
fn extents<const N: usize>(random: &mut Random, least: usize) -> [usize; N] {
    [(); N].map(|()| least + random.bits() as usize % (71 - least))
}

fn taps(row: &[(isize, f64)]) -> Vec<Tap> {
    row.iter().map(|&(offset, weight)| Tap { offset, weight: weight.into() }).collect()
}

/// A second difference: nothing in the first row and the last one, nothing of what lies beyond the axis, or other taps in the
/// first two rows and the last one.
fn second(len: usize, kind: usize) -> Band {
    let common = [(-1, 1.0), (0, -2.0), (1, 1.0)];
    match kind % 3 {
        0 => {
            Band::from_rows(
                len,
                1,
                move |i| {
                    if i == 0 || i + 1 == len { Vec::new() } else { taps(&common) }
                },
            )
        }
        1 => Band::uniform(len, common),
        _ => Band::from_rows(len, 2, move |i| match (i, len - 1 - i) {
            (0, _) => taps(&[(0, 2.0), (1, -5.0), (2, 4.0)]),
            (1, _) => taps(&[(-1, 0.5), (2, 1.0)]),
            (_, 0) => taps(&[(-2, 0.25), (0, -1.0)]),
            _ => taps(&common),
        }),
    }
}

/// A difference to one side.
fn difference(len: usize) -> Band {
    Band::from_rows(
        len,
        1,
        move |i| {
            if i + 1 == len { Vec::new() } else { taps(&[(0, -1.0), (1, 1.0)]) }
        },
    )
}

/// Second differences along all axes but the first, transposed or not.
fn star(shape: &[usize], kind: usize) -> Stencil {
    let band = |axis: usize| second(shape[axis], kind + axis);
    let star = Stencil::new((1..shape.len()).map(|axis| (axis, band(axis)))).unwrap();
    if kind.is_multiple_of(2) { star } else { star.adjoint() }
}

#[track_caller]
fn check(cell: &Cell, stencil: &Stencil, x: &Sample, y: &mut Sample, update: Update) {
    let expected = reference::stencil(stencil, &x.tensor, &y.tensor, update);
    cell.executor.stencil(stencil, x.view(), y.view_mut(), update).unwrap();
    cell.check(y, &expected, &format!("{:?}", x.tensor.shape));
    x.check_unchanged(cell);
}

/// Plain rows and rows of a larger block, so that places of any oddness are met.
fn form(round: usize) -> Form {
    if round.is_multiple_of(2) { Form::Plain } else { Form::Inside }
}

fn stars_of<const N: usize>(cell: &Cell, least: usize, seed: u64) {
    let mut random = Random(seed);
    let shapes: Vec<[usize; N]> = (0..6).map(|_| extents(&mut random, least)).collect();
    for (round, inner) in some(cell, 4, shapes.into_iter().enumerate()) {
        let shape = many(cell, &inner);
        let stencil = star(&shape, round);
        let x = cell.random(&shape, form(round), 1);
        let mut y = cell.unreadable(&shape, form(round + 1));
        check(cell, &stencil, &x, &mut y, Update::set());
    }
}

pub fn two_axes(cell: &Cell) {
    stars_of::<2>(cell, 1, 11);
}

pub fn three_axes(cell: &Cell) {
    stars_of::<3>(cell, 9, 12);
}

pub fn three_short_axes(cell: &Cell) {
    let mut random = Random(13);
    for round in 0..if cell.executor.device().is_cpu() { 20 } else { 3 } {
        let inner = [(); 3].map(|()| 1 + random.bits() as usize % 9);
        let shape = many(cell, &inner);
        let x = cell.random(&shape, form(round), 2);
        check(
            cell,
            &star(&shape, round),
            &x,
            &mut cell.unreadable(&shape, Form::Plain),
            Update::set(),
        );
    }
}

/// No axis of several arrays is in between, and the place is not always that of a wider access.
pub fn three_axes_of_one_array(cell: &Cell) {
    for (round, inner) in [[70, 99, 81], [61, 72, 130]].into_iter().enumerate() {
        let shape: Vec<usize> = std::iter::once(1).chain(inner).collect();
        let x = cell.random(&shape, form(round), 3);
        let mut y = cell.random(&shape, form(round), 4);
        let update = Update::new(cell.number(0.5, -1.0), 2.0);
        check(cell, &star(&shape, round), &x, &mut y, update);
    }
}

/// Rows that begin where several elements are one access, alone and in a sum.
pub fn three_axes_of_even_arrays(cell: &Cell) {
    let mut shape = many(cell, &[21, 18, 64]);
    shape[0] *= 4;
    let [x, u] = [21, 22].map(|seed| cell.random(&shape, Form::Plain, seed));
    check(cell, &star(&shape, 1), &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
    let along = Stencil::along(1, difference(shape[1]).adjoint()).unwrap();
    let terms = [plain(along, &u), plain(star(&shape, 2), &x)];
    check_sum(cell, &terms, &mut cell.unreadable(&shape, Form::Plain), Update::set());
}

pub fn one_axis_beside_the_last(cell: &Cell) {
    let mut random = Random(14);
    let shapes: Vec<[usize; 2]> = (0..6).map(|_| extents(&mut random, 1)).collect();
    for (round, inner) in some(cell, 3, shapes.into_iter().enumerate()) {
        let shape = many(cell, &inner);
        for axis in 0..2 {
            let stencil = Stencil::along(axis, second(shape[axis], round)).unwrap();
            let x = cell.random(&shape, form(round + axis), 5);
            check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
        }
    }
}

pub fn longer_reaches(cell: &Cell) {
    let taps = [(-2, -0.25), (-1, 1.0), (0, -1.5), (1, 1.0), (2, -0.25)];
    for (round, inner) in [&[37, 41][..], &[19, 23, 67]].into_iter().enumerate() {
        let shape = many(cell, inner);
        let band = |axis: usize| (axis, Band::uniform(shape[axis], taps));
        let stencil = Stencil::new((1..shape.len()).map(band)).unwrap();
        let x = cell.random(&shape, form(round), 6);
        check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
    }
}

/// What a row has no tap for is not read, though its neighbours read it: there may stand anything.
pub fn what_special_rows_leave_out_does_not_spread(cell: &Cell) {
    for inner in [&[21, 35][..], &[18, 17, 33]] {
        let shape = many(cell, inner);
        let last = shape.len() - 1;
        // No band but that of the last axis reads the first and the last column.
        let none = |len: usize| Band::from_rows(len, 0, |_| taps(&[(1, 0.0)]));
        let band = |axis: usize| match axis {
            axis if axis == last => (axis, second(shape[axis], 0).adjoint()),
            _ => (axis, none(shape[axis])),
        };
        let stencil = Stencil::new((1..=last).map(band)).unwrap();
        let mut values = cell.random(&shape, Form::Plain, 7).tensor;
        for (index, value) in reference::indices(&shape).zip(&mut values.values) {
            if index[last] == 0 || index[last] + 1 == shape[last] {
                value.re = f64::NAN;
            }
        }
        let x = Sample::new(cell, &values, Form::Plain);
        check(cell, &stencil, &x, &mut cell.unreadable(&shape, Form::Plain), Update::set());
    }
}

struct Term<'s> {
    stencil: Stencil,
    x: &'s Sample,
    before: Option<&'s Sample>,
    after: Option<&'s Sample>,
}

#[track_caller]
fn check_sum(cell: &Cell, terms: &[Term<'_>], y: &mut Sample, update: Update) {
    let given: Vec<StencilTerm<'_>> = terms
        .iter()
        .map(|term| StencilTerm {
            before: term.before.map(|array| Coefficients::new(array.view())),
            after: term.after.map(|array| Coefficients::new(array.view())),
            ..StencilTerm::new(&term.stencil, term.x.view())
        })
        .collect();
    let shape = y.tensor.shape.clone();
    let summands: Vec<Summand<'_>> = terms
        .iter()
        .map(|term| Summand {
            stencil: &term.stencil,
            x: &term.x.tensor,
            before: term.before.map(|array| array.tensor.broadcast(&shape)),
            after: term.after.map(|array| array.tensor.broadcast(&shape)),
        })
        .collect();
    let expected = reference::stencil_sum(&summands, &y.tensor, update);
    cell.executor.stencil_sum(&given, y.view_mut(), update).unwrap();
    cell.check(y, &expected, &format!("{shape:?}"));
}

fn plain(stencil: Stencil, x: &Sample) -> Term<'_> {
    Term { stencil, x, before: None, after: None }
}

fn sums_of<const N: usize>(cell: &Cell, least: usize, seed: u64) {
    let mut random = Random(seed);
    let shapes: Vec<[usize; N]> = (0..4).map(|_| extents(&mut random, least)).collect();
    for (round, inner) in some(cell, 2, shapes.into_iter().enumerate()) {
        let shape = many(cell, &inner);
        let [u, x] = [(0, 8), (1, 9)].map(|(n, seed)| cell.random(&shape, form(round + n), seed));
        for axis in [1, N] {
            let along = Stencil::along(axis, difference(shape[axis]).adjoint()).unwrap();
            let terms = [plain(along, &u), plain(star(&shape, round + 1), &x)];
            check_sum(cell, &terms, &mut cell.unreadable(&shape, form(round)), Update::set());
        }
    }
}

/// What the adjoint of a stack of a derivative and a Laplacian does.
pub fn a_derivative_and_two_axes(cell: &Cell) {
    sums_of::<2>(cell, 1, 15);
}

pub fn a_derivative_and_three_axes(cell: &Cell) {
    sums_of::<3>(cell, 9, 16);
}

/// A divergence, and one of inputs that are multiplied before and after.
pub fn several_inputs_with_coefficients(cell: &Cell) {
    for (round, inner) in [[17, 22, 31], [12, 19, 36]].into_iter().enumerate() {
        let shape = many(cell, &inner);
        let inputs = [10, 11, 12].map(|seed| cell.random(&shape, form(round), seed));
        let weights = cell.random(&[1, inner[0], inner[1], inner[2]], Form::Plain, 13);
        let along = |axis: usize| Stencil::along(axis, difference(shape[axis]).adjoint()).unwrap();
        let mut terms: Vec<Term<'_>> = (0..3).map(|n| plain(along(n + 1), &inputs[n])).collect();
        check_sum(cell, &terms, &mut cell.unreadable(&shape, Form::Plain), Update::set());
        terms[0].before = Some(&weights);
        terms[1].after = Some(&weights);
        terms[2].before = Some(&inputs[0]);
        let update = Update::new(cell.number(-0.5, 0.25), Complex64::new(3.0, 0.0));
        check_sum(cell, &terms, &mut cell.random(&shape, Form::Plain, 14), update);
    }
}
