//! `stencil` with taps that reach far along the axis, or beyond it.

use arrayspan_kernels::{Band, Stencil, Tap, Update};

use crate::cell::Cell;
use crate::reference;
use crate::sample::{FORMS, Form, Random, Sample};

/// The first of these on devices, which compile a kernel for each case; all on the host.
pub fn some<T>(
    cell: &Cell,
    few: usize,
    cases: impl IntoIterator<Item = T>,
) -> impl Iterator<Item = T> {
    cases.into_iter().take(if cell.executor.device().is_cpu() { usize::MAX } else { few })
}

#[track_caller]
fn check(cell: &Cell, stencil: &Stencil, meant: &Stencil, x: &Sample, y: &mut Sample) {
    let expected = reference::stencil(meant, &x.tensor, &y.tensor, Update::set());
    cell.executor.stencil(stencil, x.view(), y.view_mut(), Update::set()).unwrap();
    cell.check(y, &expected, &format!("axis {:?}", meant.terms().first().map(|(axis, _)| axis)));
    x.check_unchanged(cell);
}

fn tap((offset, weight): (isize, f64)) -> Tap {
    Tap { offset, weight: weight.into() }
}

/// Offsets beyond an axis of `len`, some of which are within it if someone keeps their low bits only.
fn beyond(len: usize) -> Vec<isize> {
    let len = len as isize;
    let far = [len, len + 1, 1 << 31, 1 << 32, (1 << 32) + 1, isize::MAX - 1, isize::MAX];
    far.into_iter().flat_map(|offset| [offset, -offset]).chain([isize::MIN]).collect()
}

pub fn taps_outside_every_row_are_dropped(cell: &Cell) {
    for (axis, shape) in [(0, [9, 6]), (1, [6, 9])] {
        let near = [(-2, 0.5), (0, 1.0), (1, -0.25)];
        let far = beyond(9).into_iter().map(|offset| (offset, 10.0));
        let all: Vec<(isize, f64)> = near.into_iter().chain(far).collect();
        let meant = Band::uniform(9, near);
        // In every row, and in a special first and last one.
        let edged = |special: &[(isize, f64)]| {
            let special = special.to_vec();
            Band::from_rows(9, 1, move |i| {
                let row = if i == 0 || i == 8 { special.clone() } else { near.to_vec() };
                row.into_iter().map(tap)
            })
        };
        let pairs = [(Band::uniform(9, all.clone()), meant), (edged(&all), edged(&near))];
        for (band, meant) in pairs {
            let adjoint = (band.adjoint(), meant.adjoint());
            for (band, meant) in some(cell, 1, [(band, meant), adjoint]) {
                let x = cell.random(&shape, Form::Plain, 1);
                let mut y = cell.unreadable(&shape, Form::Plain);
                let along = |band| Stencil::along(axis, band).unwrap();
                check(cell, &along(band), &along(meant), &x, &mut y);
            }
        }
    }
}

pub fn taps_that_reach_far_along_a_long_axis(cell: &Cell) {
    const LEN: usize = 90_007;
    let last = LEN - 1;
    let uniform = Band::uniform(LEN, [(-70_001, 0.5), (-1, 1.0), (60_000, -0.25)]);
    let edged = Band::from_rows(LEN, 1, |i| {
        let taps = match i {
            0 => vec![(0, 5.0), (last as isize, 7.0), (45_000, 0.25)],
            i if i == last => vec![(-(last as isize), 3.0)],
            _ => vec![(-1, -1.0), (0, 1.0)],
        };
        taps.into_iter().map(tap)
    });
    for band in some(cell, 2, [uniform.clone(), edged.adjoint(), edged]) {
        for (axis, shape) in some(cell, 2, [(0, &[LEN][..]), (0, &[LEN, 2]), (1, &[2, LEN])]) {
            let stencil = Stencil::along(axis, band.clone()).unwrap();
            let x = cell.random(shape, Form::Plain, 2);
            check(cell, &stencil, &stencil, &x, &mut cell.unreadable(shape, Form::Plain));
        }
    }
    // Along both axes, and through strides.
    let stencil = Stencil::new([(0, Band::uniform(3, [(2, 1.0), (0, 0.5)])), (1, uniform)]);
    let stencil = stencil.unwrap();
    for form in some(cell, 1, [Form::Mixed, Form::Reversed]) {
        let x = cell.random(&[3, LEN], form, 3);
        check(cell, &stencil, &stencil, &x, &mut cell.unreadable(&[3, LEN], Form::Plain));
    }
}

pub fn special_rows_far_from_both_ends(cell: &Cell) {
    const LEN: usize = 12_001;
    let shift = Band::uniform(LEN, [(6000, 1.0), (0, 0.5)]);
    let there_and_back = shift.after(&shift.transpose()).unwrap();
    for band in some(cell, 1, [there_and_back.clone(), there_and_back.adjoint()]) {
        assert!(band.entries() < 4 * LEN);
        let shapes = [(0, &[LEN][..]), (0, &[LEN, 4]), (1, &[3, LEN]), (1, &[2, LEN, 2])];
        for (axis, shape) in some(cell, 2, shapes) {
            let stencil = Stencil::along(axis, band.clone()).unwrap();
            let x = cell.random(shape, Form::Plain, 4);
            check(cell, &stencil, &stencil, &x, &mut cell.unreadable(shape, Form::Plain));
        }
    }
    let both = [(0, Band::uniform(5, [(-1, 1.0)])), (1, there_and_back)];
    let both = Stencil::new(both).unwrap();
    for form in some(cell, 1, FORMS.into_iter().rev()) {
        let x = cell.random(&[5, LEN], form, 5);
        check(cell, &both, &both, &x, &mut cell.unreadable(&[5, LEN], form));
    }
}

