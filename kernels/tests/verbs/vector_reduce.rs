//! Reductions of arrays and of arithmetic, against plain loops.

use arrayspan_kernels::bridge::{Axes, DType};
use arrayspan_kernels::{Reduction, Vector};
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
        let mean = a.view().mean().unwrap();
        if x.is_empty() {
            assert!(number(&mean).re.is_nan());
        } else {
            check(cell, &mean, &[sum / x.len() as f64], &what("mean"));
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
        let found = a.view().sum_axes(axis).unwrap();
        assert_eq!(found.shape(), &rows.shape[..2]);
        check(cell, &found, &sums, &format!("sums along {axis}"));
        let found = a.view().abs().max_axes(axis);
        if cell.is_complex() {
            found.unwrap_err();
            continue;
        }
        let chunks = rows.values.chunks(extent);
        let most = chunks.map(|row| real(row.iter().map(|x| x.re.abs()).fold(0.0, f64::max)));
        check(cell, &found.unwrap(), &most.collect::<Vec<_>>(), &format!("largest along {axis}"));
        let least = (-a.view().abs()).min_axes(axis).unwrap();
        let found = (-&least).compute().unwrap();
        check(cell, &found, &values(&a.view().abs().max_axes(axis).unwrap()), "smallest");
    }
    let all = a.view().sum_axes([2, 0, 1]).unwrap();
    check(cell, &all, &[a.tensor.values.iter().sum()], "sums along all axes");
    for (ends, starts) in [([-1, 0], [2, 0]), ([-2, -3], [1, 0])] {
        let [from_last, from_first] = [ends, starts].map(|axes| a.view().sum_axes(axes).unwrap());
        assert_eq!(from_last.shape(), from_first.shape());
        assert_eq!(values(&from_last), values(&from_first));
    }
    a.view().sum_axes([2, -1]).unwrap_err();
    let error = a.view().sum_axes([-4]).unwrap_err().to_string();
    assert_eq!(error, "sum_axes: there is no axis -4 in an array of shape [4, 3, 5]");
    a.view().sum_axes([3]).unwrap_err();
    a.view().sum_axes([1, 1]).unwrap_err();
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
    let columns = value.sum_axes([0, 1]).unwrap();
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

