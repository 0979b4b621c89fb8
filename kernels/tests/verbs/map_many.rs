//! `map` of several outputs, and of real and complex arrays together.

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::{Expression, constant, input, previous};
use num_complex::Complex64;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::cell::Cell;
use crate::reference::{self, Tensor};
use crate::sample::{FORMS, Form, Random, Sample};

/// Outputs, and what is computed for each.
pub(super) type Outputs = Vec<(Expression, Sample)>;

#[track_caller]
pub(super) fn check(cell: &Cell, inputs: &[&Sample], mut outputs: Outputs) {
    let tensors: Vec<&Tensor> = inputs.iter().map(|input| &input.tensor).collect();
    let expect = |(expression, out): &(Expression, Sample)| {
        reference::map(expression, &tensors, &out.tensor)
    };
    let expected: Vec<_> = outputs.iter().map(expect).collect();
    let views: Vec<_> = inputs.iter().map(|input| input.view()).collect();
    let outs = outputs.iter_mut().map(|(expression, out)| (expression.clone(), out.view_mut()));
    cell.executor.map_many(&views, outs).unwrap();
    for ((expression, out), expected) in outputs.iter().zip(&expected) {
        cell.check(out, expected, &format!("{expression:?}"));
    }
    for input in inputs {
        input.check_unchanged(cell);
    }
}

/// The same device, with the real numbers of this precision, and with the complex ones.
fn both(cell: &Cell) -> [Cell; 2] {
    let real = cell.dtype.real();
    let complex = if real == DType::Float32 { DType::Complex64 } else { DType::Complex128 };
    [real, complex].map(|dtype| Cell { executor: cell.executor.clone(), dtype })
}

pub fn several_outputs_share_a_pass(cell: &Cell) {
    let [a, b] = [1, 2].map(|seed| cell.random(&[7, 5], Form::Plain, seed));
    let shared = input(0) * input(1);
    let outputs = vec![
        (shared.clone() + previous(), cell.random(&[7, 5], Form::Plain, 3)),
        (shared.clone() - input(0), cell.unreadable(&[7, 5], Form::Mixed)),
        (
            constant(0.5) * previous() - shared.clone() * shared,
            cell.random(&[7, 5], Form::Inside, 4),
        ),
        (constant(2.0), cell.unreadable(&[7, 5], Form::Stepped)),
        (input(1), cell.unreadable(&[7, 5], Form::Transposed)),
        (previous(), cell.random(&[7, 5], Form::Plain, 5)),
    ];
    check(cell, &[&a, &b], outputs);
    check(cell, &[&a], vec![(-input(0), cell.unreadable(&[7, 5], Form::Plain))]);
}

pub fn real_and_complex_arrays_meet(cell: &Cell) {
    let [real, complex] = both(cell);
    let shape = &[6, 7][..];
    let (r, z) = (real.random(shape, Form::Plain, 1), complex.random(shape, Form::Plain, 2));
    let i = Complex64::new(0.25, -0.5);
    let outputs = vec![
        (input(0) * input(1) + previous(), complex.random(shape, Form::Plain, 3)),
        (input(1).abs2() + input(0) * previous(), real.random(shape, Form::Plain, 4)),
        (input(1).conj() / input(0), complex.unreadable(shape, Form::Plain)),
        ((input(0) * input(1)).im() * constant(2.0), real.unreadable(shape, Form::Mixed)),
        (input(0) * input(0) - constant(0.5), complex.unreadable(shape, Form::Plain)),
        (constant(i) * input(0) - input(1).abs(), complex.unreadable(shape, Form::Stepped)),
        (constant(i) * constant(2.0), complex.unreadable(shape, Form::Plain)),
        (input(1).re().min(input(0)).max(-input(1).abs()), real.unreadable(shape, Form::Plain)),
        ((input(0) * previous()).conj().re() - input(0).im(), real.random(shape, Form::Plain, 5)),
        (
            input(0).div_or_zero(constant(0.0)) + input(1).sqrt(),
            complex.unreadable(shape, Form::Plain),
        ),
        (
            (input(0) * constant(f64::NAN)).mul_or_zero(input(0) - input(0)) + input(1),
            complex.unreadable(shape, Form::Plain),
        ),
    ];
    check(cell, &[&r, &z], outputs);
}

