//! `stencil_each`: against the stencils of its terms, one by one.

use arrayspan_kernels::{Band, Stencil, Tap, Update};

use crate::cell::{self, Cell};
use crate::reference;
use crate::sample::{FORMS, Form};

/// A derivative with first and last rows of their own.
fn derivative(len: usize) -> Band {
    let tap = |(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() };
    Band::from_rows(len, 1, move |i| {
        let row = match i {
            0 if len > 1 => vec![(0, -1.0), (1, 1.0)],
            i if i + 1 == len => vec![(0, 0.5)],
            _ => vec![(-1, -0.5), (0, 0.25), (1, 0.5)],
        };
        row.into_iter().map(tap)
    })
}

/// More first and last rows of their own than a run of wide elements has places.
fn three_rows_of_their_own(len: usize) -> Band {
    Band::from_rows(len, 3, move |i| {
        let weight = 1.0 + i.min(len - 1 - i).min(3) as f64;
        [(0, weight), (1, -0.5)]
            .map(|(offset, weight): (isize, f64)| Tap { offset, weight: weight.into() })
    })
}

#[track_caller]
fn check(cell: &Cell, stencil: &Stencil, shape: &[usize], forms: [Form; 2], update: Update<'_>) {
    let x = cell.random(shape, forms[0], 1);
    let range = [&[stencil.terms().len()], shape].concat();
    let mut y = cell.random(&range, forms[1], 2);
    if !update.reads() {
        y = cell.unreadable(&range, forms[1]);
    }
    let expected = reference::stencil_each(stencil, &x.tensor, &y.tensor, update);
    cell.executor.stencil_each(stencil, x.view(), y.view_mut(), update).unwrap();
    cell.check(&y, &expected, &format!("{shape:?}, {forms:?}"));
    x.check_unchanged(cell);
}

/// Along all axes, or all but one.
fn stencils(shape: &[usize], band: impl Fn(usize) -> Band) -> Vec<Stencil> {
    let all: Vec<(usize, Band)> = shape.iter().map(|len| band(*len)).enumerate().collect();
    let rest = all[..all.len() - 1].to_vec();
    let both = [all, rest].into_iter().filter(|terms| !terms.is_empty());
    both.map(|terms| Stencil::new(terms).unwrap()).collect()
}

pub fn terms_of_two_to_four_axes(cell: &Cell) {
    let shapes: [&[usize]; 7] =
        [&[23, 65], &[40, 64], &[1, 9], &[9, 1], &[5, 17, 33], &[16, 8, 12], &[3, 5, 4, 6]];
    for shape in shapes {
        for stencil in stencils(shape, derivative) {
            check(cell, &stencil, shape, [Form::Plain; 2], Update::set());
            check(cell, &stencil, shape, [Form::Plain; 2], Update::new(-0.5, 2.0));
        }
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for (turn, form) in FORMS.into_iter().enumerate() {
        let other = FORMS[(2 * turn + 1) % FORMS.len()];
        for stencil in stencils(&[7, 6, 9], derivative) {
            check(cell, &stencil, &[7, 6, 9], [form, other], Update::new(2.0, 0.5));
        }
    }
}

pub fn long_and_far_taps(cell: &Cell) {
    let filter = |len| Band::uniform(len, (-9..=7).map(|k| (k, 0.25 + 0.0625 * (k % 5) as f64)));
    let long = |len| Band::uniform(len, (-60..=60).map(|k| (k, 0.125)));
    for stencil in stencils(&[31, 44], filter).into_iter().chain(stencils(&[31, 44], long)) {
        check(cell, &stencil, &[31, 44], [Form::Plain; 2], Update::set());
    }
}

/// Without gaps between them, and so many that a device is busy with whole runs; outputs begin at odd places, too.
pub fn many_rows_at_odd_places(cell: &Cell) {
    let shapes: [&[usize]; 5] =
        [&[263, 521], &[5, 67, 253], &[131, 522], &[3, 131, 263], &[41, 3, 641]];
    let slow = cell::compiles_slowly(cell.executor.device());
    for (turn, shape) in shapes.into_iter().take(if slow { 2 } else { 5 }).enumerate() {
        let bands: [&dyn Fn(usize) -> Band; 4] = [
            &derivative,
            &|len| Band::uniform(len, (-2..=2).map(|k| (k, 0.25 + 0.0625 * k as f64))),
            &|len| Band::uniform(len, [(if turn % 2 == 0 { 2 } else { -1 }, 0.5)]),
            &three_rows_of_their_own,
        ];
        for (number, band) in bands.iter().enumerate() {
            if slow && number != 3 * turn {
                continue;
            }
            for stencil in stencils(shape, band) {
                let update = if number == 1 { Update::new(-0.5, 2.0) } else { Update::set() };
                check(cell, &stencil, shape, [Form::Plain; 2], update);
            }
        }
    }
}

/// Rows at odd places, every length from the shortest that are taken in whole runs on.
pub fn rows_of_every_length_at_odd_places(cell: &Cell) {
    let slow = cell::compiles_slowly(cell.executor.device());
    for len in if slow { 65..67 } else { 61..74 } {
        for shape in [&[270, len] as &[usize], &[3, 90, len], &[90, 2, len], &[270, 1, len]] {
            let stencil = &stencils(shape, derivative)[0];
            check(cell, stencil, shape, [Form::Plain; 2], Update::set());
        }
    }
}
