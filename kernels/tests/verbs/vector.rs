//! Arithmetic of arrays, against plain loops.

use arrayspan_kernels::bridge::{Array, DType, Elementwise};
use arrayspan_kernels::{Vector, VectorMut};
use num_complex::Complex64;

use crate::cell::Cell;
use crate::reference::{Expected, Tensor};
use crate::sample::{FORMS, Form, Random, Sample};

pub const SHAPE: [usize; 3] = [4, 3, 5];

/// A value, and what a plain loop makes of it.
struct Pair<'a> {
    value: Elementwise<'a>,
    plain: Vec<Complex64>,
    /// The largest magnitudes on the way.
    scale: Vec<f64>,
    operations: usize,
}

impl<'a> Pair<'a> {
    fn new(value: impl Into<Elementwise<'a>>, plain: Vec<Complex64>) -> Self {
        let scale = plain.iter().map(|value| value.norm()).collect();
        Self { value: value.into(), plain, scale, operations: 0 }
    }

    fn array(sample: &'a Sample) -> Self {
        Self::new(sample.view(), sample.tensor.broadcast(&SHAPE).values)
    }

    /// The same of a copy that nobody else holds.
    fn owned(sample: &'a Sample) -> Self {
        Self::new(sample.view().to_array().unwrap(), sample.tensor.broadcast(&SHAPE).values)
    }

    fn unary(self, value: Elementwise<'a>, function: impl Fn(Complex64) -> Complex64) -> Self {
        let plain: Vec<Complex64> = self.plain.iter().map(|&a| function(a)).collect();
        let scale = self.scale.iter().zip(&plain).map(|(s, v)| s.max(v.norm()).max(s * s));
        Self { value, scale: scale.collect(), plain, operations: self.operations + 1 }
    }

    fn binary(
        self,
        other: &Self,
        value: Elementwise<'a>,
        function: impl Fn(Complex64, Complex64) -> Complex64,
    ) -> Self {
        let pairs = self.plain.iter().zip(&other.plain);
        let plain: Vec<Complex64> = pairs.map(|(&a, &b)| function(a, b)).collect();
        let scales = self.scale.iter().zip(&other.scale);
        let scale = scales.map(|(a, b)| (a + b).max(a * b)).collect();
        Self { value, plain, scale, operations: self.operations + other.operations + 1 }
    }

    fn expected(&self) -> Expected {
        let result = Tensor::new(&SHAPE, self.plain.clone());
        Expected { result, scale: self.scale.clone(), terms: self.operations }
    }
}

pub fn real(value: f64) -> Complex64 {
    value.into()
}

/// A random value of at most that depth; every node is built from what other nodes are, in the ways that there are.
fn any<'a>(cell: &Cell, leaves: &'a [Sample], depth: usize, random: &mut Random) -> Pair<'a> {
    let mut choose = |n: u64| (random.bits() >> 20) % n;
    if depth == 0 || choose(5) == 0 {
        let leaf = choose(leaves.len() as u64 + 1) as usize;
        let number = real(0.75);
        let plain = vec![number; SHAPE.iter().product()];
        let array = if choose(2) == 0 { Pair::array } else { Pair::owned };
        return leaves.get(leaf).map_or_else(|| Pair::new(0.75, plain), array);
    }
    let (kind, least) = (choose(10), !cell.is_complex());
    let a = any(cell, leaves, depth - 1, random);
    let value = a.value.clone();
    match kind {
        0 => a.unary(-value, |a| -a),
        1 => a.unary(value.conj(), |a| a.conj()),
        2 => a.unary(value.clone().re() + value.im(), |a| real(a.re + a.im)),
        3 => a.unary(value.abs(), |a| real(a.norm())),
        4 => a.unary(value.abs2(), |a| real(a.norm_sqr())),
        _ => {
            let b = any(cell, leaves, depth - 1, random);
            let other = b.value.clone();
            match kind {
                5 if least => a.binary(&b, value.minimum(other), |a, b| real(a.re.min(b.re))),
                6 if least => a.binary(&b, value.maximum(other), |a, b| real(a.re.max(b.re))),
                5 | 7 => a.binary(&b, &value + &other, |a, b| a + b),
                6 | 8 => a.binary(&b, value - other, |a, b| a - b),
                _ => a.binary(&b, value * &other, |a, b| a * b),
            }
        }
    }
}

