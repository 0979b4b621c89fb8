//! Data of any size, none at all, and those that are no numbers.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::proximal::{Admm, ChambollePock, L21, Minimizer, Split, SquaredL2};
use arrayspan_solvers::{Stop, Stopped};
use num_complex::Complex64;

use super::support::{Random, distance, rounded, values};
use super::{DTYPES, Device, Lasso, methods};

#[test]
fn data_of_any_size_are_solved_as_those_of_size_one() {
    for dtype in [DType::Float32, DType::Complex64] {
        let mut random = Random(11);
        let lasso = Lasso::new(dtype, [10, 14], 2.0, &mut random);
        for method in methods(Stop::after(300), 10) {
            let expected = values(&lasso.solve(method).unwrap().x);
            for scale in [1e-20, 1e20] {
                let mut other = Lasso { problem: lasso.problem.clone(), weight: 0.0 };
                other.weight = lasso.weight * scale;
                for y in &mut other.problem.y {
                    *y = rounded(dtype, *y * scale);
                }
                let found = values(&other.solve(method).unwrap().x);
                let found: Vec<Complex64> = found.iter().map(|x| x / scale).collect();
                let off = distance(&found, &expected);
                assert!(off < 1e-4, "{dtype} {scale:e} {method:?}: {off:e}");
            }
        }
    }
}

#[test]
fn operators_of_any_size_are_solved_as_those_of_size_one() {
    let mut random = Random(12);
    let lasso = Lasso::new(DType::Float64, [10, 14], 2.0, &mut random);
    for method in methods(Stop::after(500), 10) {
        if matches!(method, super::Method::Admm(_)) {
            continue;
        }
        let expected = lasso.solve(method).unwrap();
        for scale in [1e-60, 1e60] {
            let mut other = Lasso { problem: lasso.problem.clone(), weight: lasso.weight * scale };
            // y A x: the model is as large as before, and so are the ratios of steps.
            other.problem.matrix.iter_mut().for_each(|a| *a *= scale);
            other.problem.y.iter_mut().for_each(|y| *y *= scale);
            other.weight *= scale;
            let found = match method {
                super::Method::ChambollePock(method) => {
                    let ratio = method.ratio / scale;
                    other.solve(super::Method::ChambollePock(ChambollePock { ratio, ..method }))
                }
                method => other.solve(method),
            };
            let off = distance(&values(&found.unwrap().x), &values(&expected.x));
            assert!(off < 1e-7, "{scale:e} {method:?}: {off:e}");
        }
    }
}

#[test]
fn zero_data_give_the_model_zero() {
    let mut random = Random(13);
    for dtype in DTYPES {
        let mut lasso = Lasso::new(dtype, [6, 8], 2.0, &mut random);
        lasso.problem.y.iter_mut().for_each(|y| *y = Complex64::ZERO);
        for method in methods(Stop::after(100), 10) {
            let solution = lasso.solve(method).unwrap();
            assert!(values(&solution.x).iter().all(|x| *x == Complex64::ZERO), "{method:?}");
            assert_eq!(solution.stopped, Stopped::Precision, "{method:?}");
            assert_eq!(solution.iterations, 10, "{method:?}");
        }
    }
}

#[test]
fn what_is_no_number_ends_a_run_by_name() {
    let mut random = Random(14);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut lasso = Lasso::new(DType::Float64, [6, 8], 2.0, &mut random);
        lasso.problem.y[3] = bad.into();
        for method in methods(Stop::after(100), 10) {
            let solution = lasso.solve(method).unwrap();
            assert_eq!((solution.stopped, solution.iterations), (Stopped::NotFinite, 10));
        }
        let mut lasso = Lasso::new(DType::Float64, [6, 8], 2.0, &mut random);
        lasso.problem.matrix[7] = bad.into();
        for method in methods(Stop::after(100), 10) {
            assert_eq!(lasso.solve(method).unwrap().stopped, Stopped::NotFinite, "{method:?}");
        }
    }
}

#[test]
fn an_operator_that_is_zero_leaves_the_other_function() {
    let space = Space::new([5], DType::Float64).unwrap();
    let a = Zero::new(space.clone(), space).unwrap();
    let b = super::wide(&[1.0, -2.0, 0.0, 4.0, 0.5], &[5]);
    let f = SquaredL2::new(1.0).unwrap().target(b.try_clone().unwrap());
    let g = L21::new(1.0, 0).unwrap();
    let problem = Split { f: &f, g: &g, a: Some(&a) };
    let start = || Array::zeros([5], DType::Float64, Device::cpu()).unwrap();
    let stop = Stop { absolute: 1e-9, ..Stop::after(500) };
    let dual = ChambollePock { stop, ..ChambollePock::default() }.solve(problem, start()).unwrap();
    let admm = Admm { stop, ..Admm::default() }.solve(problem, start()).unwrap();
    for found in [dual, admm] {
        let off = distance(&values(&found.x), &values(&b));
        assert!(off < 1e-7, "{off:e} {:?}", found.stopped);
        assert_eq!(found.stopped, Stopped::Residual);
    }
}
