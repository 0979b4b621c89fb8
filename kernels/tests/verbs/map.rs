//! `map`.

use arrayspan_kernels::bridge::devices::DeviceKind;
use arrayspan_kernels::expression::Node;
use arrayspan_kernels::{Binary, Expression, Unary, constant, input, previous};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::cell::Cell;
use crate::reference::{self, Tensor};
use crate::sample::{FORMS, Form, Sample};

#[track_caller]
pub(super) fn check(cell: &Cell, expression: &Expression, inputs: &[&Sample], out: &mut Sample) {
    let tensors: Vec<&Tensor> = inputs.iter().map(|input| &input.tensor).collect();
    let expected = reference::map(expression, &tensors, &out.tensor);
    let views: Vec<_> = inputs.iter().map(|input| input.view()).collect();
    cell.executor.map(expression, &views, out.view_mut()).unwrap();
    cell.check(out, &expected, &format!("{expression:?}"));
    for input in inputs {
        input.check_unchanged(cell);
    }
}

pub fn every_function_of_one_element(cell: &Cell) {
    let x = cell.random(&[7, 5], Form::Plain, 1);
    let functions = [
        Unary::Negate,
        Unary::Conjugate,
        Unary::Real,
        Unary::Imaginary,
        Unary::Absolute,
        Unary::AbsoluteSquare,
    ];
    for function in functions {
        let expression = Expression::from(Node::Unary(function, input(0)));
        check(cell, &expression, &[&x], &mut cell.unreadable(&[7, 5], Form::Plain));
    }
    // A real square root needs numbers that are not negative.
    let operand = if cell.is_complex() { input(0) } else { input(0).abs() };
    check(cell, &operand.sqrt(), &[&x], &mut cell.unreadable(&[7, 5], Form::Plain));
}

pub fn every_function_of_two_elements(cell: &Cell) {
    let (a, b) = (cell.random(&[7, 5], Form::Plain, 2), cell.random(&[7, 5], Form::Plain, 3));
    let mut functions = vec![Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide];
    if !cell.is_complex() {
        functions.extend([Binary::Minimum, Binary::Maximum]);
    }
    for function in functions {
        let expression = Expression::from(Node::Binary(function, input(0), input(1)));
        check(cell, &expression, &[&a, &b], &mut cell.unreadable(&[7, 5], Form::Plain));
    }
    if !cell.is_complex() {
        let nan = cell.filled(&[7, 5], f64::NAN);
        for [a, b] in [[&a, &nan], [&nan, &a]] {
            let mut out = cell.filled(&[7, 5], 0.0);
            check(cell, &input(0).min(input(1)), &[a, b], &mut out);
            check(cell, &input(0).max(input(1)), &[a, b], &mut out);
        }
    }
}

pub fn division_by_zero_gives_zero_where_asked(cell: &Cell) {
    let a = cell.random(&[40], Form::Plain, 4);
    let mut divisors = cell.random(&[40], Form::Plain, 5).tensor;
    divisors.values.iter_mut().step_by(3).for_each(|value| *value = 0.0.into());
    let b = Sample::new(cell, &divisors, Form::Plain);
    let mut out = cell.unreadable(&[40], Form::Plain);
    check(cell, &input(0).div_or_zero(input(1)), &[&a, &b], &mut out);
    let zero = cell.filled(&[], 0.0);
    check(cell, &(input(0).div_or_zero(input(1)) * input(2)), &[&zero, &zero, &a], &mut out);
}

