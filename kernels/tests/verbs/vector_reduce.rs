//! Reductions of arrays and of arithmetic, against plain loops.

use arrayspan_kernels::Vector;
use arrayspan_kernels::bridge::DType;
use num_complex::Complex64;

use crate::cell::Cell;
use crate::reference::{Expected, Tensor};
use crate::sample::{Form, Sample};
use crate::vector::{SHAPE, check, number, real, values};

pub fn reductions_are_plain_sums(cell: &Cell) {
    for (shape, form) in [
        (&[7919][..], Form::Plain),
        (&[5, 7, 3], Form::Mixed),
        (&[1], Form::Plain),
        (&[], Form::Plain),
        (&[0, 3], Form::Plain),
    ] {
        let (a, b) = (cell.random(shape, form, 6), cell.random(shape, Form::Plain, 7));
        let (x, y) = (&a.tensor.values, &b.tensor.values);
        let what = |name: &str| format!("{name} of {shape:?}");
        let sum: Complex64 = x.iter().sum();
        check(cell, &a.view().sum().unwrap(), &[sum], &what("sum"));
        let dot: Complex64 = x.iter().zip(y).map(|(x, y)| x.conj() * y).sum();
        let found = a.view().dot(b.view()).unwrap();
        assert_eq!(found.dtype(), cell.dtype);
        check(cell, &found, &[dot], &what("dot"));
        let squares: f64 = x.iter().map(Complex64::norm_sqr).sum();
        let norm = a.view().norm().unwrap();
        assert!(!norm.dtype().is_complex());
        check(cell, &norm, &[real(squares.sqrt())], &what("norm"));
        check(cell, &a.view().norm_squared().unwrap(), &[real(squares)], &what("norm²"));
        let mean = number(&a.view().mean().unwrap());
        if x.is_empty() {
            assert!(mean.re.is_nan());
        } else {
            let expected = sum / x.len() as f64;
            assert!((mean - expected).norm() < 1e-5, "{mean}, not {expected}");
        }
        if cell.is_complex() {
            a.view().min().unwrap_err();
            a.view().max().unwrap_err();
            continue;
        }
        let least = x.iter().map(|x| x.re).fold(f64::INFINITY, f64::min);
        let most = x.iter().map(|x| x.re).fold(f64::NEG_INFINITY, f64::max);
        let found = [a.view().min().unwrap(), a.view().max().unwrap()].map(|found| number(&found));
        assert_eq!(found, [least, most].map(real), "{shape:?}");
    }
}

pub fn reductions_along_axes(cell: &Cell) {
    let a = cell.random(&SHAPE, Form::Transposed, 8);
    for (axis, extent) in SHAPE.into_iter().enumerate() {
        let kept: Vec<usize> = (0..3).filter(|at| *at != axis).collect();
        let order = [&kept[..], &[axis]].concat();
        let rows = a.tensor.permuted(&order);
        let sums: Vec<Complex64> = rows.values.chunks(extent).map(|row| row.iter().sum()).collect();
        let found = a.view().sum_axes(&[axis]).unwrap();
        assert_eq!(found.shape(), &rows.shape[..2]);
        check(cell, &found, &sums, &format!("sums along {axis}"));
        let found = a.view().abs().max_axes(&[axis]);
        if cell.is_complex() {
            found.unwrap_err();
            continue;
        }
        let chunks = rows.values.chunks(extent);
        let most = chunks.map(|row| real(row.iter().map(|x| x.re.abs()).fold(0.0, f64::max)));
        check(cell, &found.unwrap(), &most.collect::<Vec<_>>(), &format!("largest along {axis}"));
        let least = (-a.view().abs()).min_axes(&[axis]).unwrap();
        let found = (-&least).compute().unwrap();
        check(cell, &found, &values(&a.view().abs().max_axes(&[axis]).unwrap()), "smallest");
    }
    let all = a.view().sum_axes(&[2, 0, 1]).unwrap();
    check(cell, &all, &[a.tensor.values.iter().sum()], "sums along all axes");
    for (ends, starts) in [([-1, 0], [2, 0]), ([-2, -3], [1, 0])] {
        let [from_last, from_first] = [ends, starts].map(|axes| a.view().sum_axes(&axes).unwrap());
        assert_eq!(from_last.shape(), from_first.shape());
        assert_eq!(values(&from_last), values(&from_first));
    }
    a.view().sum_axes(&[2, -1]).unwrap_err();
    let error = a.view().sum_axes(&[-4]).unwrap_err().to_string();
    assert_eq!(error, "sum_axes: axes [-4] of shape [4, 3, 5]");
    a.view().sum_axes(&[3]).unwrap_err();
    a.view().sum_axes(&[1, 1]).unwrap_err();
}

