//! `moments`: several sums in one pass.

use arrayspan_kernels::bridge::{DType, Relayout};
use arrayspan_kernels::{Expression, Reduction, input};

use crate::cell::Cell;
use crate::errors::{argument, array, dtype, host, refused, shape};
use crate::reference::{self, Expected, Tensor};
use crate::sample::{FORMS, Form, Sample};

/// One reduction for each power of the last input.
fn expected(expression: &Expression, count: usize, inputs: &[&Tensor], axes: &[usize]) -> Expected {
    let weight = inputs.len() - 1;
    let mut power = expression.clone();
    let mut all: Option<Expected> = None;
    for _ in 0..count {
        let one = reference::reduce(Reduction::Sum, &power, inputs, axes);
        power = power * input(weight);
        match &mut all {
            None => all = Some(one),
            Some(all) => {
                all.result.values.extend(one.result.values);
                all.scale.extend(one.scale);
                all.terms = one.terms;
            }
        }
    }
    let mut all = all.unwrap();
    all.result.shape.insert(0, count);
    all
}

#[track_caller]
fn check(
    cell: &Cell,
    expression: &Expression,
    count: usize,
    inputs: &[&Sample],
    axes: &[usize],
    form: Form,
) {
    let tensors: Vec<&Tensor> = inputs.iter().map(|input| &input.tensor).collect();
    let expected = expected(expression, count, &tensors, axes);
    let views: Vec<_> = inputs.iter().map(|input| input.view()).collect();
    let mut out = cell.unreadable(&expected.result.shape, form);
    cell.executor.moments(expression, &views, axes, out.view_mut()).unwrap();
    let shape = &tensors[0].shape;
    cell.check(&out, &expected, &format!("{count} of {expression:?} over {axes:?} of {shape:?}"));
}

pub fn every_number_along_every_axis(cell: &Cell) {
    for (shape, axes) in [
        (&[17][..], &[0][..]),
        (&[5, 7], &[0]),
        (&[5, 7], &[1]),
        (&[3, 1, 4, 5], &[1, 2]),
        (&[1, 1], &[0]),
        (&[2, 3, 2], &[]),
    ] {
        for count in [1, 2, 5, 8] {
            let [y, t] = [1, 2].map(|seed| cell.random(shape, Form::Plain, seed));
            check(cell, &input(0), count, &[&y, &t], axes, Form::Plain);
        }
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    for form in FORMS {
        for axes in [&[0][..], &[2], &[0, 2], &[0, 1, 2]] {
            let (y, t) = (cell.random(&[4, 5, 3], form, 3), cell.random(&[5, 1], form, 4));
            check(cell, &input(0).conj(), 3, &[&y, &t], axes, form);
        }
    }
}

pub fn long_arrays(cell: &Cell) {
    for shape in [&[100_003][..], &[331, 307], &[50_021, 3], &[3, 50_021]] {
        let t = cell.random(&shape[shape.len() - 1..], Form::Plain, 6);
        let y = cell.random(shape, Form::Plain, 5);
        let all: Vec<usize> = (0..shape.len()).collect();
        for axes in [&all[..], &all[1..], &[0]] {
            check(cell, &input(0), 5, &[&y, &t], axes, Form::Plain);
        }
    }
}

pub fn moments_of_nothing_are_zero(cell: &Cell) {
    for axes in [&[0][..], &[1], &[0, 1]] {
        let [y, t] = [7, 8].map(|seed| cell.random(&[0, 3], Form::Plain, seed));
        check(cell, &input(0), 4, &[&y, &t], axes, Form::Plain);
    }
}

/// Many groups, many times, from several threads of one executor.
pub fn shared_results_are_complete(cell: &Cell) {
    let len = 200_003;
    let (x, two) = (cell.filled(&[len], 1.0), cell.filled(&[len], 2.0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let mut out = cell.unreadable(&[4], Form::Plain);
                    let inputs = [x.view(), two.view()];
                    cell.executor.moments(&input(0), &inputs, &[0], out.view_mut()).unwrap();
                    for (power, found) in out.read(cell).values.iter().enumerate() {
                        let exact = (len << power) as f64;
                        assert!((found.re - exact).abs() <= exact * 1e-7, "{found}");
                    }
                }
            });
        }
    });
}

#[test]
fn moments_check_their_arguments() {
    let x = array(&[3, 5], DType::Float32);
    let run = |axes: &'static [usize]| {
        let view = x.view();
        move |out: &mut arrayspan_kernels::bridge::Array| {
            host().moments(&input(0), &[view.clone(), view], axes, out.view_mut())
        }
    };
    let words = ["reduce", "1 to 8 moments", "[9, 5]"];
    refused(&[9, 5], DType::Float32, run(&[0]), argument, &words);
    refused(&[], DType::Float32, run(&[0, 1]), argument, &["1 to 8 moments", "[]"]);
    refused(&[0, 5], DType::Float32, run(&[0]), argument, &["1 to 8 moments", "[0, 5]"]);
    refused(&[2, 3], DType::Float32, run(&[0]), shape, &["the output", "[2, 5]", "[2, 3]"]);
    refused(&[2], DType::Float32, run(&[0]), shape, &["the output", "[2, 5]", "[2]"]);
    refused(&[2, 5], DType::Complex64, run(&[0]), dtype, &["the output"]);
    let mut out = array(&[2, 5], DType::Float32);
    let transposed = out.view_mut().permuted(&[1, 0]).unwrap();
    assert!(host().moments(&input(0), &[], &[0], transposed).is_err());
}