pub fn multiplication_by_zero_gives_zero_where_asked(cell: &Cell) {
    // Not a number where the factor is zero.
    let [mut a, mut b] = [4, 5].map(|seed| cell.random(&[40], Form::Plain, seed).tensor);
    b.values.iter_mut().step_by(3).for_each(|value| *value = 0.0.into());
    a.values.iter_mut().step_by(3).for_each(|value| *value = cell.number(f64::NAN, f64::NAN));
    let (a, b) = (Sample::new(cell, &a, Form::Plain), Sample::new(cell, &b, Form::Plain));
    let mut out = cell.unreadable(&[40], Form::Plain);
    check(cell, &input(0).mul_or_zero(input(1)), &[&a, &b], &mut out);
    // Of what the output held, and by a single number.
    let expression = previous().mul_or_zero(input(0)) + input(1);
    let mut out = cell.unreadable(&[40], Form::Plain);
    check(cell, &expression, &[&cell.filled(&[], 0.0), &b], &mut out);
    let mut out = cell.random(&[40], Form::Plain, 6);
    check(cell, &expression, &[&cell.filled(&[], 0.5), &b], &mut out);
}

pub fn inputs_broadcast(cell: &Cell) {
    let whole = cell.random(&[4, 3, 5], Form::Plain, 6);
    let expression = input(0) * input(1) - input(2);
    let mut seed = 7;
    for shape in [&[4, 3, 5][..], &[3, 5], &[3, 1], &[5], &[4, 1, 5], &[4, 3, 1], &[1], &[]] {
        for form in [Form::Plain, Form::Mixed] {
            let part = cell.random(shape, form, seed);
            let mut out = cell.unreadable(&[4, 3, 5], Form::Plain);
            check(cell, &expression, &[&whole, &part, &whole], &mut out);
            seed += 1;
        }
    }
}

/// A line of coefficients for each power, and a position for each row: what is the same in all rows is loaded once for many.
pub fn inputs_that_all_rows_share(cell: &Cell) {
    let horner = (input(2) * input(3) + input(1)) * input(3) + input(0);
    // So many that a device is busy with eight rows at a time.
    let large = cell.executor.device().kind() == DeviceKind::Cuda;
    let shapes: [&[usize]; 4] = if large {
        [&[67, 20_011], &[130, 1000], &[3, 35, 13_001], &[9, 77]]
    } else {
        [&[67, 2011], &[130, 1000], &[3, 35, 1301], &[9, 77]]
    };
    for (seed, shape) in (90..).zip(shapes) {
        let rank = shape.len();
        let line = [shape[rank - 1]];
        let mut rows = shape.to_vec();
        rows[rank - 1] = 1;
        let lines = [1, 2, 3].map(|number| cell.random(&line, Form::Plain, 10 * seed + number));
        let position = cell.random(&rows, Form::Plain, 10 * seed);
        let inputs = [&lines[0], &lines[1], &lines[2], &position];
        check(cell, &horner, &inputs, &mut cell.unreadable(shape, Form::Plain));
        let mut out = cell.random(shape, Form::Inside, seed);
        check(cell, &(horner.clone() - previous()), &inputs, &mut out);
    }
}

pub fn rows_at_odd_places_meet_what_repeats_along_an_axis(cell: &Cell) {
    let expression = input(0) * input(1) - input(2);
    let mut seed = 80;
    let cases: [(&[usize], &[&[usize]]); 4] = [
        (&[19, 21, 23], &[&[23], &[21, 1], &[19, 1, 1], &[21, 23], &[1, 1, 1]]),
        (&[64, 5], &[&[5], &[64, 1]]),
        (&[17, 33], &[&[33], &[17, 1]]),
        (&[3, 2, 5, 41], &[&[41], &[5, 1], &[2, 1, 1], &[3, 1, 1, 1]]),
    ];
    for (shape, parts) in cases {
        let whole = cell.random(shape, Form::Plain, seed);
        for part in parts {
            for form in [Form::Plain, Form::Stepped, Form::Reversed] {
                let part = cell.random(part, form, seed);
                let mut out = cell.unreadable(shape, Form::Plain);
                check(cell, &expression, &[&whole, &part, &whole], &mut out);
                let mut out = cell.random(shape, Form::Plain, seed + 1);
                check(cell, &(previous() * input(0) + input(1)), &[&part, &whole], &mut out);
                seed += 2;
            }
        }
    }
}

