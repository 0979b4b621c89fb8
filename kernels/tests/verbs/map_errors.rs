//! Wrong arguments of `map` and `map_many`.

use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::verb::{Dot, DotOf};
use arrayspan_kernels::{Error, constant, input, previous};

use crate::errors::{I, argument, array, bytes, dtype, host, not_computable, refused, shape};

#[test]
fn map_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let wide = array(&[2, 3], DType::Float64);
    let complex = array(&[2, 3], DType::Complex64);
    let other = array(&[4], DType::Float32);
    let at = &[2, 3];
    let run =
        |expression, view| move |out: &mut Array| host().map(&expression, &[view], out.view_mut());
    refused(
        at,
        DType::Float32,
        run(input(0), other.view()),
        shape,
        &["map", "input 0", "[4]", "[2, 3]"],
    );
    let words = ["map", "input 0", "Float64", "Float32"];
    refused(at, DType::Float32, run(input(0), wide.view()), dtype, &words);
    let words = ["map", "Int32"];
    refused(at, DType::Int32, run(input(0), x.view()), not_computable, &words);
    let words = ["map", "takes 2 inputs, not 1"];
    refused(at, DType::Float32, run(input(1), x.view()), argument, &words);
    let words = ["map", "constant is complex", "Float32"];
    refused(at, DType::Float32, run(constant(I), x.view()), argument, &words);
    for expression in [input(0).max(input(0)), input(0).min(previous())] {
        let words = ["map", "no order"];
        refused(at, DType::Complex64, run(expression, complex.view()), argument, &words);
    }
}

#[test]
fn map_takes_wider_numbers_only_where_they_are_single_real_and_of_one_dtype() {
    let number = |dtype| array(&[], dtype);
    let (single, double) = (number(DType::Float32), number(DType::Float64));
    let complex = number(DType::Complex128);
    let several = array(&[3], DType::Float64);
    let run = |views: Vec<_>| {
        let sum = (1..views.len()).fold(input(0), |sum, at| sum + input(at));
        move |out: &mut Array| host().map(&sum, &views, out.view_mut())
    };
    let words = ["map", "input 0", "Complex128", "Float32"];
    refused(&[3], DType::Float32, run(vec![complex.view()]), dtype, &words);
    let words = ["map", "input 0", "Float64", "Float32"];
    refused(&[3], DType::Float32, run(vec![several.view()]), dtype, &words);
    let words = ["map", "input 0", "Float32", "Float64"];
    refused(&[3], DType::Float64, run(vec![single.view()]), dtype, &words);
    let words = ["map", "input 1", "Float32", "Float64"];
    refused(&[3], DType::Complex64, run(vec![double.view(), single.view()]), dtype, &words);
}

#[test]
fn outputs_that_do_not_fit_together_are_refused() {
    let [x, z] = [DType::Float32, DType::Complex64].map(|dtype| array(&[2, 3], dtype));
    let double = array(&[2, 3], DType::Float64);
    let mut other = array(&[2, 3], DType::Float32);
    let error = host().map_many(&[x.view()], []).unwrap_err();
    assert_eq!(error.to_string(), "map: there is no output");
    let (real, complex) = (DType::Float32, DType::Complex64);
    let many = |out: DType,
                is: fn(&Error) -> bool,
                words: &[&str],
                second: &mut Array,
                e: [_; 2]| {
        let inputs = [x.view(), z.view()];
        let verb = |first: &mut Array| {
            let views = [first.view_mut(), second.view_mut()];
            host().map_many(&inputs, e.into_iter().zip(views))
        };
        refused(&[2, 3], out, verb, is, words);
        assert!(bytes(second).iter().all(|byte| *byte == 7), "{words:?}: the second has changed");
    };
    let plain = || [input(0), input(0)];
    many(real, shape, &["map", "output 1", "[3, 2]", "[2, 3]"], &mut array(&[3, 2], real), plain());
    let words = ["map", "output 1", "Float64", "Float32"];
    many(real, dtype, &words, &mut array(&[2, 3], DType::Float64), plain());
    let words = ["map", "output 1", "Int32", "Complex64"];
    many(complex, dtype, &words, &mut array(&[2, 3], DType::Int32), plain());
    let words = ["map", "output 1 is Float32", "complex"];
    many(complex, argument, &words, &mut other, [input(0), input(0) * input(1)]);
    many(complex, argument, &words, &mut other, [input(0), constant(I)]);
    let words = ["map", "no order"];
    many(complex, argument, &words, &mut other, [input(1).max(input(0)), input(0)]);
    many(complex, argument, &words, &mut other, [constant(I).min(constant(1.0)), input(0)]);
    let words = ["map", "takes 5 inputs, not 2 and 2 outputs"];
    many(complex, argument, &words, &mut other, [input(0), input(4)]);
    let mixed = |out: &mut Array| host().map(&input(2), &[x.view(), z.view()], out.view_mut());
    refused(&[2, 3], complex, mixed, argument, &["map", "takes 3 inputs, not 2"]);
    let inputs = [double.view(), x.view()];
    let mixed = |out: &mut Array| {
        host().map_many(&inputs, [(input(0), out.view_mut()), (input(1), other.view_mut())])
    };
    refused(&[2, 3], real, mixed, dtype, &["map", "input 0", "Float64", "Float32"]);
    // A real output of one expression: what there is of it must be real.
    let complex_to_real = |out: &mut Array| host().map(&input(0), &[z.view()], out.view_mut());
    refused(&[2, 3], real, complex_to_real, argument, &["map", "output 0 is Float32", "complex"]);
    let imaginary = |out: &mut Array| host().map_many(&[x.view()], [(constant(I), out.view_mut())]);
    refused(&[2, 3], real, imaginary, argument, &["map", "a constant is complex"]);
}

#[test]
fn dots_that_do_not_fit_are_refused() {
    let [x, z] = [DType::Float32, DType::Complex64].map(|dtype| array(&[2, 3], dtype));
    let number = array(&[], DType::Float64);
    let run = |a: DotOf, b: DotOf, at: &'static [usize], result: DType| {
        let (views, mut sum) = ([x.view(), z.view(), number.view()], array(at, result));
        move |out: &mut Array| {
            let dot = Dot { a, b, out: sum.view_mut() };
            host().map_dots(&views, [(input(0) * input(2), out.view_mut())], [dot])
        }
    };
    let (input, output) = (DotOf::Input, DotOf::Output);
    let (real, double) = (DType::Float32, DType::Float64);
    let at = &[2, 3];
    let words = ["map", "dot 0 is of input 3, of 3"];
    refused(at, real, run(output(0), input(3), &[], double), argument, &words);
    let words = ["map", "dot 0 is of output 1, of 1"];
    refused(at, real, run(output(1), input(0), &[], double), argument, &words);
    let words = ["map", "dot 0 is of input 2, a single number"];
    refused(at, real, run(input(2), input(2), &[], double), argument, &words);
    let words = ["map", "dot 0 is of arrays of two dtypes, Float32 and Complex64"];
    refused(at, real, run(output(0), input(1), &[], double), argument, &words);
    let words = ["map", "dot 0", "[2]", "[]"];
    refused(at, real, run(output(0), input(0), &[2], double), shape, &words);
    let words = ["map", "dot 0", "Complex64", "Float32"];
    refused(at, real, run(output(0), input(0), &[], DType::Complex64), dtype, &words);
    let words = ["map", "Int32"];
    refused(at, real, run(output(0), input(0), &[], DType::Int32), not_computable, &words);
}
