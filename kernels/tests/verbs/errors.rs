//! Wrong arguments are found before anything is done: the variant, what it says, and nothing changed.

use std::sync::Arc;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{
    Band, Coefficients, Error, Executor, Reduction, Result, Stencil, StencilTerm, Update, constant,
    input, on, previous,
};
use num_complex::Complex64;

const I: Complex64 = Complex64::new(0.0, 1.0);

fn host() -> Arc<dyn Executor> {
    on(Device::cpu()).unwrap()
}

/// An array of this shape, each byte of it 7.
fn array(shape: &[usize], dtype: DType) -> Array {
    let mut array = Array::empty(shape, dtype, &Device::cpu().stream().unwrap()).unwrap();
    array.bytes_mut().unwrap().as_mut_slice::<u8>().unwrap().fill(7);
    array
}

fn bytes(array: &Array) -> Vec<u8> {
    array.bytes().unwrap().to_vec().unwrap()
}

/// Fails unless `verb` refuses to write to an array of that shape and dtype, in these words.
#[track_caller]
fn refused(
    shape: &[usize],
    dtype: DType,
    verb: impl FnOnce(&mut Array) -> Result<()>,
    is: fn(&Error) -> bool,
    words: &[&str],
) {
    let mut out = array(shape, dtype);
    let error = verb(&mut out).unwrap_err();
    assert!(is(&error), "{error:?}");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "'{text}' lacks '{word}'");
    }
    assert!(bytes(&out).iter().all(|byte| *byte == 7), "{text}: the output has changed");
}

fn shape(error: &Error) -> bool {
    matches!(error, Error::Shape { .. })
}

fn dtype(error: &Error) -> bool {
    matches!(error, Error::DType { .. })
}

fn not_computable(error: &Error) -> bool {
    matches!(error, Error::NotComputable { .. })
}

fn argument(error: &Error) -> bool {
    matches!(error, Error::Argument { .. })
}

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
fn reduce_writes_real_results_only_of_real_expressions_and_none_that_are_narrower() {
    let run = |expression, from: DType, reduction| {
        let x = array(&[2, 3], from);
        move |out: &mut Array| {
            host().reduce(reduction, &expression, &[x.view()], &[0, 1], out.view_mut())
        }
    };
    let sum = Reduction::Sum;
    for expression in [input(0), input(0) * input(0), constant(I), input(0).abs().sqrt()] {
        let words = ["reduce", "expression is complex", "Complex64", "Float64"];
        refused(&[], DType::Float64, run(expression, DType::Complex64, sum), argument, &words);
    }
    let square = || input(0).abs2();
    let words = ["reduce", "the output", "Float32", "Float64"];
    refused(&[], DType::Float32, run(square(), DType::Float64, sum), dtype, &words);
    let words = ["reduce", "the output", "Float32", "Complex128"];
    refused(&[], DType::Float32, run(square(), DType::Complex128, sum), dtype, &words);
    let words = ["reduce", "the output", "Complex64", "Float32"];
    refused(&[], DType::Complex64, run(square(), DType::Float32, sum), dtype, &words);
    let words = ["reduce", "Int32"];
    refused(&[], DType::Float64, run(square(), DType::Int32, sum), not_computable, &words);
}

#[test]
fn copy_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let integers = array(&[3, 2], DType::Int16);
    let run = |view, update| move |out: &mut Array| host().copy(view, out.view_mut(), update);
    let set = Update::set();
    refused(&[3, 2], DType::Float32, run(x.view(), set), shape, &["copy", "x", "[2, 3]", "[3, 2]"]);
    let words = ["copy", "x is Float32", "Float64"];
    refused(&[2, 3], DType::Float64, run(x.view(), set), dtype, &words);
    let words = ["copy", "Int16"];
    refused(&[3, 2], DType::Int16, run(integers.view(), Update::add()), not_computable, &words);
    for update in [Update::new(I, 0.0), Update::new(1.0, I)] {
        let words = ["copy", "alpha", "beta", "real", "Float32"];
        refused(&[2, 3], DType::Float32, run(x.view(), update), argument, &words);
    }
}