pub fn values_are_reduced_without_being_written(cell: &Cell) {
    let on = &*cell.executor;
    let (a, b) = (cell.random(&SHAPE, Form::Plain, 9), cell.random(&[3, 1], Form::Plain, 10));
    let scalar = cell.random(&[], Form::Plain, 11);
    // The first array is not the largest.
    let value = scalar.view() * b.view() - a.view();
    let wide = b.tensor.broadcast(&SHAPE).values;
    let factor = scalar.tensor.values[0];
    let plain: Vec<Complex64> =
        a.tensor.values.iter().zip(&wide).map(|(a, b)| factor * b - a).collect();
    check(cell, &value.sum().unwrap(), &[plain.iter().sum()], "sum of a value");
    let norm: f64 = plain.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
    check(cell, &value.norm().unwrap(), &[real(norm)], "norm of a value");
    let dot: Complex64 = plain.iter().zip(&a.tensor.values).map(|(v, a)| v.conj() * 2.0 * a).sum();
    let mut out = cell.unreadable(&[], Form::Plain);
    value.dot_into(on, 2.0 * a.view(), out.view_mut()).unwrap();
    let result = Tensor::new(&[], vec![dot]);
    let scale = vec![10.0 + dot.norm()];
    cell.check(&out, &Expected { result, scale, terms: 60 }, "dot of values");
    let columns = value.sum_axes(&[0, 1]).unwrap();
    let expected: Vec<Complex64> =
        (0..5).map(|at| plain.iter().skip(at).step_by(5).sum()).collect();
    check(cell, &columns, &expected, "sums of a value along axes");
}

pub fn sizes_whose_squares_leave_the_dtype(cell: &Cell) {
    let sizes = if cell.dtype.real() == DType::Float32 { [1e-30, 1e30] } else { [1e-140, 1e140] };
    for size in sizes {
        let a = cell.filled(&[2500], size);
        let found = number(&a.view().norm().unwrap()).re / size;
        // Where there is no Float64 the squares of Float32 are out of range.
        if cell.executor.device().is_cpu() || cell.executor.device().info().float64 {
            assert!((found - 50.0).abs() < 1e-5, "{size:e}: {found}");
        }
    }
}

pub fn means_of_the_largest_numbers_are_finite(cell: &Cell) {
    let single = cell.dtype.real() == DType::Float32;
    let largest = if single { f64::from(f32::MAX) } else { 1e303 };
    for len in [1, 3, 7919] {
        let a = cell.filled(&[len], cell.number(largest, -largest));
        let mean = number(&a.view().mean().unwrap());
        let expected = cell.number(largest, -largest);
        for (found, expected) in [(mean.re, expected.re), (mean.im, expected.im)] {
            assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{len}: {mean}");
        }
        // A real value of complex arrays has a real mean.
        let found = number(&a.view().abs().mean().unwrap());
        let size = if cell.is_complex() && single { return } else { expected.norm() };
        assert!((found.re - size).abs() <= 1e-6 * size && found.im == 0.0, "{len}: {found}");
    }
}

pub fn not_a_number_is_passed_on(cell: &Cell) {
    let mut tensor = Tensor::filled(&[70], 1.0);
    tensor.values[33] = real(f64::NAN);
    let a = Sample::new(cell, &tensor, Form::Plain);
    for found in [a.view().sum(), a.view().norm(), a.view().mean(), a.view().dot(a.view())] {
        assert!(number(&found.unwrap()).re.is_nan());
    }
    if !cell.is_complex() {
        for found in [a.view().min(), a.view().max()] {
            assert!(number(&found.unwrap()).re.is_nan());
        }
    }
    let zero = cell.filled(&[70], 0.0);
    let found = a.view().div_or_zero(zero.view()).compute().unwrap();
    assert!(values(&found).iter().all(|value| *value == real(0.0)));
}