/// What is real stays so: no imaginary part that infinity times zero makes, and no order that is missing.
pub fn real_parts_are_computed_as_real_numbers(cell: &Cell) {
    let [real, complex] = both(cell);
    let r = Sample::new(
        &real,
        &Tensor::new(&[2], vec![f64::INFINITY.into(), (-4.0).into()]),
        Form::Plain,
    );
    let z = complex.filled(&[2], 1.0);
    let mut outs = [complex.unreadable(&[2], Form::Plain), complex.unreadable(&[2], Form::Plain)];
    let [doubled, root] = &mut outs;
    let expressions = [constant(2.0) * input(0) * input(0), input(0).sqrt() + input(1) - input(1)];
    let outputs = expressions.into_iter().zip([doubled.view_mut(), root.view_mut()]);
    cell.executor.map_many(&[r.view(), z.view()], outputs).unwrap();
    let doubled = outs[0].read(cell).values;
    assert_eq!(doubled, [Complex64::new(f64::INFINITY, 0.0), Complex64::new(32.0, 0.0)]);
    assert!(outs[1].read(cell).values[1].re.is_nan(), "a real number's root is real");
}

pub fn one_output_of_real_and_complex_inputs(cell: &Cell) {
    let [real, complex] = both(cell);
    for form in FORMS {
        let (r, z) = (real.random(&[5, 3], form, 1), complex.random(&[4, 5, 3], Form::Plain, 2));
        let tensors = [&r.tensor, &z.tensor];
        let expression = input(0) * input(1) - constant(0.5) * previous();
        let mut out = complex.random(&[4, 5, 3], form, 3);
        let expected = reference::map(&expression, &tensors, &out.tensor);
        cell.executor.map(&expression, &[r.view(), z.view()], out.view_mut()).unwrap();
        cell.check(&out, &expected, &format!("{form:?}"));
        let expression = input(1).abs2() * input(0);
        let mut out = real.unreadable(&[4, 5, 3], form);
        let expected = reference::map(&expression, &tensors, &out.tensor);
        cell.executor.map(&expression, &[r.view(), z.view()], out.view_mut()).unwrap();
        cell.check(&out, &expected, &format!("{form:?}"));
    }
}

pub fn layouts_do_not_matter(cell: &Cell) {
    let [real, complex] = both(cell);
    let shape = &[3, 5, 4];
    for (at, first) in FORMS.into_iter().enumerate() {
        let [second, third, last] = [1, 2, 4].map(|step| FORMS[(at + step) % FORMS.len()]);
        let (r, z) = (real.random(shape, second, 1), complex.random(shape, third, 2));
        let outputs = |of_real, of_complex| {
            let held = previous() + input(0);
            vec![
                (held.clone() * input(1).re(), real.random(shape, of_real, 3)),
                (held * input(1), complex.random(shape, of_complex, 4)),
            ]
        };
        check(cell, &[&r, &z], outputs(first, last));
        let mut turned = outputs(last, first);
        turned.reverse();
        check(cell, &[&r, &z], turned);
    }
}

pub fn inputs_broadcast(cell: &Cell) {
    let [real, complex] = both(cell);
    let z = complex.random(&[4, 3, 5], Form::Plain, 6);
    for (seed, shape) in [&[3, 5][..], &[3, 1], &[5], &[4, 1, 5], &[1], &[]].into_iter().enumerate()
    {
        let seed = seed as u64;
        let (r, w) = (
            real.random(shape, Form::Mixed, 7 + seed),
            complex.random(shape, Form::Plain, 17 + seed),
        );
        let outputs = vec![
            (input(0) * input(1) + input(2), complex.unreadable(&[4, 3, 5], Form::Plain)),
            (input(0) - input(1).im(), real.unreadable(&[4, 3, 5], Form::Plain)),
        ];
        check(cell, &[&r, &z, &w], outputs);
    }
}

pub fn shapes_without_axes_or_elements(cell: &Cell) {
    let [real, complex] = both(cell);
    for shape in [&[][..], &[1], &[1, 1, 1], &[0], &[3, 0, 2]] {
        let (r, z) = (real.random(shape, Form::Plain, 1), complex.random(shape, Form::Plain, 2));
        let outputs = vec![
            (input(0) * input(1), complex.unreadable(shape, Form::Plain)),
            (input(1).abs(), real.unreadable(shape, Form::Plain)),
        ];
        check(cell, &[&r, &z], outputs);
    }
}

