//! Bounds of norms.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::{Error, NormEstimate, NormEstimator, Stopped, norm_estimate};
use num_complex::Complex64;

use crate::support::{Random, epsilon};
use crate::{DTYPES, devices, operator, with_singular_values};

fn holds(found: NormEstimate, norm: f64) -> bool {
    found.lower <= norm && norm <= found.upper
}

#[test]
fn norms_are_between_their_bounds_on_every_device_in_every_dtype_at_every_scale() {
    let mut random = Random(1);
    let [rows, columns] = [47, 31];
    let values: Vec<f64> = (0..columns).map(|k| 3.0 * 0.9_f64.powi(k as i32)).collect();
    for dtype in DTYPES {
        for scale in [1e-20, 1.0, 1e20] {
            let scaled: Vec<f64> = values.iter().map(|v| v * scale).collect();
            let matrix = with_singular_values(dtype, [rows, columns], &scaled, &mut random);
            for device in devices(dtype) {
                let a = operator(dtype, &matrix, [rows, columns], device);
                let estimator = NormEstimator { iterations: 40, ..NormEstimator::default() };
                let found = estimator.of(&a).unwrap();
                assert!(holds(found, 3.0 * scale), "{device} {dtype} {scale}: {found:?}");
                assert!(found.upper <= 1.1 * found.lower, "{device} {dtype} {scale}: {found:?}");
                assert_eq!(found.stopped, Stopped::Residual);
            }
        }
    }
}

/// In PyLops 2.8.0, `power_iteration(A.H @ A, niter=10)` of this operator and its like ends below the largest eigenvalue, and
/// what ISTA takes for its step does so with it.
#[test]
fn a_step_by_the_upper_bound_is_never_too_long_where_that_of_ten_power_iterations_is() {
    let n = 400;
    let space = Space::new([n], DType::Float64).unwrap();
    let a = SecondDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
    let dense = a.to_dense().unwrap().to_vec::<f64>().unwrap();
    let times = |x: &[f64], transposed: bool| -> Vec<f64> {
        let entry = |i: usize, j: usize| dense[if transposed { j * n + i } else { i * n + j }];
        (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect()
    };
    // The largest singular value: a thousand iterations, which bound it from below.
    let mut random = Random(3);
    let mut x: Vec<f64> = (0..n).map(|_| random.next()).collect();
    let mut squares = Vec::new();
    for _ in 0..1000 {
        let image = times(&times(&x, false), true);
        let length = image.iter().map(|v| v * v).sum::<f64>().sqrt();
        squares.push(x.iter().zip(&image).map(|(x, y)| x * y).sum::<f64>());
        x = image.into_iter().map(|v| v / length).collect();
    }
    let exact = squares[999];
    assert!(squares[10] < 0.98 * exact, "ten power iterations are too few: {}", squares[10]);
    for seed in 0..50 {
        let found = NormEstimator { seed, ..NormEstimator::default() }.of(&a).unwrap();
        assert!(found.upper.powi(2) >= exact && found.upper.powi(2) < 1.3 * exact, "{found:?}");
        assert!(found.lower.powi(2) <= 16.0 + 1e-9, "{found:?}");
    }
}

#[test]
fn an_upper_bound_fails_no_more_often_than_was_said() {
    // A gap that few iterations cannot see: the largest value is one of 200, hardly above the others.
    let n = 200;
    let values = (0..n).map(|k| if k == 0 { 1.0 } else { 0.8 * (k as f64 / n as f64) }).collect();
    let weights = Array::from_vec(values, [n]).unwrap().into_shared();
    let a = Diagonal::new(Space::new([n], DType::Float64).unwrap(), weights).unwrap();
    for failure in [0.5, 0.1, 0.01] {
        let fails = |seed: u64| {
            let estimator =
                NormEstimator { failure, iterations: 4, tolerance: 0.0, seed, check_every: 4 };
            estimator.of(&a).unwrap().upper < 1.0
        };
        let share = (0..1000).filter(|&seed| fails(seed)).count() as f64 / 1000.0;
        assert!(share <= failure + 4.0 * (failure / 1000.0).sqrt(), "{failure}: {share}");
    }
}

#[test]
fn spaces_that_are_left_by_no_power_end_with_the_exact_norm() {
    for dtype in DTYPES {
        let space = Space::new([3, 5], dtype).unwrap();
        let identity = Identity::new(space.clone()).unwrap();
        let found = norm_estimate(&(3.0 * &identity).build().unwrap()).unwrap();
        let slack = 40.0 * epsilon(dtype);
        assert!(holds(found, 3.0) && found.upper <= 3.0 * (1.0 + slack), "{found:?}");
        assert_eq!(found.stopped, Stopped::Precision);
        // Of the projection to 3 of 15 elements.
        let picked = Restriction::new(space.clone(), 0, [1]).unwrap();
        let found = norm_estimate(&picked).unwrap();
        assert!(holds(found, 1.0) && found.upper <= 1.0 + slack, "{found:?}");
        let zero = norm_estimate(&Zero::new(space.clone(), space).unwrap()).unwrap();
        assert_eq!((zero.lower, zero.upper, zero.stopped), (0.0, 0.0, Stopped::Precision));
        let one = operator(dtype, &[Complex64::from(-7.0)], [1, 1], Device::cpu());
        assert!(holds(norm_estimate(&one).unwrap(), 7.0));
    }
}

#[test]
fn operators_that_are_linear_over_the_real_numbers_have_a_norm() {
    let space = Space::new([9], DType::Complex128).unwrap();
    for a in [Conj::new(space.clone()).unwrap(), Real::new(space).unwrap()] {
        let found = norm_estimate(&a).unwrap();
        assert!(holds(found, 1.0) && found.upper < 1.0 + 1e-9, "{a:?}: {found:?}");
    }
}

#[test]
fn what_is_not_finite_has_bounds_that_say_nothing() {
    let mut random = Random(2);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut matrix = random.numbers(DType::Float64, 35);
        matrix[17] = bad.into();
        let found =
            norm_estimate(&operator(DType::Float64, &matrix, [5, 7], Device::cpu())).unwrap();
        assert_eq!(
            (found.lower, found.upper, found.stopped),
            (0.0, f64::INFINITY, Stopped::NotFinite)
        );
    }
}

#[test]
fn bounds_are_the_same_however_often_the_host_looks_and_for_one_seed_always() {
    let mut random = Random(9);
    let matrix = random.numbers(DType::Float64, 60 * 40);
    let a = operator(DType::Float64, &matrix, [60, 40], Device::cpu());
    let estimator = NormEstimator { tolerance: 0.0, iterations: 17, ..NormEstimator::default() };
    let [one, seven, all] =
        [1, 7, 1000].map(|check_every| NormEstimator { check_every, ..estimator }.of(&a).unwrap());
    assert_eq!((one, one), (seven, all));
    let other = NormEstimator { seed: 2, ..estimator }.of(&a).unwrap();
    assert_ne!(one, other);
}

#[test]
fn parameters_out_of_their_range_are_named() {
    let a = Identity::new(Space::new([4], DType::Float64).unwrap()).unwrap();
    let standard = NormEstimator::default();
    for (wrong, name) in [
        (NormEstimator { tolerance: f64::NAN, ..standard }, "tolerance"),
        (NormEstimator { failure: 0.0, ..standard }, "failure"),
        (NormEstimator { failure: 1.0, ..standard }, "failure"),
        (NormEstimator { iterations: 0, ..standard }, "iterations"),
        (NormEstimator { check_every: 0, ..standard }, "check_every"),
    ] {
        let error = wrong.of(&a).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }) && error.to_string().contains(name));
    }
}
