//! `map_many` whose outputs read each other, and its dots.

use arrayspan_kernels::bridge::DType;
use arrayspan_kernels::verb::{Dot, DotOf};
use arrayspan_kernels::{Executor, Expression, Reduction, constant, input, previous};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::reference::{self, Tensor};
use crate::sample::{FORMS, Form, Sample};

/// A step of a solver: `x ← x + a p`, `p ← z + b p`, `r ← r - a q`, of inputs `z` and `q`. `p` comes before `x`, which reads it.
fn expressions() -> [Expression; 3] {
    let [z, q, p] = [0, 1, 2].map(input);
    let b = constant(-0.375);
    [z + b * previous(), previous() + constant(0.25) * p, previous() - constant(0.25) * q]
}

const DOTS: [[DotOf; 2]; 4] = [
    [DotOf::Output(2), DotOf::Output(2)],
    [DotOf::Output(0), DotOf::Output(2)],
    [DotOf::Input(1), DotOf::Output(1)],
    [DotOf::Input(0), DotOf::Input(0)],
];

/// Runs the step, with the first so many dots, and compares with what it means.
#[track_caller]
fn check(cell: &Cell, shape: &[usize], forms: [Form; 5], dots: usize) {
    let [z, q] = [0, 1].map(|at| cell.random(shape, forms[at], at as u64));
    let mut outs = [2, 3, 4].map(|at| cell.random(shape, forms[at], at as u64));
    let before: Vec<&Tensor> = [&z, &q].into_iter().chain(&outs).map(|of| &of.tensor).collect();
    let expected: Vec<_> = expressions()
        .iter()
        .zip(&outs)
        .map(|(expression, out)| reference::map(expression, &before, &out.tensor))
        .collect();
    let of = |of: DotOf| match of {
        DotOf::Input(at) => before[at],
        DotOf::Output(at) => &expected[at].result,
    };
    let product = (input(0).conj() * input(1)).re();
    let axes: Vec<usize> = (0..shape.len()).collect();
    let sums: Vec<_> = DOTS[..dots]
        .iter()
        .map(|[a, b]| reference::reduce(Reduction::Sum, &product, &[of(*a), of(*b)], &axes))
        .collect();
    // A real result, as precise as elements.
    let real = Cell { executor: cell.executor.clone(), dtype: cell.dtype.real() };
    let mut results: Vec<Sample> = (0..dots).map(|_| real.unreadable(&[], Form::Plain)).collect();
    let outputs = expressions().into_iter().zip(outs.iter_mut().map(Sample::view_mut));
    let given = DOTS.iter().zip(&mut results);
    let given = given.map(|([a, b], out)| Dot { a: *a, b: *b, out: out.view_mut() });
    cell.executor.map_dots(&[z.view(), q.view()], outputs, given).unwrap();
    let what = format!("{shape:?} {forms:?}");
    for (out, expected) in outs.iter().zip(&expected) {
        cell.check(out, expected, &what);
    }
    for (result, mut expected) in results.iter().zip(sums) {
        // Of what was rounded.
        expected.terms += 3;
        real.check(result, &expected, &what);
    }
    z.check_unchanged(cell);
    q.check_unchanged(cell);
}

pub fn outputs_read_what_others_held(cell: &Cell) {
    for (at, form) in FORMS.into_iter().enumerate() {
        check(cell, &[5, 7], [form; 5], 0);
        let mixed = [0, 1, 2, 3, 4].map(|step| FORMS[(at + step) % FORMS.len()]);
        check(cell, &[3, 5, 4], mixed, 0);
    }
    for shape in [&[][..], &[1], &[0], &[10_007]] {
        check(cell, shape, [Form::Plain; 5], 0);
    }
}

pub fn dots_of_inputs_and_of_what_is_written(cell: &Cell) {
    for shape in [&[][..], &[1], &[0], &[2, 0], &[3], &[5, 7], &[17, 241]] {
        check(cell, shape, [Form::Plain; 5], 4);
    }
    check(cell, &[17, 241], [Form::Plain; 5], 1);
}

