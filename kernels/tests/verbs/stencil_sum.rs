//! `stencil_sum`.

use arrayspan_kernels::{Band, Coefficients, Stencil, StencilTerm, Tap, Update};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::offsets::{any_band, some};
use crate::reference::{self, Summand, Tensor};
use crate::sample::{FORMS, Form, Random, Sample};

/// A term, and the arrays of its coefficients: of what shape, conjugated or not.
pub(super) struct Term<'s> {
    stencil: Stencil,
    x: &'s Sample,
    before: Option<(&'s Sample, bool)>,
    after: Option<(&'s Sample, bool)>,
}

impl<'s> Term<'s> {
    pub(super) fn new(stencil: &Stencil, x: &'s Sample) -> Self {
        Self { stencil: stencil.clone(), x, before: None, after: None }
    }

    pub(super) fn before(self, array: &'s Sample, conjugated: bool) -> Self {
        Self { before: Some((array, conjugated)), ..self }
    }

    pub(super) fn after(self, array: &'s Sample, conjugated: bool) -> Self {
        Self { after: Some((array, conjugated)), ..self }
    }
}

#[track_caller]
pub(super) fn check(cell: &Cell, terms: &[Term<'_>], y: &mut Sample, update: Update, what: &str) {
    let shape = y.tensor.shape.clone();
    let meant = |given: &Option<(&Sample, bool)>| -> Option<Tensor> {
        let (array, conjugated) = (*given)?;
        let mut tensor = array.tensor.broadcast(&shape);
        if conjugated {
            tensor.values.iter_mut().for_each(|value| *value = value.conj());
        }
        Some(tensor)
    };
    let summands: Vec<Summand<'_>> = terms
        .iter()
        .map(|term| Summand {
            stencil: &term.stencil,
            x: &term.x.tensor,
            before: meant(&term.before),
            after: meant(&term.after),
        })
        .collect();
    let expected = reference::stencil_sum(&summands, &y.tensor, update);
    let given: Vec<StencilTerm<'_>> = terms
        .iter()
        .map(|term| StencilTerm {
            before: term.before.map(coefficients),
            after: term.after.map(coefficients),
            ..StencilTerm::new(&term.stencil, term.x.view())
        })
        .collect();
    cell.executor.stencil_sum(&given, y.view_mut(), update).unwrap();
    cell.check(y, &expected, what);
    for term in terms {
        term.x.check_unchanged(cell);
        for (array, _) in term.before.iter().chain(&term.after) {
            array.check_unchanged(cell);
        }
    }
}

fn coefficients((array, conjugated): (&Sample, bool)) -> Coefficients<'_> {
    Coefficients { array: array.view(), conjugated }
}

fn tap((offset, weight): (isize, f64)) -> Tap {
    Tap { offset, weight: Complex64::new(weight, 0.0) }
}

/// A centered difference, one-sided in the first and the last row.
pub(super) fn difference(len: usize) -> Band {
    Band::from_rows(len, 1, |i| {
        let taps = match i {
            0 => [(0, -1.0), (1, 1.0)],
            _ if i + 1 == len => [(-1, -1.0), (0, 1.0)],
            _ => [(-1, -0.5), (1, 0.5)],
        };
        taps.map(tap)
    })
}

pub(super) fn second(len: usize) -> Band {
    Band::uniform(len, [(-1, 1.0), (0, -2.0), (1, 1.0)])
}

fn identity(len: usize, scale: f64) -> Band {
    Band::uniform(len, [(0, scale)])
}

/// Coefficients before and after, conjugated and not, of full shape and repeated along axes.
pub fn coefficients_before_and_after(cell: &Cell) {
    let shape = [8, 12];
    let x = cell.random(&shape, Form::Plain, 1);
    let parts = [&shape[..], &[1, 12], &[8, 1], &[1, 1]].into_iter().enumerate();
    for (round, part) in some(cell, 2, parts) {
        let (a, b) = (cell.random(part, Form::Plain, 2), cell.random(&shape, Form::Plain, 3));
        for axis in 0..2 {
            let stencil = Stencil::along(axis, difference(shape[axis])).unwrap();
            let conjugated = round % 2 == 0;
            let cases = [
                vec![Term::new(&stencil, &x).before(&a, conjugated)],
                vec![Term::new(&stencil, &x).after(&a, conjugated)],
                vec![Term::new(&stencil, &x).before(&a, conjugated).after(&b, !conjugated)],
                vec![Term::new(&stencil, &x).before(&b, false).after(&b, true)],
            ];
            for (number, terms) in cases.iter().enumerate() {
                let mut y = cell.unreadable(&shape, Form::Plain);
                let what = format!("{part:?} along axis {axis}, case {number}");
                check(cell, terms, &mut y, Update::set(), &what);
            }
        }
    }
}

/// `v₀ ⊙ ∂₀ + v₁ ⊙ ∂₁ + c`, and its adjoint, of one input.
pub fn a_directional_derivative_and_its_adjoint(cell: &Cell) {
    for shape in [[13, 17], [32, 20], [2, 40]] {
        let field = [1, 2].map(|seed| cell.random(&shape, Form::Plain, seed));
        let x = cell.random(&shape, Form::Plain, 3);
        let along = |axis: usize| Stencil::along(axis, difference(shape[axis])).unwrap();
        let shift = Stencil::along(0, identity(shape[0], 0.75)).unwrap();
        let plain = Term::new(&shift, &x);
        let [a, b] = [0, 1].map(|axis| Term::new(&along(axis), &x).after(&field[axis], false));
        let mut y = cell.unreadable(&shape, Form::Plain);
        check(cell, &[a, b, plain], &mut y, Update::set(), "forward");
        let [a, b] =
            [0, 1].map(|axis| Term::new(&along(axis).adjoint(), &x).before(&field[axis], true));
        let update = Update::new(cell.number(2.0, -1.0), 1.0);
        check(cell, &[a, b], &mut cell.random(&shape, Form::Plain, 4), update, "adjoint");
    }
}

pub fn complex_weights(cell: &Cell) {
    if !cell.is_complex() {
        return;
    }
    let taps =
        [(-1, Complex64::new(0.5, -1.0)), (0, Complex64::i()), (2, Complex64::new(1.0, 2.0))];
    let shape = [11, 9];
    let turned = Stencil::along(0, Band::uniform_complex(11, taps)).unwrap();
    let real = Stencil::along(1, second(9)).unwrap();
    let [x, z, d] = [1, 2, 3].map(|seed| cell.random(&shape, Form::Plain, seed));
    for update in [Update::set(), Update::new(Complex64::i(), Complex64::new(0.5, 0.25))] {
        let terms =
            [Term::new(&turned, &x).after(&d, true), Term::new(&real, &z).before(&d, false)];
        check(cell, &terms, &mut cell.random(&shape, Form::Plain, 4), update, "complex weights");
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    let shape = [5, 9, 4];
    let stencil = Stencil::new([(1, difference(9)), (2, second(4))]).unwrap();
    let other = Stencil::along(0, difference(5)).unwrap();
    let all = cell.executor.device().is_cpu();
    for (n, x_form) in FORMS.into_iter().enumerate() {
        // A kernel for each pair of layouts: where that takes compiling, each is met once.
        let pairs = FORMS.into_iter().enumerate().filter(|(m, _)| all || (n + m) % 6 == 1);
        for (m, y_form) in pairs {
            let x = cell.random(&shape, x_form, 1);
            let z = cell.random(&shape, FORMS[(n + m) % FORMS.len()], 2);
            let d = cell.random(&shape, FORMS[(n + 2 * m + 1) % FORMS.len()], 3);
            let terms = [Term::new(&stencil, &x).before(&d, false), Term::new(&other, &z)];
            let mut y = cell.unreadable(&shape, y_form);
            check(cell, &terms, &mut y, Update::set(), &format!("{x_form:?} to {y_form:?}"));
        }
    }
}

pub fn beta_zero_reads_nothing(cell: &Cell) {
    let shape = [30, 21];
    let [x, d] = [1, 2].map(|seed| cell.random(&shape, Form::Plain, seed));
    let along = |axis: usize| Stencil::along(axis, second(shape[axis])).unwrap();
    for form in FORMS {
        let terms = [Term::new(&along(0), &x).after(&d, false), Term::new(&along(1), &x)];
        let mut y = cell.unreadable(&shape, form);
        check(cell, &terms, &mut y, Update::new(cell.number(2.0, -1.0), 0.0), "unread");
    }
    // Nothing to add.
    for update in [Update::set(), Update::new(1.0, -0.5)] {
        let mut y = cell.random(&shape, Form::Mixed, 3);
        check(cell, &[], &mut y, update, "no terms");
    }
    let mut y = cell.unreadable(&shape, Form::Plain);
    check(cell, &[], &mut y, Update::set(), "no terms, unread");
}

/// What lies outside an axis is not read, nor are coefficients there.
pub fn axes_shorter_than_the_reach(cell: &Cell) {
    for len in 1..5 {
        for (axis, shape) in [(0, [len, 3]), (1, [3, len])] {
            let wide = Band::uniform(len, (-4..5).map(|k| (k, 0.25 * (k + 5) as f64)));
            let wide = Stencil::along(axis, wide).unwrap();
            let near = Stencil::along(1 - axis, difference(3)).unwrap();
            let [x, z, d] = [1, 2, 3].map(|seed| cell.random(&shape, Form::Plain, seed));
            let terms =
                [Term::new(&wide, &x).before(&d, true), Term::new(&near, &z).after(&d, false)];
            let mut y = cell.unreadable(&shape, Form::Plain);
            check(cell, &terms, &mut y, Update::set(), &format!("{shape:?}"));
        }
    }
}

pub fn empty_arrays(cell: &Cell) {
    for shape in [[0, 4], [4, 0]] {
        let [x, d] = [1, 2].map(|seed| cell.random(&shape, Form::Plain, seed));
        let along = |axis: usize| Stencil::along(axis, second(shape[axis])).unwrap();
        let terms = [Term::new(&along(0), &x).before(&d, false), Term::new(&along(1), &x)];
        check(cell, &terms, &mut cell.random(&shape, Form::Plain, 3), Update::add(), "empty");
    }
}

/// Random terms of random shapes in every layout.
pub fn any_sum(cell: &Cell) {
    for round in some(cell, 2, 0..60) {
        let mut random = Random(9000 + round);
        let mut below = |n: usize| (random.bits() % n as u64) as usize;
        let rank = 1 + below(3);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + below([70, 40, 13][rank - 1])).collect();
        let arrays: Vec<Sample> =
            (0..3).map(|n| cell.random(&shape, FORMS[below(6)], 10 * round + n)).collect();
        let part: Vec<usize> = shape.iter().map(|n| if below(2) == 0 { 1 } else { *n }).collect();
        let repeated = cell.random(&part, Form::Plain, round);
        let count = 1 + below(StencilTerm::MOST);
        let mut terms = Vec::new();
        for _ in 0..count {
            let mut bands = Vec::new();
            for (axis, &len) in shape.iter().enumerate() {
                if below(2) == 0 {
                    bands.push((axis, any_band(cell, len, &mut below)));
                }
            }
            let stencil = Stencil::new(bands).unwrap();
            let mut term = Term::new(&stencil, &arrays[below(3)]);
            let mut factor = || match below(4) {
                0 => Some((&repeated, below(2) == 0)),
                1 => Some((&arrays[below(3)], below(2) == 0)),
                _ => None,
            };
            (term.before, term.after) = (factor(), factor());
            terms.push(term);
        }
        let mut factor = || {
            let (re, im) = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.5, 0.0), (-0.5, 2.0)][below(5)];
            cell.number(re, im)
        };
        let update = Update::new(factor(), factor());
        let to = FORMS[below(6)];
        let reads = update.reads();
        let mut y =
            if reads { cell.random(&shape, to, round + 1) } else { cell.unreadable(&shape, to) };
        check(cell, &terms, &mut y, update, &format!("round {round}: {shape:?}, {update:?}"));
    }
}
