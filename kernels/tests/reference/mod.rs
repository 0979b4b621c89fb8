//! What the verbs mean, in plain loops over indices and in 64-bit complex numbers. Slow and obvious.

use arrayspan_kernels::expression::Node;
use arrayspan_kernels::verb::{Span, Spans};
use arrayspan_kernels::{
    Band, Binary, Expression, Gather, Reduction, Scan, Stencil, Unary, Update,
};
use num_complex::Complex64;

/// A row-major array.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub shape: Vec<usize>,
    pub values: Vec<Complex64>,
}

/// A result, and for each element the sum of the magnitudes that went into it, to which rounding errors
/// are proportional.
#[derive(Clone, Debug)]
pub struct Expected {
    pub result: Tensor,
    pub scale: Vec<f64>,
    /// How many roundings may add up in one element.
    pub terms: usize,
}

impl Tensor {
    pub fn new(shape: &[usize], values: Vec<Complex64>) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len());
        Self { shape: shape.to_vec(), values }
    }

    pub fn filled(shape: &[usize], value: impl Into<Complex64>) -> Self {
        Self::new(shape, vec![value.into(); shape.iter().product()])
    }

    pub fn at(&self, index: &[usize]) -> Complex64 {
        let axes = index.iter().zip(&self.shape);
        self.values[axes.fold(0, |place, (at, extent)| place * extent + at)]
    }

    pub fn permuted(&self, axes: &[usize]) -> Self {
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape[axis]).collect();
        let values = indices(&shape).map(|index| {
            let mut old = vec![0; axes.len()];
            axes.iter().zip(&index).for_each(|(&axis, &at)| old[axis] = at);
            self.at(&old)
        });
        let values = values.collect();
        Self { shape, values }
    }

    pub fn broadcast(&self, shape: &[usize]) -> Self {
        let added = shape.len() - self.shape.len();
        let values = indices(shape).map(|index| {
            let here = index[added..].iter().zip(&self.shape);
            self.at(&here
                .map(|(&at, &extent)| if extent == 1 { 0 } else { at })
                .collect::<Vec<_>>())
        });
        Self::new(shape, values.collect())
    }
}