#[test]
fn stencil_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let band = |len| Band::uniform(len, [(0, 1.0), (1, 2.0)]);
    let along = |axis, len| Stencil::along(axis, band(len)).unwrap();
    let run = |stencil, update| {
        let view = x.view();
        move |out: &mut Array| host().stencil(&stencil, view, out.view_mut(), update)
    };
    let set = Update::set();
    let words = ["stencil", "x", "[2, 3]", "[3, 2]"];
    refused(&[3, 2], DType::Float32, run(along(0, 3), set), shape, &words);
    let words = ["stencil", "x is Float32", "Float64"];
    refused(&[2, 3], DType::Float64, run(along(0, 2), set), dtype, &words);
    refused(&[2, 3], DType::UInt8, run(along(0, 2), set), not_computable, &["stencil", "UInt8"]);
    let words = ["stencil", "length 5", "axis 1", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(along(1, 5), set), argument, &words);
    let words = ["stencil", "axis 2", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(along(2, 3), set), argument, &words);
    let complex = Stencil::along(0, Band::uniform_complex(2, [(0, I)])).unwrap();
    let words = ["stencil", "weights are complex", "Float32"];
    refused(&[2, 3], DType::Float32, run(complex, set), argument, &words);
    let words = ["stencil", "alpha", "real", "Float32"];
    refused(&[2, 3], DType::Float32, run(along(0, 2), Update::new(I, 0.0)), argument, &words);
}

#[test]
fn stencil_sum_checks_its_arguments() {
    let (x, other) = (array(&[2, 3], DType::Float32), array(&[4], DType::Float32));
    let wide = array(&[2, 3], DType::Float64);
    let along = |axis, len| Stencil::along(axis, Band::uniform(len, [(0, 1.0), (1, 2.0)])).unwrap();
    let term = |stencil: &Stencil| StencilTerm::new(stencil, x.view());
    let (plain, set) = (term(&along(0, 2)), Update::set());
    let run = |terms: &[StencilTerm<'_>], update, size: &[usize], of, kind, words: &[&str]| {
        let verb = |out: &mut Array| host().stencil_sum(terms, out.view_mut(), update);
        refused(size, of, verb, kind, &[&["stencil_sum"], words].concat());
    };
    let (is, two) = (DType::Float32, [2, 3]);
    run(&vec![plain.clone(); 5], set, &two, is, argument, &["5 terms", "more than 4"]);
    let words = ["x of term 0", "[2, 3]", "[3, 2]"];
    run(&[plain.clone(), plain.clone()], set, &[3, 2], is, shape, &words);
    let words = ["x of term 0 is Float32", "Float64"];
    run(&[plain.clone(), plain.clone()], set, &two, DType::Float64, dtype, &words);
    run(&[plain.clone(), plain.clone()], set, &two, DType::UInt8, not_computable, &["UInt8"]);
    run(
        &[plain.clone(), term(&along(1, 5))],
        set,
        &two,
        is,
        argument,
        &["length 5", "axis 1", "[2, 3]"],
    );
    let complex = Stencil::along(0, Band::uniform_complex(2, [(0, I)])).unwrap();
    run(
        &[plain.clone(), term(&complex)],
        set,
        &two,
        is,
        argument,
        &["weights are complex", "Float32"],
    );
    let before = StencilTerm { before: Some(Coefficients::new(other.view())), ..plain.clone() };
    run(&[plain.clone(), before], set, &two, is, shape, &["before of term 1", "[4]", "[2, 3]"]);
    let after = StencilTerm { after: Some(Coefficients::new(wide.view())), ..plain.clone() };
    run(&[after], set, &two, is, dtype, &["after of term 0 is Float64", "Float32"]);
    let words = ["alpha", "real", "Float32"];
    run(&[plain.clone(), plain.clone()], Update::new(I, 0.0), &two, is, argument, &words);
}

#[test]
fn stencils_are_checked_when_they_are_made() {
    let lengths = Stencil::new([(1, Band::uniform(4, [])), (1, Band::uniform(5, []))]).unwrap_err();
    assert!(matches!(lengths, Error::Argument { verb: "stencil", .. }));
    assert!(lengths.to_string().contains("length 4 and 5 along axis 1"), "{lengths}");
    for weight in [f64::NAN, f64::INFINITY] {
        let weights = Stencil::along(2, Band::uniform(4, [(0, weight)])).unwrap_err();
        assert!(matches!(weights, Error::Argument { verb: "stencil", .. }));
        assert!(weights.to_string().contains("weight along axis 2 is not finite"), "{weights}");
    }
}