pub fn single_numbers_stay_on_the_device(cell: &Cell) {
    let [a, b] = [20, 21].map(|seed| cell.random(&[], Form::Plain, seed));
    let x = cell.random(&[50], Form::Plain, 22);
    let mut y = cell.random(&[50], Form::Plain, 23);
    let expression = previous() - input(0).div_or_zero(input(1)) * input(2);
    check(cell, &expression, &[&a, &b, &x], &mut y);
    let mut number = cell.random(&[], Form::Plain, 24);
    check(cell, &(input(0) / input(1) + previous()), &[&a, &b], &mut number);
}

pub fn what_the_output_held_can_be_read(cell: &Cell) {
    let x = cell.random(&[6, 7], Form::Plain, 30);
    for form in FORMS {
        let mut y = cell.random(&[6, 7], form, 31);
        check(cell, &(constant(-1.5) * input(0) + previous()), &[&x], &mut y);
        let mut y = cell.random(&[6, 7], form, 32);
        check(cell, &(previous() * previous()), &[], &mut y);
        let mut y = cell.random(&[6, 7], form, 33);
        check(cell, &previous(), &[], &mut y);
        // Either side of a difference, alone or with more around it.
        for expression in [
            input(0) - previous(),
            previous() - input(0),
            constant(0.5) - previous(),
            previous() - constant(0.5),
            -previous(),
            (previous() - input(0)) * (input(0) - previous()),
        ] {
            let mut y = cell.random(&[6, 7], form, 34);
            check(cell, &expression, &[&x], &mut y);
        }
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    let expression = constant(cell.number(0.5, -0.25)) * input(0) + input(1);
    for x_form in FORMS {
        for y_form in FORMS {
            let a = cell.random(&[3, 5, 4], x_form, 40);
            let b = cell.random(&[3, 5, 4], Form::Transposed, 41);
            let mut out = cell.unreadable(&[3, 5, 4], y_form);
            check(cell, &expression, &[&a, &b], &mut out);
        }
    }
}

pub fn long_arrays_and_long_expressions(cell: &Cell) {
    let product = || (input(0) + input(1)) * (input(0) - input(1));
    let sum = || input(1) * input(2) - constant(0.75);
    let expression = (product() + sum()) - (product() * sum() + (sum() - product()));
    let x = [53, 54, 55].map(|seed| cell.random(&[9], Form::Plain, seed));
    let several = -(input(0) + input(1)) + (input(0) - input(1)) * (input(1) + input(2)).abs2();
    check(cell, &several, &x.each_ref(), &mut cell.unreadable(&[9], Form::Plain));
    for (shape, form) in [
        (&[100_003][..], Form::Plain),
        (&[257, 391], Form::Transposed),
        (&[40_000, 3], Form::Stepped),
    ] {
        let inputs = [50, 51, 52].map(|seed| cell.random(shape, Form::Plain, seed));
        let mut out = cell.unreadable(shape, form);
        check(cell, &expression, &inputs.each_ref(), &mut out);
    }
}

pub fn shapes_without_axes_or_elements(cell: &Cell) {
    for shape in [&[][..], &[1], &[1, 1, 1], &[0], &[3, 0, 2]] {
        let x = cell.random(shape, Form::Plain, 60);
        check(cell, &(input(0) + constant(1.0)), &[&x], &mut cell.unreadable(shape, Form::Plain));
    }
    check(cell, &constant(2.5), &[], &mut cell.unreadable(&[3, 4], Form::Mixed));
}

pub fn any_layout(cell: &Cell) {
    let shapes = prop::collection::vec(0..6_usize, 0..5);
    let form = || prop::sample::select(FORMS.to_vec());
    let expression = input(0) * constant(0.5) - previous() * input(1);
    let mut runner =
        TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let cases = (shapes, form(), form(), form(), any::<u64>());
    runner
        .run(&cases, |(shape, a, b, y, seed)| {
            let (a, b) = (cell.random(&shape, a, seed), cell.random(&shape, b, !seed));
            check(cell, &expression, &[&a, &b], &mut cell.random(&shape, y, seed ^ 1));
            Ok(())
        })
        .unwrap();
}