/// Random rows, random offsets near and far, on short axes; and what is made of two such bands.
pub fn any_taps(cell: &Cell) {
    for round in some(cell, 1, 0..60) {
        let mut random = Random(1000 + round);
        let mut below = |n: usize| (random.bits() % n as u64) as usize;
        let len = 1 + below(9);
        let (edge, rank) = (below(len + 1), 1 + below(3));
        let shape: Vec<usize> =
            (0..rank).map(|axis| if axis == 0 { len } else { 1 + below(4) }).collect();
        let offsets: Vec<isize> = (-12..13).chain(beyond(len)).collect();
        let mut row = || -> Vec<(isize, f64)> {
            let taps = 1 + below(4);
            (0..taps)
                .map(|_| (offsets[below(offsets.len())], 0.25 * (1 + below(9)) as f64))
                .collect()
        };
        let mut band = || {
            let rows = [row(), row(), row()];
            // The same with what falls outside its row left out.
            let inside = |i: usize| {
                let kind = usize::from(i >= edge) + usize::from(i + edge >= len);
                let row = rows[kind].clone().into_iter().map(tap);
                row.filter(move |tap| i.checked_add_signed(tap.offset).is_some_and(|j| j < len))
            };
            let all = |i: usize| {
                let kind = usize::from(i >= edge) + usize::from(i + edge >= len);
                rows[kind].clone().into_iter().map(tap)
            };
            (Band::from_rows(len, edge, all), Band::from_rows(len, len, inside))
        };
        let ((a, a_meant), (b, b_meant)) = (band(), band());
        let pairs = [
            (a.clone(), a_meant.clone()),
            (a.adjoint(), a_meant.adjoint()),
            (a.after(&b).unwrap(), a_meant.after(&b_meant).unwrap()),
            (a.plus(&b).unwrap(), a_meant.plus(&b_meant).unwrap()),
        ];
        for (band, meant) in pairs {
            let along = |band| Stencil::along(0, band).unwrap();
            let x = cell.random(&shape, Form::Plain, round);
            let mut y = cell.unreadable(&shape, Form::Plain);
            check(cell, &along(band), &along(meant), &x, &mut y);
        }
    }
}

/// Random bands along some axes of random shapes, odd and even, in every layout, with factors that are special.
pub fn any_stencil(cell: &Cell) {
    for round in some(cell, 2, 0..80) {
        let mut random = Random(7000 + round);
        let mut below = |n: usize| (random.bits() % n as u64) as usize;
        let rank = 1 + below(3);
        let longest = [70, 70, 17][rank - 1];
        let shape: Vec<usize> = (0..rank).map(|_| 1 + below(longest)).collect();
        let first = below(rank);
        let mut terms = Vec::new();
        for (axis, &len) in shape.iter().enumerate() {
            if axis == first || below(2) == 0 {
                terms.push((axis, any_band(cell, len, &mut below)));
            }
        }
        let stencil = Stencil::new(terms).unwrap();
        let mut factor = || {
            let (re, im) = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.5, 0.0), (-0.5, 2.0)][below(5)];
            cell.number(re, im)
        };
        let update = Update::new(factor(), factor());
        let (from, to) = (FORMS[below(6)], FORMS[below(6)]);
        let x = cell.random(&shape, from, round);
        let reads = update.reads();
        let mut y =
            if reads { cell.random(&shape, to, round + 1) } else { cell.unreadable(&shape, to) };
        let expected = reference::stencil(&stencil, &x.tensor, &y.tensor, update);
        cell.executor.stencil(&stencil, x.view(), y.view_mut(), update).unwrap();
        let what = format!("round {round}: {shape:?}, {from:?} to {to:?}, {update:?}");
        cell.check(&y, &expected, &what);
        x.check_unchanged(cell);
    }
}

/// Few or many taps, near or as far as the axis is long, and other ones in up to 8 rows at both ends.
pub fn any_band(cell: &Cell, len: usize, below: &mut impl FnMut(usize) -> usize) -> Band {
    let edge = below(len / 2 + 2).min(9);
    let (reach, most) = if below(4) == 0 { (len + 2, 5) } else { (1 + below(9), 8) };
    let rows: Vec<Vec<Tap>> = (0..=2 * edge)
        .map(|_| {
            let taps = 0..below(most);
            let tap = |_| {
                let offset = below(2 * reach + 1) as isize - reach as isize;
                let [re, im] = [0.25, 0.25].map(|unit| unit * below(9) as f64 - 1.0);
                Tap { offset, weight: cell.number(re, im) }
            };
            taps.map(tap).collect()
        })
        .collect();
    let band = Band::from_rows(len, edge, |i| {
        let tail = (i + edge).checked_sub(len).map(|row| edge + 1 + row);
        rows[if i < edge { i } else { tail.unwrap_or(edge) }].clone()
    });
    if below(4) == 0 { band.adjoint() } else { band }
}
