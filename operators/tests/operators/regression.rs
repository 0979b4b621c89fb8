//! `Regression`: its matrix, its accuracy in 32 bits, and what is refused.

use arrayspan_bridge::{DType, Relayout};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{Error, Result};
use num_complex::Complex64;

use crate::support::{DTYPES, array, assert_close, check, dense, floats, numbers, random, read};

#[test]
fn coefficients_are_those_of_powers() {
    let positions = floats(&[3], &[0.0, 2.0, -1.0]);
    let cubic = Regression::new(positions, 3).unwrap();
    let x = floats(&[4], &[1.0, 10.0, 100.0, 1000.0]);
    assert_eq!(read(&cubic.forward(x).unwrap()), [1.0, 8421.0, -909.0]);
    let y = floats(&[3], &[5.0, 1.0, 2.0]);
    assert_eq!(read(&cubic.adjoint(y).unwrap()), [8.0, 0.0, 6.0, 6.0]);
}

#[test]
fn every_order_holds_for_every_dtype_and_along_every_axis() {
    for dtype in DTYPES {
        for order in [0, 1, 4, 7, 8, 16] {
            for (shape, axis) in [(&[5][..], 0), (&[3, 4], 0), (&[3, 4], -1), (&[2, 3, 2], 1)] {
                let space = Space::new(shape, dtype).unwrap();
                let along = space.axis("test", axis).unwrap();
                let extent = shape[along];
                let positions = random(&Space::new([extent], dtype.real()).unwrap(), 3);
                let powers = numbers(&positions);
                let a = Regression::along(space, axis, positions, order).unwrap();
                check(&a);
                // Of one coefficient the powers of the positions, at its other indices.
                let behind: usize = shape[along + 1..].iter().product();
                for (number, column) in dense(&a).into_iter().enumerate() {
                    let (power, last) = (number / behind % (order + 1), number % behind);
                    let first = number / behind / (order + 1);
                    let value = |place: usize| {
                        let (at, own) = (place / behind % extent, place % behind == last);
                        let other = place / behind / extent == first;
                        if own && other { powers[at].powu(power as u32) } else { 0.0.into() }
                    };
                    let expected: Vec<Complex64> = (0..column.len()).map(value).collect();
                    assert_close(&column, &expected, dtype, &format!("order {order}, {shape:?}"));
                }
            }
        }
    }
}

/// Powers of single-precision positions, their products and sums, each rounded: what NumPy does.
fn rounded(t: &[f32], x: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0_f32; t.len()];
    for (power, x) in x.iter().enumerate() {
        for (y, t) in y.iter_mut().zip(t) {
            *y += x * f64::from(*t).powi(power as i32) as f32;
        }
    }
    y
}

#[test]
fn single_precision_loses_no_more_than_rounding_each_power_does() {
    let count = 30_011;
    let t: Vec<f32> = (0..count).map(|at| at as f32 * 1.37e-4 - 2.0).collect();
    let x = [0.7_f32, -1.3, 0.45, 0.9, -0.21];
    let a = Regression::new(array(&[count], &t), 4).unwrap();
    let found = a.forward(array(&[5], &x)).unwrap();
    let exact = |t: &f32| x.iter().rev().fold(0.0, |sum, x| sum * f64::from(*t) + f64::from(*x));
    let error = |values: &[f32]| {
        let each = values.iter().zip(&t).map(|(value, t)| (f64::from(*value) - exact(t)).abs());
        each.fold(0.0, f64::max)
    };
    let (ours, theirs) = (error(found.view().as_slice::<f32>().unwrap()), error(&rounded(&t, &x)));
    assert!(ours <= 1.5 * theirs, "{ours:e}, when each power is rounded {theirs:e}");

    let y: Vec<f32> = (0..count).map(|at| (at as f32 * 0.01).sin()).collect();
    let sums = a.adjoint(array(&[count], &y)).unwrap();
    for (power, found) in sums.view().as_slice::<f32>().unwrap().iter().enumerate() {
        let terms =
            || t.iter().zip(&y).map(|(t, y)| f64::from(*t).powi(power as i32) * f64::from(*y));
        let (sum, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
        // Each term is rounded some times; sums are not.
        let most = (power + 1) as f64 * f64::from(f32::EPSILON) * size;
        assert!((f64::from(*found) - sum).abs() <= most, "power {power}: {found}, {sum}");
    }
}

#[test]
fn positions_and_data_of_any_size_that_the_dtype_holds() {
    for size in [1e-20_f32, 1e20] {
        let line = LinearRegression::new(array(&[3], &[size, 2.0 * size, -size])).unwrap();
        let y = line.forward(array(&[2], &[1.0_f32, 3.0])).unwrap();
        let expected = [1.0 + 3.0 * size, 1.0 + 6.0 * size, 1.0 - 3.0 * size];
        for (found, expected) in y.view().as_slice::<f32>().unwrap().iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{found}, {expected}");
        }
        // Sums whose terms cancel, and whose parts would leave the dtype.
        let x = line.adjoint(array(&[3], &[1e18_f32, 1e18, 3e18])).unwrap();
        let x = x.view().to_vec::<f32>().unwrap();
        assert!((x[0] - 5e18).abs() <= 1e12, "{x:?}");
    }
}