pub fn any_expression_is_what_it_says(cell: &Cell) {
    let shapes = [&SHAPE[..], &[3, 1], &[5], &[], &[4, 1, 5], &SHAPE];
    let leaves: Vec<Sample> = shapes
        .iter()
        .zip(FORMS)
        .enumerate()
        .map(|(seed, (shape, form))| cell.random(shape, form, seed as u64))
        .collect();
    let (mut random, mut computed) = (Random(cell.dtype.bits() as u64), 0);
    // Each is a kernel of its own.
    let wanted = if cell.executor.device().is_cpu() { 60 } else { 6 };
    while computed < wanted {
        let pair = any(cell, &leaves, 4, &mut random);
        if pair.value.inputs().is_empty() {
            continue;
        }
        let mut out = cell.unreadable(&SHAPE, FORMS[computed % FORMS.len()]);
        out.view_mut().assign_on(&*cell.executor, &pair.value).unwrap();
        cell.check(&out, &pair.expected(), &format!("{:?}", pair.value));
        computed += 1;
    }
    for leaf in &leaves {
        leaf.check_unchanged(cell);
    }
}

pub fn check(cell: &Cell, found: &Array, expected: &[Complex64], what: &str) {
    let values = values(found);
    assert_eq!(values.len(), expected.len(), "{what}");
    let epsilon = match cell.dtype.real() {
        DType::Float64 => 1e-13,
        DType::Float32 => 1e-5,
        // Half of the last of 11 digits, or of 8, beside the errors of Float32.
        DType::Float16 => 1e-5 + 0.5_f64.powi(11),
        _ => 1e-5 + 0.5_f64.powi(8),
    };
    let size = expected.iter().map(|value| value.norm()).fold(1.0, f64::max);
    for (found, expected) in values.iter().zip(expected) {
        assert!((found - expected).norm() <= epsilon * size, "{what}: {found}, not {expected}");
    }
}

pub fn values(array: &Array) -> Vec<Complex64> {
    let view = array.view();
    let wide = |v: num_complex::Complex32| Complex64::new(v.re.into(), v.im.into());
    match array.dtype() {
        DType::Float32 => {
            view.to_vec::<f32>().unwrap().into_iter().map(|v| real(v.into())).collect()
        }
        DType::Float64 => view.to_vec::<f64>().unwrap().into_iter().map(real).collect(),
        DType::Float16 => {
            view.to_vec::<half::f16>().unwrap().into_iter().map(|v| real(v.to_f64())).collect()
        }
        DType::BFloat16 => {
            view.to_vec::<half::bf16>().unwrap().into_iter().map(|v| real(v.to_f64())).collect()
        }
        DType::Complex64 => view.to_vec().unwrap().into_iter().map(wide).collect(),
        _ => view.to_vec().unwrap(),
    }
}

pub fn number(array: &Array) -> Complex64 {
    assert!(array.shape().is_empty());
    values(array)[0]
}

pub fn arrays_views_and_numbers_mix_on_both_sides(cell: &Cell) {
    let (a, b) = (cell.random(&[7], Form::Plain, 1), cell.random(&[7], Form::Stepped, 2));
    let plain = |function: &dyn Fn(Complex64, Complex64) -> Complex64| -> Vec<Complex64> {
        a.tensor.values.iter().zip(&b.tensor.values).map(|(&a, &b)| function(a, b)).collect()
    };
    let view = a.view();
    let array = (&view * 1.0).compute_on(&*cell.executor).unwrap();
    let copy = array.compute_on(&*cell.executor).unwrap().into_shared();
    let twice = (2.0 * &array + b.view() / &copy - 1.0).compute_on(&*cell.executor).unwrap();
    check(cell, &twice, &plain(&|a, b| 2.0 * a + b / a - 1.0), "2 a + b / a - 1");
    let other = (1.0 - -(&copy - b.view()) * 0.5).compute_on(&*cell.executor).unwrap();
    check(cell, &other, &plain(&|a, b| 1.0 + (a - b) * 0.5), "1 - -(a - b) 0.5");
    if cell.is_complex() {
        let i = Complex64::i();
        let turned = (i * &array + &b.view() * (2.0 * i)).compute_on(&*cell.executor).unwrap();
        check(cell, &turned, &plain(&|a, b| i * a + 2.0 * i * b), "i a + 2 i b");
    }
}