/// What a plain loop makes of the elements along some axes, given in rising order.
fn along(tensor: &Tensor, axes: &[usize]) -> (Vec<usize>, Vec<Vec<Complex64>>) {
    let kept: Vec<usize> = (0..tensor.shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let rows = tensor.permuted(&[&kept[..], axes].concat());
    let shape = rows.shape[..kept.len()].to_vec();
    let len: usize = rows.shape[kept.len()..].iter().product();
    let count: usize = shape.iter().product();
    (shape, (0..count).map(|row| rows.values[row * len..(row + 1) * len].to_vec()).collect())
}

pub fn reductions_along_every_set_of_axes(cell: &Cell) {
    for (shape, form) in [(&[7, 1, 11][..], Form::Mixed), (&[13], Form::Stepped)] {
        let a = cell.random(shape, form, 12);
        for set in 0..1_usize << shape.len() {
            let axes: Vec<usize> = (0..shape.len()).filter(|axis| set >> axis & 1 == 1).collect();
            let named = || axes.iter().copied().collect::<Axes>();
            let (kept, rows) = along(&a.tensor, &axes);
            let expected = |of: &dyn Fn(&[Complex64]) -> Complex64| -> Vec<Complex64> {
                rows.iter().map(|row| of(row)).collect()
            };
            let sum = expected(&|row| row.iter().sum());
            let mean = expected(&|row| row.iter().sum::<Complex64>() / row.len() as f64);
            let found = a.view().sum_axes(named()).unwrap();
            assert_eq!((found.shape(), found.dtype()), (&kept[..], cell.dtype));
            check(cell, &found, &sum, &format!("sums of {shape:?} along {axes:?}"));
            let found = a.view().mean_axes(named()).unwrap();
            assert_eq!((found.shape(), found.dtype()), (&kept[..], cell.dtype));
            check(cell, &found, &mean, &format!("means of {shape:?} along {axes:?}"));
            if cell.is_complex() {
                continue;
            }
            let least =
                expected(&|row| real(row.iter().map(|x| x.re).fold(f64::INFINITY, f64::min)));
            assert_eq!(values(&a.view().min_axes(named()).unwrap()), least, "{axes:?}");
            let most =
                expected(&|row| real(row.iter().map(|x| -x.re).fold(f64::INFINITY, f64::min)));
            assert_eq!(values(&(-a.view()).min_axes(named()).unwrap()), most, "{axes:?}");
            let found = (-(-a.view()).max_axes(named()).unwrap()).compute().unwrap();
            assert_eq!(values(&found), least, "{axes:?}");
        }
    }
}

pub fn along_no_axis_elements_stay_what_they_are(cell: &Cell) {
    let a = cell.random(&SHAPE, Form::Reversed, 13);
    let plain = &a.tensor.values;
    // No type stands at the empty lists.
    assert_eq!(values(&a.view().sum_axes([]).unwrap()), *plain);
    #[allow(clippy::needless_borrows_for_generic_args, reason = "a list may be borrowed, too")]
    let found = a.view().sum_axes(&[]).unwrap();
    assert_eq!(values(&found), *plain);
    assert_eq!(values(&a.view().mean_axes([]).unwrap()), *plain);
    let mut out = cell.unreadable(&SHAPE, Form::Plain);
    a.view().reduce_into(&*cell.executor, Reduction::Sum, [], out.view_mut()).unwrap();
    assert_eq!(out.read(cell).values, *plain);
    if !cell.is_complex() {
        assert_eq!(values(&a.view().min_axes([]).unwrap()), *plain);
        assert_eq!(values(&a.view().max_axes([]).unwrap()), *plain);
    }
    // A single number has no other axes.
    let number = cell.filled(&[], 0.75);
    assert_eq!(values(&number.view().mean_axes([]).unwrap()), [real(0.75)]);
    number.view().mean_axes(0).unwrap_err();
}

pub fn reductions_along_axes_without_elements(cell: &Cell) {
    let a = cell.random(&[3, 0, 5], Form::Plain, 14);
    let found = a.view().sum_axes(1).unwrap();
    assert_eq!((found.shape(), values(&found)), (&[3, 5][..], vec![real(0.0); 15]));
    let found = a.view().mean_axes(1).unwrap();
    assert_eq!(found.shape(), [3, 5]);
    assert!(values(&found).iter().all(|mean| mean.re.is_nan()));
    for axes in [&[0, 1][..], &[-2, -1]] {
        let found = a.view().mean_axes(axes).unwrap();
        assert!(values(&found).iter().all(|mean| mean.re.is_nan()) && found.shape().len() == 1);
    }
    for found in [a.view().sum_axes(0), a.view().mean_axes(2), a.view().mean_axes([])] {
        assert_eq!(found.unwrap().layout().len(), 0);
    }
    if !cell.is_complex() {
        let most = values(&a.view().max_axes(1).unwrap());
        assert_eq!(most, [real(f64::NEG_INFINITY); 15]);
        let least = values(&a.view().min_axes([0, 1]).unwrap());
        assert_eq!(least, [real(f64::INFINITY); 5]);
    }
}

pub fn means_along_axes_of_every_size(cell: &Cell) {
    let single = cell.dtype.real() == DType::Float32;
    let largest = if single { f64::from(f32::MAX) } else { 1.79e308 };
    // As small as loses no digit: see `Vector::mean`.
    let device = cell.executor.device();
    let smallest = match single {
        true if device.is_cpu() || device.info().float64 => 1e-37,
        true => 1e-34,
        false => 1e-300,
    };
    let sizes = [1e-20, 1e20, largest, smallest];
    for size in sizes {
        let a = cell.filled(&[3, 257], cell.number(size, -size));
        let rows = a.view().mean_axes(1).unwrap();
        let columns = a.view().mean_axes(0).unwrap();
        let all = a.view().mean_axes([0, 1]).unwrap();
        assert_eq!(
            rows.shape().iter().chain(columns.shape()).chain(all.shape()).sum::<usize>(),
            260
        );
        for mean in [rows, columns, all].iter().flat_map(values) {
            let expected = cell.number(size, -size);
            for (found, expected) in [(mean.re, expected.re), (mean.im, expected.im)] {
                assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{size:e}: {mean}");
            }
        }
    }
    // Infinity is no overflow, and stays; so does what is not a number, in its row alone.
    let mut tensor = Tensor::filled(&[3, 7], 1.0);
    (tensor.values[2], tensor.values[9]) = (real(f64::INFINITY), real(f64::NAN));
    let a = Sample::new(cell, &tensor, Form::Plain);
    let found = values(&a.view().mean_axes(-1).unwrap());
    assert!(found[0].re == f64::INFINITY && found[1].re.is_nan(), "{found:?}");
    assert_eq!(found[2], real(1.0));
}

pub fn means_of_the_largest_numbers_are_finite(cell: &Cell) {
    let single = cell.dtype.real() == DType::Float32;
    let largest = if single { f64::from(f32::MAX) } else { 1.79e308 };
    for len in [1, 3, 7919] {
        let a = cell.filled(&[len], cell.number(largest, -largest));
        let mean = number(&a.view().mean().unwrap());
        let expected = cell.number(largest, -largest);
        for (found, expected) in [(mean.re, expected.re), (mean.im, expected.im)] {
            assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{len}: {mean}");
        }
        // A real value of complex arrays has a real mean.
        let half = 0.5 * expected;
        let a = cell.filled(&[len], half);
        let (found, size) = (number(&a.view().abs().mean().unwrap()), half.norm());
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