#[test]
fn views_and_what_was_there_before() {
    let positions = floats(&[4], &[0.5, -1.0, 2.0, 3.0]);
    let space = Space::new([3, 4], DType::Float64).unwrap();
    let a = Regression::along(space, 1, positions.view().to_array().unwrap(), 2).unwrap();
    let x = random(&Space::new([3, 3], DType::Float64).unwrap(), 1);
    // Positions that lie backwards in memory.
    let back = positions.into_shared().reversed(0).unwrap();
    let space = Space::new([3, 4], DType::Float64).unwrap();
    let b = Regression::along(space, 1, back, 2).unwrap();
    let (y, z) = (a.forward(&x).unwrap(), b.forward(&x).unwrap());
    let turned = z.view().reversed(1).unwrap().to_array().unwrap();
    assert_eq!(read(&turned), read(&y));
}

#[track_caller]
fn refused(result: Result<Operator>, words: &[&str]) {
    let Err(error @ Error::Parameter { .. }) = result else { panic!("not a parameter error") };
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "'{text}' lacks '{word}'");
    }
}

#[test]
fn positions_that_do_not_fit_are_refused() {
    let t = || floats(&[3], &[0.0, 1.0, 2.0]);
    let space = |shape: &[usize], dtype| Space::new(shape, dtype).unwrap();
    let double = DType::Float64;
    refused(Regression::new(t().reshaped(&[3, 1]).unwrap(), 1), &["Regression", "shape [3, 1]"]);
    refused(Regression::new(array(&[2], &[1_i32, 2]), 1), &["Regression", "Int32"]);
    refused(
        Regression::new(array(&[1], &[Complex64::i()]), 1),
        &["Complex128", "expected Float64"],
    );
    refused(Regression::new(t(), 256), &["order 256", "255"]);
    refused(Regression::new(t(), usize::MAX), &["order"]);
    refused(
        Regression::along(space(&[3, 4], double), 1, t(), 1),
        &["shape [3], expected [4]", "axis 1", "[3, 4]"],
    );
    refused(Regression::along(space(&[3], double), 1, t(), 1), &["no axis 1"]);
    refused(Regression::along(space(&[3], DType::Float32), 0, t(), 1), &["Float64", "Float32"]);
    refused(LinearRegression::along(space(&[2], double), -1, t()), &["LinearRegression"]);
    let large = space(&[usize::MAX / 1024, 3], double);
    let error = Regression::along(large, 1, t(), 255).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

#[test]
fn without_positions_there_is_nothing_and_its_sums_are_zero() {
    let none = Regression::new(floats(&[0], &[]), 2).unwrap();
    assert_eq!(none.range().shape(), [0]);
    assert_eq!(read(&none.adjoint(floats(&[0], &[])).unwrap()), [0.0; 3]);
}