/// Every index of a shape, the last axis fastest.
pub fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let shape = shape.to_vec();
    (0..shape.iter().product()).map(move |mut place: usize| {
        let mut index = vec![0; shape.len()];
        for (at, extent) in index.iter_mut().zip(&shape).rev() {
            *at = place % extent;
            place /= extent;
        }
        index
    })
}

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
            let value = match function {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::DivideOrZero | Binary::MultiplyOrZero if b == real(0.0) => b,
                Binary::Multiply | Binary::MultiplyOrZero => a * b,
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

fn updated(update: Update, (sum, scale): (Complex64, f64), y: Complex64) -> (Complex64, f64) {
    let [alpha, beta] = update.known().expect("the reference is given numbers");
    let (value, scale) = (alpha * sum, alpha.norm() * scale);
    if update.reads() {
        return (value + beta * y, scale + beta.norm() * y.norm());
    }
    (value, scale)
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

pub fn stencil(stencil: &Stencil, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    stencil_sum(&[Summand { stencil, x, before: None, after: None }], y, update)
}

pub fn stencil_each(stencils: &Stencil, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let len = x.values.len();
    let parts = stencils.terms().iter().enumerate().map(|(at, (axis, band))| {
        let one = Stencil::along(*axis, band.clone()).unwrap();
        let y = Tensor::new(&x.shape, y.values[at * len..][..len].to_vec());
        stencil(&one, x, &y, update)
    });
    let parts: Vec<Expected> = parts.collect();
    let values = parts.iter().flat_map(|part| part.result.values.clone()).collect();
    let scale = parts.iter().flat_map(|part| part.scale.clone()).collect();
    let terms = parts.iter().map(|part| part.terms).max().unwrap_or(0);
    Expected { result: Tensor::new(&y.shape, values), scale, terms }
}

/// `after ⊙ stencil(before ⊙ x)`, coefficients of the shape of `x` and as they multiply.
pub struct Summand<'a> {
    pub stencil: &'a Stencil,
    pub x: &'a Tensor,
    pub before: Option<Tensor>,
    pub after: Option<Tensor>,
}

pub fn stencil_sum(summands: &[Summand<'_>], y: &Tensor, update: Update) -> Expected {
    let factor = |of: &Option<Tensor>, index: &[usize]| {
        of.as_ref().map_or(Complex64::new(1.0, 0.0), |of| of.at(index))
    };
    let element = |index: Vec<usize>| {
        let mut sum = (Complex64::default(), 0.0);
        for Summand { stencil, x, before, after } in summands {
            for (axis, band) in stencil.terms() {
                for tap in band.row(index[*axis]) {
                    let mut column = index.clone();
                    column[*axis] = index[*axis].checked_add_signed(tap.offset).unwrap();
                    let term = tap.weight * factor(before, &column) * x.at(&column);
                    let term = factor(after, &index) * term;
                    sum = (sum.0 + term, sum.1 + term.norm());
                }
            }
        }
        updated(update, sum, y.at(&index))
    };
    let (values, scale) = indices(&y.shape).map(element).unzip();
    let taps = |band: &Band| (0..band.len()).map(|i| band.row(i).len()).max().unwrap_or(0);
    let bands = summands.iter().flat_map(|summand| summand.stencil.terms());
    // A product with coefficients rounds once more.
    let factors = |summand: &Summand<'_>| {
        usize::from(summand.before.is_some()) + usize::from(summand.after.is_some())
    };
    let terms = bands.map(|(_, band)| taps(band)).sum::<usize>()
        + summands.iter().map(factors).sum::<usize>()
        + 3;
    Expected { result: Tensor::new(&y.shape, values), scale, terms }
}

/// `y ← alpha · S x + beta · y`, the axes of rows and columns counted together, the last one fastest.
pub fn gather(gather: &Gather, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let axis = gather.axis();
    let behind = |extents: &[usize]| axis + extents.len();
    let number = |extents: &[usize], index: &[usize]| {
        extents.iter().zip(index).fold(0, |number, (extent, at)| number * extent + at)
    };
    let element = |index: Vec<usize>| {
        let row = number(gather.rows(), &index[axis..behind(gather.rows())]);
        let mut sum = (Complex64::default(), 0.0);
        for (column, weight) in gather.row(row).unwrap() {
            let mut place = gather.columns().to_vec();
            let mut rest = column;
            for at in place.iter_mut().rev() {
                (*at, rest) = (rest % *at, rest / *at);
            }
            let place = [&index[..axis], &place, &index[behind(gather.rows())..]].concat();
            let term = weight * x.at(&place);
            sum = (sum.0 + term, sum.1 + term.norm());
        }
        updated(update, sum, y.at(&index))
    };
    let (values, scale) = indices(&y.shape).map(element).unzip();
    let rows = gather.rows().iter().product();
    let most = (0..rows).map(|row| gather.row(row).unwrap().count()).max().unwrap_or(0);
    Expected { result: Tensor::new(&y.shape, values), scale, terms: most + 3 }
}

/// A sum, and that of the magnitudes in it.
type Sum = (Complex64, f64);

/// `y ← alpha · S x + beta · y`, a line after the other, in the order of its sums.
pub fn scan(scan: &Scan, x: &Tensor, y: &Tensor, update: Update) -> Expected {
    let (axis, [rows_out, columns_out]) = (scan.axis(), scan.left_out());
    let [diagonal, corner, coupling] = scan.weights();
    let mut result = y.clone();
    let mut scale = vec![0.0; y.values.len()];
    let mut lines = y.shape.clone();
    lines[axis] = 1;
    let times = |weight: f64, (value, size): Sum| match weight {
        0.0 => (Complex64::default(), 0.0),
        weight => (value * weight, size * weight.abs()),
    };
    let plus = |a: Sum, b: Sum| (a.0 + b.0, a.1 + b.1);
    for line in indices(&lines) {
        let mut place = line.clone();
        let mut sum = (Complex64::default(), 0.0);
        for step in 0..scan.extent() {
            let i = if scan.is_backward() { scan.extent() - 1 - step } else { step };
            let value = i.checked_sub(columns_out).map_or(Complex64::default(), |column| {
                place[axis] = column;
                x.at(&place)
            });
            let value = (value, value.norm());
            let (mut before, mut share, mut own) = (sum, value, times(diagonal, value));
            if i == 0 {
                own = times(corner, value);
                if scan.is_backward() {
                    before = times(coupling, before);
                } else {
                    share = times(coupling, value);
                }
            }
            sum = plus(sum, share);
            let Some(row) = i.checked_sub(rows_out) else { continue };
            place[axis] = row;
            let at = place.iter().zip(&y.shape).fold(0, |at, (index, extent)| at * extent + index);
            (result.values[at], scale[at]) = updated(update, plus(before, own), y.values[at]);
        }
    }
    Expected { result, scale, terms: 20 }
}

/// The reduction of `expression(inputs)`, where inputs broadcast to the shape of the first.
pub fn reduce(
    reduction: Reduction,
    expression: &Expression,
    inputs: &[&Tensor],
    axes: &[usize],
) -> Expected {
    let all = Tensor::filled(&inputs[0].shape, 0.0);
    let elements = map(expression, inputs, &all);
    let kept: Vec<usize> = (0..all.shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let shape: Vec<usize> = kept.iter().map(|&axis| all.shape[axis]).collect();
    let start = match reduction {
        Reduction::Sum => 0.0,
        Reduction::Maximum => f64::NEG_INFINITY,
        Reduction::Minimum => f64::INFINITY,
    };
    let mut result = Tensor::filled(&shape, start);
    let mut scale = vec![0.0; result.values.len()];
    for (place, index) in indices(&all.shape).enumerate() {
        let to = kept.iter().fold(0, |to, &axis| to * all.shape[axis] + index[axis]);
        let (old, new) = (result.values[to], elements.result.values[place]);
        scale[to] += elements.scale[place];
        result.values[to] = match reduction {
            Reduction::Sum => old + new,
            _ if old.re.is_nan() || new.re.is_nan() => f64::NAN.into(),
            Reduction::Maximum => old.re.max(new.re).into(),
            Reduction::Minimum => old.re.min(new.re).into(),
        };
    }
    Expected { result, scale, terms: expression.operations() + 3 }
}

/// `c ← alpha · a b + beta · c` for shapes `[batch, m, k]`, `[batch, k, n]`, `[batch, m, n]`.
pub fn gemm(a: &Tensor, conjugate: bool, b: &Tensor, c: &Tensor, update: Update) -> Expected {
    let inner = a.shape[2];
    let element = |index: Vec<usize>| {
        let mut sum = (Complex64::default(), 0.0);
        for l in 0..inner {
            let a = a.at(&[index[0], index[1], l]);
            let a = if conjugate { a.conj() } else { a };
            let term = a * b.at(&[index[0], l, index[2]]);
            sum = (sum.0 + term, sum.1 + term.norm());
        }
        updated(update, sum, c.at(&index))
    };
    let (values, scale) = indices(&c.shape).map(element).unzip();
    Expected { result: Tensor::new(&c.shape, values), scale, terms: inner + 3 }
}
