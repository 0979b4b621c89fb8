//! Wrong arguments are found before anything is done: the variant, what it says, and nothing changed.

use std::sync::Arc;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{
    Error, Executor, Reduction, Result, Stencil, StencilTerm, Update, constant, input, on, previous,
};
use num_complex::Complex64;

pub const I: Complex64 = Complex64::new(0.0, 1.0);

pub fn host() -> Arc<dyn Executor> {
    on(Device::cpu()).unwrap()
}

/// An array of this shape, each byte of it 7.
pub fn array(shape: &[usize], dtype: DType) -> Array {
    let mut array = Array::empty(shape, dtype, &Device::cpu().stream().unwrap()).unwrap();
    array.bytes_mut().unwrap().as_mut_slice::<u8>().unwrap().fill(7);
    array
}

pub fn bytes(array: &Array) -> Vec<u8> {
    array.bytes().unwrap().to_vec().unwrap()
}

/// Fails unless `verb` refuses to write to an array of that shape and dtype, in these words.
#[track_caller]
pub fn refused(
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

pub fn shape(error: &Error) -> bool {
    matches!(error, Error::Shape { .. })
}

pub fn dtype(error: &Error) -> bool {
    matches!(error, Error::DType { .. })
}

pub fn not_computable(error: &Error) -> bool {
    matches!(error, Error::NotComputable { .. })
}

pub fn argument(error: &Error) -> bool {
    matches!(error, Error::Argument { .. })
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
    let words = ["reduce", "no axis 2 in", "[2, 3]"];
    refused(&[2, 3], DType::Float32, run(sum, input(0), one(), &[2]), argument, &words);
    let words = ["reduce", "axis 0 comes twice in [0, 0]", "[2, 3]"];
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
