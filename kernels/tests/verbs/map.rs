//! `map`.

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::expression::Node;
use arrayspan_kernels::{Binary, Expression, Unary, constant, input, previous};
use num_complex::Complex64;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::cell::Cell;
use crate::reference::{self, Tensor};
use crate::sample::{FORMS, Form, Random, Sample};

#[track_caller]
fn check(cell: &Cell, expression: &Expression, inputs: &[&Sample], out: &mut Sample) {
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

/// Single numbers of a wider real dtype: what is computed of them alone is computed in theirs.
pub fn numbers_of_a_wider_dtype(cell: &Cell) {
    let device = cell.executor.device();
    let float64 = device.is_cpu() || device.info().float64;
    for dtype in [DType::Float32, DType::Float64] {
        if dtype.bits() < cell.dtype.real().bits() || (dtype == DType::Float64 && !float64) {
            continue;
        }
        let numbers = Cell { executor: cell.executor.clone(), dtype };
        // Far apart in Float64: the quotient is what elements can hold, the numbers are not.
        let far = if dtype == DType::Float64 { 2.0_f64.powi(400) } else { 1.0 };
        let shape_of_b: &[usize] = if dtype == cell.dtype { &[] } else { &[1, 1] };
        let (a, b) = (numbers.filled(&[], 3.0 * far), numbers.filled(shape_of_b, 8.0 * far));
        for (shape, form) in [
            (&[6, 7][..], Form::Mixed),
            (&[5000], Form::Plain),
            (&[1, 1], Form::Plain),
            (&[0, 3], Form::Plain),
        ] {
            let x = cell.random(shape, form, 70);
            let mut y = cell.random(shape, form, 71);
            let ratio = input(0).div_or_zero(input(2)) * constant(4.0);
            let expression = ratio * input(1) - input(2) / input(0) * previous();
            let expected = reference::map(
                &(constant(1.5) * input(0) - constant(8.0 / 3.0) * previous()),
                &[&x.tensor],
                &y.tensor,
            );
            let views = [a.view(), x.view(), b.view()];
            cell.executor.map(&expression, &views, y.view_mut()).unwrap();
            cell.check(&y, &expected, &format!("{dtype} {shape:?}"));
            // Alone: the number itself, and an order where elements have none.
            let smaller = (input(0) / input(1)).min(constant(2.0)).max(input(0) / input(0));
            let mut y = cell.unreadable(shape, form);
            let expected = reference::map(&constant(1.0), &[], &y.tensor);
            cell.executor.map(&smaller, &[a.view(), b.view()], y.view_mut()).unwrap();
            cell.check(&y, &expected, &format!("{dtype} {shape:?} of numbers alone"));
        }
    }
}

/// Quotients near both ends of the range, against 64-bit arithmetic with exponents apart.
pub fn quotients_of_every_size(cell: &Cell) {
    let (least, most) = match cell.dtype.real() {
        DType::Float32 => (-149, 127),
        _ => (-1074, 1023),
    };
    let mut random = Random(80);
    let exponents: Vec<i32> =
        [least, least + 3, least + 30, least / 2, -3, 0, 5, most / 2, most - 1, most]
            .into_iter()
            .collect();
    let power = |e: i32| 2.0_f64.powi(e / 2) * 2.0_f64.powi(e - e / 2);
    // Mantissas in ±[1, 2) with few bits, so that products of two are exact; each part may be far smaller.
    let mut part = |e: i32| {
        let mantissa = (1.0 + random.next().abs() / 2.0).clamp(1.0, 1.5);
        let mantissa = (mantissa * 256.0).round() / 256.0;
        if e < least + 10 { power(e) } else { mantissa.copysign(random.next()) * power(e) }
    };
    let mut pairs: Vec<[Complex64; 2]> = Vec::new();
    for &of_a in &exponents {
        for &of_b in &exponents {
            for apart in [0, 1, 40] {
                let low = |e: i32| (e - apart).max(least);
                let (a, b) = (
                    cell.number(part(of_a), part(low(of_a))),
                    cell.number(part(of_b), part(low(of_b))),
                );
                pairs.push([a, b]);
                if cell.is_complex() {
                    pairs.push([Complex64::new(a.im, a.re), Complex64::new(b.im, b.re)]);
                    pairs.push([a, Complex64::new(b.re, 0.0)]);
                    pairs.push([a, Complex64::new(0.0, b.re)]);
                }
            }
        }
    }
    let epsilon =
        if cell.dtype.real() == DType::Float32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let (tiny, huge) = (power(least), power(most) * (2.0 - epsilon));
    for (function, expression) in
        [("/", input(0) / input(1)), ("div_or_zero", input(0).div_or_zero(input(1)))]
    {
        let column =
            |at: usize| Tensor::new(&[pairs.len()], pairs.iter().map(|pair| pair[at]).collect());
        let [a, b] = [0, 1].map(|at| Sample::new(cell, &column(at), Form::Plain));
        let mut out = cell.unreadable(&[pairs.len()], Form::Plain);
        cell.executor.map(&expression, &[a.view(), b.view()], out.view_mut()).unwrap();
        for ([a, b], found) in pairs.iter().zip(out.read(cell).values) {
            // Scaled to near 1, where nothing overflows; the exponent apart.
            let exponent = |z: &Complex64| z.re.abs().max(z.im.abs()).log2().floor() as i32;
            let near = |z: &Complex64, e: i32| *z * power((-e) / 2) * power(-e - (-e) / 2);
            let (ea, eb) = (exponent(a), exponent(b));
            let quotient = near(a, ea) / near(b, eb);
            let size = quotient.norm().log2() + f64::from(ea - eb);
            if size > f64::from(most) - 1.0 {
                continue;
            }
            let e = ea - eb;
            let expected = quotient * power(e / 2) * power(e - e / 2);
            assert!(expected.norm() <= huge);
            let bound = 16.0 * epsilon * expected.norm() + 4.0 * tiny;
            assert!(
                (found - expected).norm() <= bound,
                "{a:e} {function} {b:e} is {found:e}, expected {expected:e}"
            );
        }
    }
}
