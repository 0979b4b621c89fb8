//! Calls one after the other, of which each might be taken for one before: the same verb, with one thing changed.

use arrayspan_kernels::bridge::Relayout;
use arrayspan_kernels::{
    Band, Expression, Gather, Reduction, Scan, Stencil, Update, constant, input,
};

use crate::cell::Cell;
use crate::reference;
use crate::sample::{Form, Sample};
use crate::{copy_mapped, gather, map, map_many, reduce, scan, stencil_sum};

/// More calls than an executor keeps are between the first and the last of a round.
const ROUNDS: u64 = 3;

pub fn maps_of_other_numbers_inputs_and_layouts(cell: &Cell) {
    let shape = [6, 32];
    for round in 0..ROUNDS {
        let [a, b, row] = [(&shape[..], 1), (&shape[..], 2), (&[32][..], 3)]
            .map(|(shape, seed)| cell.random(shape, Form::Plain, seed + 10 * round));
        let inside = cell.random(&shape, Form::Inside, 4);
        let out = |form| cell.unreadable(&shape, form);
        for factor in [2.0, 3.0, 0.0, -0.0] {
            let expression = constant(factor) * input(0) + input(1);
            for inputs in [[&a, &b], [&b, &a], [&a, &a], [&a, &row], [&a, &inside]] {
                map::check(cell, &expression, &inputs, &mut out(Form::Plain));
                let outputs = vec![
                    (expression.clone(), out(Form::Plain)),
                    (expression.clone() * constant(factor), out(Form::Plain)),
                ];
                map_many::check(cell, &inputs, outputs);
            }
            map::check(cell, &expression, &[&a, &b], &mut out(Form::Reversed));
        }
    }
}

/// A zero of one sign is not one of the other.
pub fn signs_of_zeros_stay(cell: &Cell) {
    let x = cell.filled(&[40], 1.0);
    for factor in [0.0, -0.0, 0.0] {
        let mut y = cell.unreadable(&[40], Form::Plain);
        let expression = constant(factor) * input(0).re();
        cell.executor.map(&expression, &[x.view()], y.view_mut()).unwrap();
        let found = y.read(cell);
        let signs = found.values.iter().map(|value| value.re.is_sign_negative());
        assert!(signs.eq([factor.is_sign_negative(); 40]), "{factor}");
    }
}

pub fn sums_over_other_axes_of_other_expressions(cell: &Cell) {
    for round in 0..ROUNDS {
        let [a, b] = [1, 2].map(|seed| cell.random(&[24, 24], Form::Plain, seed + 10 * round));
        let kinds: &[Reduction] = if cell.is_complex() {
            &[Reduction::Sum]
        } else {
            &[Reduction::Sum, Reduction::Maximum, Reduction::Minimum]
        };
        for kind in kinds {
            for axes in [&[0][..], &[1], &[0, 1]] {
                let expressions: [Expression; 3] =
                    [input(0) * input(1), input(0) + input(1), constant(2.0) * input(0)];
                for expression in &expressions {
                    reduce::check(cell, *kind, expression, &[&a, &b], axes, Form::Plain);
                }
            }
        }
        // Several groups share one result, and room that is not the call's.
        let long = cell.random(&[70_001], Form::Plain, 3 + round);
        for _ in 0..2 {
            reduce::check(cell, Reduction::Sum, &input(0), &[&long], &[0], Form::Plain);
        }
    }
}

pub fn matrices_of_the_same_extents(cell: &Cell) {
    for round in 0..ROUNDS {
        for indices in [[0, 3, 7, 8], [8, 7, 3, 0], [1, 1, 2, 2]] {
            let picks = Gather::pick(0, 9, indices.to_vec()).unwrap();
            for shape in [&[9][..], &[9, 5]] {
                for both in [&picks, &picks.adjoint()] {
                    let shape = [both.columns(), &shape[1..]].concat();
                    let range = both.range_of(&shape).unwrap();
                    for update in [Update::set(), Update::new(2.0, 0.0), Update::new(1.0, -1.0)] {
                        let x = cell.random(&shape, Form::Plain, 30 + round);
                        let mut y = cell.random(&range, Form::Plain, 40 + round);
                        gather::check(cell, both, &x, &mut y, update);
                    }
                }
            }
        }
    }
}

