//! Verbs that go element by element.

use arrayspan_kernels::expression::Node;
use arrayspan_kernels::verb::{Span, Spans};
use arrayspan_kernels::{Binary, Expression, Unary, Update};
use num_complex::Complex64;

use super::tensor::{Expected, Tensor, indices};
use super::updated;

pub fn map(expression: &Expression, inputs: &[&Tensor], previous: &Tensor) -> Expected {
    let shape = &previous.shape;
    let inputs: Vec<Tensor> = inputs.iter().map(|input| input.broadcast(shape)).collect();
    let element = |place: usize| {
        let inputs: Vec<Complex64> = inputs.iter().map(|input| input.values[place]).collect();
        evaluate(expression, &inputs, previous.values[place])
    };
    let (values, scale) = (0..previous.values.len()).map(element).unzip();
    Expected { result: Tensor::new(shape, values), scale, terms: expression.operations() }
}

/// The value, and the largest magnitude met on the way.
fn evaluate(
    expression: &Expression,
    inputs: &[Complex64],
    previous: Complex64,
) -> (Complex64, f64) {
    let real = |value: f64| Complex64::new(value, 0.0);
    let (value, scale) = match expression.node() {
        Node::Input(number) => (inputs[*number], 0.0),
        Node::Previous => (previous, 0.0),
        Node::Constant(value) => (*value, 0.0),
        Node::Unary(function, a) => {
            let (a, scale) = evaluate(a, inputs, previous);
            let value = match function {
                Unary::Negate => -a,
                Unary::Conjugate => a.conj(),
                Unary::Real => real(a.re),
                Unary::Imaginary => real(a.im),
                Unary::Absolute => real(a.norm()),
                Unary::AbsoluteSquare => real(a.norm_sqr()),
                Unary::SquareRoot => a.sqrt(),
            };
            (value, scale)
        }
        Node::Binary(function, a, b) => {
            let (a, a_scale) = evaluate(a, inputs, previous);
            let (b, b_scale) = evaluate(b, inputs, previous);
            let nan = a.re.is_nan() || b.re.is_nan();
            // As complex numbers, infinite ones times zero imaginary parts would not be numbers.
            let are_real = a.im == 0.0 && b.im == 0.0;
            let value = match function {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::DivideOrZero | Binary::MultiplyOrZero if b == real(0.0) => b,
                Binary::Multiply | Binary::MultiplyOrZero if are_real => real(a.re * b.re),
                Binary::Multiply | Binary::MultiplyOrZero => a * b,
                Binary::Divide | Binary::DivideOrZero if are_real => real(a.re / b.re),
                Binary::Divide | Binary::DivideOrZero => a / b,
                Binary::Minimum | Binary::Maximum if nan => real(f64::NAN),
                Binary::Minimum => real(a.re.min(b.re)),
                Binary::Maximum => real(a.re.max(b.re)),
            };
            (value, a_scale.max(b_scale))
        }
    };
    (value, scale.max(value.norm()))
}

pub fn copy(x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let pairs = x.values.iter().zip(&y.values);
    let (values, scale) = pairs.map(|(&x, &y)| updated(update, (x, x.norm()), y)).unzip();
    Expected { result: Tensor::new(&y.shape, values), scale, terms: 3 }
}

/// What spans read at an index.
fn found(spans: &[Span], at: usize) -> Option<usize> {
    let number = spans.iter().position(|span| at < span.end).unwrap();
    let start = if number > 0 { spans[number - 1].end } else { 0 };
    let (first, step) = spans[number].reads?;
    Some((first as isize + step * (at - start) as isize) as usize)
}

pub fn copy_mapped(sources: &[(&Tensor, &[Spans])], y: &Tensor, update: Update) -> Expected {
    let element = |(index, &y): (Vec<usize>, &Complex64)| {
        let read = sources.iter().filter_map(|(x, axes)| {
            let index = axes.iter().zip(&index).map(|(spans, &at)| found(spans, at));
            Some(x.at(&index.collect::<Option<Vec<_>>>()?))
        });
        let read: Vec<Complex64> = read.collect();
        let sum = (read.iter().sum(), read.iter().map(|x| x.norm()).sum());
        updated(update, sum, y)
    };
    let (values, scale) = indices(&y.shape).zip(&y.values).map(element).unzip();
    Expected { result: Tensor::new(&y.shape, values), scale, terms: 2 + sources.len() }
}