pub fn more_arrays_than_a_launch_takes_are_refused_before_anything_is_written(cell: &Cell) {
    let arrays: Vec<Sample> = (0..40).map(|seed| cell.random(&[5], Form::Plain, seed)).collect();
    let sum = |count: usize| {
        let terms = arrays[..count].iter().map(|array| Elementwise::from(array.view()));
        terms.reduce(|sum, term| sum + term).unwrap()
    };
    let plain = |count: usize| -> Vec<Complex64> {
        (0..5).map(|at| arrays[..count].iter().map(|array| array.tensor.values[at]).sum()).collect()
    };
    for most in [18, 31] {
        check(cell, &sum(most).compute().unwrap(), &plain(most), "a sum of arrays");
    }
    let mut out = cell.filled(&[5], 3.0);
    for many in [32, 40] {
        match out.view_mut().assign(sum(many)) {
            Ok(()) => check(cell, &sum(many).compute().unwrap(), &plain(many), "a sum of arrays"),
            Err(error) => {
                let device = cell.executor.device();
                assert!(!device.is_cpu(), "{error}");
                let arguments = 2 * (many + 1);
                let said = format!(
                    "{device}: a kernel with {arguments} arguments, where 64 are the most, is not supported"
                );
                assert_eq!(error.to_string(), said);
                assert_eq!(out.read(cell), out.tensor);
            }
        }
    }
}

pub fn updates_read_what_was_there(cell: &Cell) {
    for form in [Form::Plain, Form::Mixed] {
        let x = cell.random(&[6, 5], form, 3);
        let mut y = cell.random(&[6, 5], form, 4);
        let alpha = cell.random(&[], Form::Plain, 5);
        let mut expected = y.tensor.values.clone();
        let on = &*cell.executor;
        y.view_mut().add_scaled_on(on, 0.5, x.view()).unwrap();
        y.view_mut().add_scaled_on(on, alpha.view(), x.view()).unwrap();
        y.view_mut().update_on(on, |y| &y * &y - alpha.view() * y).unwrap();
        let factor = alpha.tensor.values[0];
        for (y, x) in expected.iter_mut().zip(&x.tensor.values) {
            *y += 0.5 * x + factor * x;
            *y = *y * *y - factor * *y;
        }
        let scale = expected.iter().map(|y| 8.0 + 8.0 * y.norm()).collect();
        let result = Tensor::new(&[6, 5], expected);
        cell.check(&y, &Expected { result, scale, terms: 8 }, "y² - α y after two updates");
        x.check_unchanged(cell);
    }
}

pub fn numbers_of_a_wider_dtype_stay_on_the_device(cell: &Cell) {
    let device = cell.executor.device();
    if !(device.is_cpu() || device.info().float64) {
        return;
    }
    let a = cell.random(&[300], Form::Plain, 12);
    let norm = a.view().norm().unwrap();
    assert_eq!((norm.dtype(), norm.device()), (DType::Float64, device));
    let unit = (a.view() / &norm).compute().unwrap();
    assert_eq!(unit.dtype(), cell.dtype);
    let length = number(&unit.norm().unwrap()).re;
    assert!((length - 1.0).abs() < 1e-6, "{length}");
    let mut y = unit;
    y.update(|y| y * &norm).unwrap();
    check(cell, &y, &a.tensor.values, "divided and multiplied by the norm");
}