#[test]
fn reduce_checks_its_arguments() {
    let x = array(&[2, 3], DType::Float32);
    let wide = array(&[2, 3], DType::Float64);
    let complex = array(&[2, 3], DType::Complex64);
    let run = |reduction, expression, views: Vec<_>, axes: &'static [usize]| {
        move |out: &mut Array| host().reduce(reduction, &expression, &views, axes, out.view_mut())
    };
    let sum = Reduction::Sum;
    let one = || vec![x.view()];
    let words = ["reduce", "no input"];
    refused(&[], DType::Float32, run(sum, constant(1.0), vec![], &[]), argument, &words);
    let words = ["reduce", "reads the output"];
    refused(&[3], DType::Float32, run(sum, previous(), one(), &[0]), argument, &words);
    let words = ["reduce", "no order"];
    for reduction in [Reduction::Maximum, Reduction::Minimum] {
        let run = run(reduction, input(0), vec![complex.view()], &[0]);
        refused(&[3], DType::Complex64, run, argument, &words);
    }
    let words = ["reduce", "axes [2]", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(sum, input(0), one(), &[2]), argument, &words);
    let words = ["reduce", "axes [0, 0]"];
    refused(&[3], DType::Float32, run(sum, input(0), one(), &[0, 0]), argument, &words);
    let words = ["reduce", "the output", "[2]", "[3]"];
    refused(&[2], DType::Float32, run(sum, input(0), one(), &[0]), shape, &words);
    let views = vec![x.view(), wide.view()];
    let words = ["reduce", "input 1", "Float64"];
    refused(&[3], DType::Float32, run(sum, input(0), views, &[0]), dtype, &words);
    let words = ["reduce", "Int64"];
    refused(&[3], DType::Int64, run(sum, input(0), one(), &[0]), not_computable, &words);
    let words = ["reduce", "takes 2 inputs"];
    refused(&[3], DType::Float32, run(sum, input(1), one(), &[0]), argument, &words);
}

#[test]
fn gemm_checks_its_arguments() {
    let a = array(&[2, 3], DType::Float32);
    let b = array(&[3, 4], DType::Float32);
    let wide = array(&[3, 4], DType::Float64);
    let batch = array(&[2, 3, 4], DType::Float32);
    let run =
        |a, b, update| move |out: &mut Array| host().gemm(a, false, b, out.view_mut(), update);
    let set = Update::set();
    let words = ["gemm", "[2, 3] times [2, 3]", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(a.view(), a.view(), set), argument, &words);
    let words = ["gemm", "[2, 3] times [3, 4]", "[4, 2]"];
    refused(&[4, 2], DType::Float32, run(a.view(), b.view(), set), argument, &words);
    let words = ["gemm", "[2, 3] times [2, 3, 4]"];
    refused(&[2, 4], DType::Float32, run(a.view(), batch.view(), set), argument, &words);
    let words = ["gemm", "b is Float64", "Float32"];
    refused(&[2, 4], DType::Float32, run(a.view(), wide.view(), set), dtype, &words);
    let words = ["gemm", "a is Float32", "Float64"];
    refused(&[2, 4], DType::Float64, run(a.view(), wide.view(), set), dtype, &words);
    let words = ["gemm", "Int8"];
    refused(&[2, 4], DType::Int8, run(a.view(), b.view(), set), not_computable, &words);
    let words = ["gemm", "beta", "real"];
    refused(
        &[2, 4],
        DType::Float32,
        run(a.view(), b.view(), Update::new(1.0, I)),
        argument,
        &words,
    );
}