pub fn dots_of_long_arrays(cell: &Cell) {
    for len in [4096, 4097, 70_001] {
        check(cell, &[len], [Form::Plain; 5], 3);
    }
}

pub fn dots_of_any_layout(cell: &Cell) {
    for (at, form) in FORMS.into_iter().enumerate() {
        let mixed = [0, 1, 2, 3, 4].map(|step| FORMS[(at + step) % FORMS.len()]);
        check(cell, &[6, 5], [form; 5], 4);
        check(cell, &[4, 3, 5], mixed, 2);
    }
}

/// Squares of elements are computed in the dtype of the result: these are no numbers of 32 bits.
pub fn dots_in_a_wider_dtype(cell: &Cell) {
    let device = cell.executor.device();
    if !device.is_cpu() && !device.info().float64 {
        return;
    }
    let wide = Cell { executor: cell.executor.clone(), dtype: DType::Float64 };
    for (scale, len) in [(2.0_f64.powi(-100), 9_001), (2.0_f64.powi(100), 300)] {
        let numbers = |seed: u64| -> Sample {
            let random = cell.random(&[len], Form::Plain, seed);
            let values = random.tensor.values.iter().map(|value| value * scale);
            Sample::new(cell, &Tensor::new(&[len], values.collect()), Form::Plain)
        };
        let (x, mut y) = (numbers(1), numbers(2));
        let mut results = [0, 1].map(|_| wide.unreadable(&[], Form::Plain));
        let [norm, both] = &mut results;
        let dots = [
            Dot::norm_squared(DotOf::Output(0), norm.view_mut()),
            Dot { a: DotOf::Input(0), b: DotOf::Output(0), out: both.view_mut() },
        ];
        cell.executor.map_dots(&[x.view()], [(-previous(), y.view_mut())], dots).unwrap();
        let exact = |a: &Sample| -> f64 {
            let pairs = a.tensor.values.iter().zip(&y.tensor.values);
            pairs.map(|(a, b)| (a.conj() * b).re).sum()
        };
        let size: f64 = y.tensor.values.iter().map(Complex64::norm_sqr).sum();
        for (result, exact) in results.iter().zip([exact(&y), -exact(&x)]) {
            let found = result.read(&wide).values[0].re;
            assert!((found - exact).abs() <= 1e-12 * size, "{len}: {found} is not {exact}");
        }
    }
}

/// One call is what its parts are one after the other: to the bit on the host, whatever the number of threads.
pub fn a_fused_step_is_its_parts_to_the_bit(cell: &Cell) {
    if !cell.executor.device().is_cpu() {
        return;
    }
    let number = Cell { executor: cell.executor.clone(), dtype: DType::Float64 };
    let length = number.filled(&[], 0.3);
    for len in [1, 300, 4099, 200_003] {
        let q = cell.random(&[len], Form::Plain, 1);
        let difference = previous() - input(1) * input(0);
        let bits = |sample: &Sample, of: &Cell| -> Vec<[u64; 2]> {
            let values = sample.read(of).values;
            values.iter().map(|value| [value.re.to_bits(), value.im.to_bits()]).collect()
        };
        let results = [0, 1, 2, 5].map(|threads| {
            let mut r = cell.random(&[len], Form::Plain, 2);
            let mut norm = number.unreadable(&[], Form::Plain);
            let views = [q.view(), length.view()];
            if threads == 0 {
                cell.executor.map(&difference, &views, r.view_mut()).unwrap();
                cell.executor.sum(&input(0).abs2(), &[r.view()], norm.view_mut()).unwrap();
            } else {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let executor: &dyn Executor = &*cell.executor;
                pool.install(|| {
                    let norm = Dot::norm_squared(DotOf::Output(0), norm.view_mut());
                    let output = (difference.clone(), r.view_mut());
                    executor.map_dots(&views, [output], [norm]).unwrap();
                });
            }
            (bits(&r, cell), bits(&norm, &number))
        });
        for other in &results[1..] {
            assert!(*other == results[0], "{len} elements");
        }
    }
}