pub fn long_arrays(cell: &Cell) {
    let [real, complex] = both(cell);
    for (shape, form) in [(&[100_003][..], Form::Plain), (&[257, 391], Form::Transposed)] {
        let (r, z) = (real.random(shape, Form::Plain, 1), complex.random(shape, Form::Plain, 2));
        let outputs = vec![
            (previous() + input(0) * input(1), complex.random(shape, Form::Plain, 3)),
            (input(1).abs2() - input(0), real.unreadable(shape, form)),
        ];
        check(cell, &[&r, &z], outputs);
    }
}

/// As device scalars of an iteration are: their quotient fits elements, they themselves do not.
pub fn numbers_of_a_wider_dtype(cell: &Cell) {
    let device = cell.executor.device();
    if !device.is_cpu() && !device.info().float64 {
        return;
    }
    let [real, complex] = both(cell);
    let wide = Cell { executor: cell.executor.clone(), dtype: DType::Float64 };
    let far = if real.dtype == DType::Float32 { 2.0_f64.powi(400) } else { 1.0 };
    let (a, b) = (wide.filled(&[], 3.0 * far), wide.filled(&[1, 1], 8.0 * far));
    for (shape, form) in
        [(&[6, 7][..], Form::Mixed), (&[5000], Form::Plain), (&[1, 1], Form::Plain)]
    {
        let (r, z) = (real.random(shape, Form::Plain, 1), complex.random(shape, form, 2));
        let ratio = input(0).div_or_zero(input(2));
        let expressions = |ratio: Expression, r: Expression, z: Expression| {
            [previous() + ratio.clone() * z, r - ratio * previous()]
        };
        let computed = expressions(ratio, input(3), input(1));
        let plain = expressions(constant(0.375), input(0), input(1));
        let mut outs = [complex.random(shape, form, 3), real.random(shape, Form::Plain, 4)];
        let expected: Vec<_> = plain
            .iter()
            .zip(&outs)
            .map(|(plain, out)| reference::map(plain, &[&r.tensor, &z.tensor], &out.tensor))
            .collect();
        let outputs = computed.into_iter().zip(outs.iter_mut().map(Sample::view_mut));
        let views = [a.view(), z.view(), b.view(), r.view()];
        cell.executor.map_many(&views, outputs).unwrap();
        for (out, expected) in outs.iter().zip(&expected) {
            cell.check(out, expected, &format!("{shape:?}"));
        }
    }
}

/// A pseudo-random expression of a real array (input 0) and a complex one (input 1); real if that is asked.
fn expression(random: &mut Random, depth: usize, real: bool) -> Expression {
    let pick = random.bits() % if depth == 0 { 3 } else { 9 };
    let mut part = |real| expression(random, depth - 1, real);
    match pick {
        0 => constant(0.75),
        1 => previous(),
        2 if real => input(0),
        2 => input(1),
        3 => part(real) + part(real),
        4 => part(real) - part(true),
        5 => part(true) * part(real),
        6 if real => part(false).re(),
        6 => part(false).conj(),
        7 if real => part(false).im(),
        7 => part(false) * part(false),
        _ if real => part(true).max(part(true)),
        _ => -part(real),
    }
}

pub fn any_expressions_and_layouts(cell: &Cell) {
    let [real, complex] = both(cell);
    let shapes = prop::collection::vec(0..6_usize, 0..5);
    let form = || prop::sample::select(FORMS.to_vec());
    let compiled = !cell.executor.device().is_cpu();
    let config = Config {
        cases: if compiled { 8 } else { 64 },
        failure_persistence: None,
        ..Config::default()
    };
    let cases = (shapes, form(), form(), form(), form(), any::<u64>());
    TestRunner::new(config)
        .run(&cases, |(shape, r, z, x, y, seed)| {
            let mut random = Random(seed);
            let (r, z) = (real.random(&shape, r, seed ^ 1), complex.random(&shape, z, seed ^ 2));
            let outputs = vec![
                // What a real output held is real.
                (expression(&mut random, 3, true).re(), real.random(&shape, x, seed ^ 3)),
                (
                    previous() + expression(&mut random, 3, false),
                    complex.random(&shape, y, seed ^ 4),
                ),
            ];
            if outputs[1].0.has_order() {
                // What a complex output held has no order.
                return Ok(());
            }
            check(cell, &[&r, &z], outputs);
            Ok(())
        })
        .unwrap();
}