/// Each verb is asked of the host with one array on another device.
#[test]
fn arrays_on_another_device_are_refused() {
    let Some(device) = Device::all().into_iter().find(|device| !device.is_cpu()) else {
        return crate::cell::say("skipped: no CUDA or OpenCL device");
    };
    let there = Array::empty([2, 2], DType::Float32, &device.stream().unwrap()).unwrap();
    let here = array(&[2, 2], DType::Float32);
    let wrong = |error: &Error| matches!(error, Error::WrongDevice { .. });
    let (set, stencil) = (Update::set(), Stencil::new([]).unwrap());
    let (x, y) = (|| there.view(), || here.view());
    let shape = &[2, 2];
    let refuse = |verb: &dyn Fn(&mut Array) -> Result<()>, argument: &str| {
        refused(shape, DType::Float32, verb, wrong, &[argument, device.kind().name(), "cpu"]);
    };
    refuse(&|out| host().map(&input(0), &[x()], out.view_mut()), "map: input 0");
    refuse(&|out| host().copy(x(), out.view_mut(), set), "copy: x");
    refuse(&|out| host().stencil(&stencil, x(), out.view_mut(), set), "stencil: x");
    let both = || [StencilTerm::new(&stencil, y()), StencilTerm::new(&stencil, x())];
    let sum = |out: &mut Array| host().stencil_sum(&both(), out.view_mut(), set);
    refuse(&sum, "stencil_sum: x of term 1");
    refuse(
        &|out| host().reduce(Reduction::Sum, &input(0), &[x()], &[], out.view_mut()),
        "reduce: input 0",
    );
    refuse(&|out| host().gemm(x(), false, y(), out.view_mut(), set), "gemm: a");
    refuse(&|out| host().gemm(y(), false, x(), out.view_mut(), set), "gemm: b");
    let mut there = there;
    let error = host().copy(here.view(), there.view_mut(), set).unwrap_err();
    assert!(wrong(&error) && error.to_string().contains("copy: y"), "{error}");
}

#[test]
fn factors_that_the_dtype_cannot_hold_are_refused() {
    let [x, mut y] = [0; 2].map(|_| Array::from_slice(&[1.0_f32, 2.0], [2]).unwrap());
    let on = host();
    for (update, name) in [
        (Update::new(1e300, 0.0), "alpha"),
        (Update::new(f64::NAN, 0.0), "alpha"),
        (Update::new(1.0, -1e39), "beta"),
    ] {
        let error = on.copy(x.view(), y.view_mut(), update).unwrap_err();
        let found = error.to_string();
        assert!(found.starts_with(&format!("copy: {name} ")), "{found}");
        assert!(found.ends_with("is not a finite number of Float32"), "{found}");
        assert_eq!(y.view().to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
    let mut wide = Array::from_slice(&[1.0, 2.0], [2]).unwrap();
    for weight in [Complex64::new(-1e300, 0.0), Complex64::new(0.0, 3.5e38)] {
        let band = Band::uniform_complex(2, [(0, Complex64::new(1.0, 0.0)), (1, weight)]);
        let stencil = Stencil::along(0, band).unwrap().adjoint();
        if weight.im != 0.0 {
            let x = array(&[2], DType::Complex64);
            let mut y = array(&[2], DType::Complex64);
            on.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap_err();
            continue;
        }
        let error = on.stencil(&stencil, x.view(), y.view_mut(), Update::set()).unwrap_err();
        let found = error.to_string();
        assert_eq!(found, "stencil: a weight of 1e300 is not a finite number of Float32");
        let x = Array::from_slice(&[1.0, 2.0], [2]).unwrap();
        on.stencil(&stencil, x.view(), wide.view_mut(), Update::set()).unwrap();
    }
    // Below the normal numbers of Float32: as good as zero, which a verb may be given.
    on.copy(x.view(), y.view_mut(), Update::new(1e-60, 1.0)).unwrap();
    assert_eq!(y.view().to_vec::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn more_operations_than_anyone_could_wait_for_are_refused() {
    // 200 handles, and more operations than can be counted.
    let shared = (0..200).fold(input(0), |sum, _| sum.clone() + sum);
    let x = array(&[2], DType::Float32);
    let words = ["the expression has", "operations, more than"];
    let map = |out: &mut Array| host().map(&shared, &[x.view()], out.view_mut());
    refused(&[2], DType::Float32, map, argument, &[&["map"][..], &words].concat());
    let sum = |out: &mut Array| host().sum(&shared, &[x.view()], out.view_mut());
    refused(&[], DType::Float32, sum, argument, &[&["reduce"][..], &words].concat());
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
    many(complex, argument, &["map", "takes 3 inputs, not 2"], &mut other, [input(0), input(2)]);
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