pub fn running_sums_of_every_kind(cell: &Cell) {
    for round in 0..ROUNDS {
        for axis in [0, 1] {
            for kind in scan::kinds(axis, 33) {
                for kind in [kind, kind.transpose()] {
                    let x = cell.random(&[33, 33], Form::Plain, 50 + round);
                    let mut y = cell.unreadable(&[33, 33], Form::Plain);
                    scan::check(cell, &kind, &x, &mut y, Update::set());
                }
            }
        }
        // Groups share a line, and room that is not the call's; more of it the second time.
        for len in [30_011, 90_001, 30_011] {
            let x = cell.random(&[len], Form::Plain, 60 + round);
            let mut y = cell.unreadable(&[len], Form::Plain);
            scan::check(cell, &Scan::inclusive(0, len), &x, &mut y, Update::set());
        }
    }
}

pub fn sums_of_stencils_with_other_weights(cell: &Cell) {
    let band = |scale: f64| Band::uniform(32, [(-1, -scale), (1, scale)]);
    let stencils = [1.0, 2.0].map(|scale| Stencil::along(1, band(scale)).unwrap());
    for round in 0..ROUNDS {
        let [x, z, weights] =
            [1, 2, 3].map(|seed| cell.random(&[6, 32], Form::Plain, seed + 10 * round));
        let check = |terms: &[stencil_sum::Term<'_>]| {
            let mut y = cell.unreadable(&[6, 32], Form::Plain);
            stencil_sum::check(cell, terms, &mut y, Update::set(), "again");
        };
        for stencil in &stencils {
            let term = |x| stencil_sum::Term::new(stencil, x);
            check(&[term(&x), term(&z)]);
            check(&[term(&x), term(&x)]);
            check(&[term(&x).before(&weights, false), term(&z)]);
            check(&[term(&x).after(&weights, false), term(&z)]);
            check(&[term(&x).after(&weights, true), term(&z)]);
            check(&[term(&x), term(&z).after(&weights, false)]);
        }
    }
}

pub fn copies_along_other_maps(cell: &Cell) {
    for round in 0..ROUNDS {
        for before in [0, 1, 2, 3] {
            let x = cell.random(&[29], Form::Plain, 70 + round);
            let mut y = cell.unreadable(&[32], Form::Plain);
            let axes = vec![copy_mapped::padded(29, before, 3 - before)];
            copy_mapped::check(cell, &[(&x, axes)], &mut y, Update::set());
        }
    }
}

/// Parts of one block: what lies where differs, and which of them are in the same block.
pub fn parts_of_one_block_and_of_two(cell: &Cell) {
    let whole = cell.random(&[80], Form::Plain, 81);
    let other = cell.random(&[40], Form::Plain, 82);
    let expression = input(0) - constant(2.0) * input(1);
    for _ in 0..ROUNDS {
        for start in [0, 1, 4, 40] {
            let part = |start: usize| whole.view().sliced(0, start, 40).unwrap();
            let of = |start: usize| {
                let values = whole.tensor.values[start..start + 40].to_vec();
                reference::Tensor::new(&[40], values)
            };
            for (b, tensor) in [(part(0), of(0)), (other.view(), other.tensor.clone())] {
                let mut y: Sample = cell.unreadable(&[40], Form::Plain);
                let expected = reference::map(&expression, &[&of(start), &tensor], &y.tensor);
                cell.executor.map(&expression, &[part(start), b], y.view_mut()).unwrap();
                cell.check(&y, &expected, &format!("from {start}"));
            }
        }
    }
}
