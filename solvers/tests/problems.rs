//! Problems of several parts: regularized, by normal equations, with models that are made of something else.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use arrayspan_bridge::{Array, DType, Relayout};
use arrayspan_operators::{
    Diagonal, Edge, FirstDerivative, Gradient, Identity, LinearMap, LinearOperator, MatrixMult,
    Operator, Restriction, Scheme, Space,
};
use arrayspan_solvers::least_squares::{normal_equations, preconditioned, regularized};
use arrayspan_solvers::preconditioner::{jacobi, neumann};
use arrayspan_solvers::{Cg, Cgls, Error, Lsqr, Solver, Stop};
use num_complex::Complex64;
use support::{Problem, Random, array, distance, values};

const N: usize = 11;

fn cgls() -> Cgls {
    Cgls { stop: Stop::after(500), ..Cgls::default() }
}

/// A matrix with more columns than rows, which two terms complete.
fn parts(dtype: DType) -> (Problem, Problem, Problem) {
    let part = |rows, seed| Problem::new(dtype, [rows, N], 1.0, false, &mut Random(seed));
    (part(7, 1), part(9, 2), part(3, 3))
}

/// The same as one matrix and one right-hand side, solved by factorisation.
fn exact(dtype: DType, weights: [f64; 2], targets: [bool; 2]) -> Vec<Complex64> {
    let (a, r, s) = parts(dtype);
    let (mut matrix, mut y) = (a.matrix, a.y);
    for ((part, weight), target) in [r, s].into_iter().zip(weights).zip(targets) {
        matrix.extend(part.matrix.iter().map(|v| v * weight));
        y.extend(part.y.iter().map(|v| if target { v * weight } else { 0.0.into() }));
    }
    Problem { dtype, rows: y.len(), columns: N, matrix, y }.solution(0.0).0
}

#[test]
fn regularized_problems_and_their_normal_equations_have_the_solution_of_one_large_matrix() {
    for dtype in [DType::Float64, DType::Complex128] {
        let (a, r, s) = parts(dtype);
        for targets in [[true, true], [true, false], [false, false]] {
            let weights = [0.5, 2.0];
            let exact = exact(dtype, weights, targets);
            let [first, second] = [&r, &s].map(|part| (part.operator(), part.data()));
            let one = targets[0].then_some(&first.1);
            let two = targets[1].then_some(&second.1);
            let terms = [(0.5, &first.0, one), (2.0, &second.0, two)];
            let problem = regularized(&a.operator(), a.data(), &terms).unwrap();
            assert_eq!(problem.data.shape(), [7 + 9 + 3]);
            for x in [
                problem.solve(&cgls()).unwrap().x,
                problem.solve(&Lsqr { stop: Stop::after(500), ..Lsqr::default() }).unwrap().x,
            ] {
                assert!(distance(&values(&x), &exact) < 1e-11, "{dtype} {targets:?}");
            }
            let problem = normal_equations(&a.operator(), a.data(), None, &terms).unwrap();
            let solver = Cg { stop: Stop::after(500), ..Cg::default() };
            let x = problem.solve(&solver).unwrap().x;
            assert!(distance(&values(&x), &exact) < 1e-10, "{dtype} {targets:?}");
        }
    }
}

#[test]
fn parts_of_any_shape_lie_behind_each_other_and_targets_may_be_strided() {
    let space = Space::new([5, 7], DType::Float32).unwrap();
    let a = Restriction::new(space.clone(), 0, [3, 1]).unwrap();
    let gradient = Gradient::new(space.clone(), &[1.0, 1.0], Scheme::Forward, Edge::Zero).unwrap();
    let slope = FirstDerivative::new(space, 1, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let numbers = |len: usize, first: f32| (0..len).map(|i| i as f32 + first).collect::<Vec<_>>();
    let y = Array::from_vec(numbers(14, 1.0), [2, 7]).unwrap();
    let up = Array::from_vec(numbers(70, 100.0), gradient.range().shape()).unwrap();
    let terms = [(2.0, &gradient, Some(&up)), (3.0, &slope, None)];
    let problem = regularized(&a, &y, &terms).unwrap();
    let data = problem.data.view().to_vec::<f32>().unwrap();
    assert_eq!(data.len(), 14 + 70 + 35);
    assert_eq!(data[..14], numbers(14, 1.0));
    let twice: Vec<f32> = numbers(70, 100.0).iter().map(|v| 2.0 * v).collect();
    assert_eq!(data[14..84], twice);
    assert!(data[84..].iter().all(|v| *v == 0.0));
    assert_eq!(problem.data.shape(), problem.operator.range().shape());
    // Data that are a transposed view.
    let turned = Array::from_vec(numbers(14, 1.0), [7, 2]).unwrap();
    let problem = regularized(&a, turned.view().permuted(&[1, 0]).unwrap(), &[]).unwrap();
    assert_eq!(problem.data.view().to_vec::<f32>().unwrap()[..3], [1.0, 3.0, 5.0]);
}

#[test]
fn weights_of_the_data_are_those_of_the_misfit() {
    let (a, _, _) = parts(DType::Float64);
    let tall = Problem::new(DType::Float64, [17, N], 1.0, false, &mut Random(5));
    let weights: Vec<f64> = (1..=17).map(f64::from).collect();
    let diagonal = |weights: Vec<f64>| {
        let space = Space::new([17], DType::Float64).unwrap();
        Diagonal::new(space, Array::from_vec(weights, [17]).unwrap()).unwrap()
    };
    let roots = diagonal(weights.iter().map(|w| w.sqrt()).collect());
    let weighted = roots.after(tall.operator()).build().unwrap();
    let expected = cgls().solve(&weighted, roots.forward(tall.data()).unwrap()).unwrap();
    let all = diagonal(weights);
    let problem = normal_equations(&tall.operator(), tall.data(), Some(&all), &[]).unwrap();
    let found = problem.solve(&Cg { stop: Stop::after(500), ..Cg::default() }).unwrap();
    assert!(distance(&values(&found.x), &values(&expected.x)) < 1e-10);
    let wrong = normal_equations(&a.operator(), a.data(), Some(&all), &[]);
    assert!(matches!(wrong, Err(Error::Parameter { .. })));
}

#[test]
fn a_model_that_is_made_of_something_is_given_back_as_a_model() {
    let (a, _, _) = parts(DType::Float64);
    let p = Problem::new(DType::Float64, [N, 4], 1.0, false, &mut Random(6));
    let solution = preconditioned(&cgls(), &a.operator(), a.data(), &p.operator()).unwrap();
    assert_eq!(solution.x.shape(), [N]);
    let product = a.operator().after(p.operator()).build().unwrap();
    let inner = cgls().solve(&product, a.data()).unwrap();
    let expected = p.operator().forward(&inner.x).unwrap();
    assert_eq!(values(&solution.x), values(&expected));
    assert_eq!(solution.residuals, inner.residuals);
}

#[test]
fn what_does_not_fit_is_named() {
    let (a, r, _) = parts(DType::Float64);
    let (a, r, y) = (a.operator(), r.operator(), a.data());
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        let error = regularized(&a, &y, &[(weight, &r, None)]).unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{error:?}");
        assert!(error.to_string().contains("term 0"), "{error}");
    }
    let short = array(DType::Float64, &[1.0.into(); 4], &[4]);
    let error = regularized(&a, &short, &[]).unwrap_err().to_string();
    assert!(error.contains("data") && error.contains("[4]"), "{error}");
    let error = regularized(&a, &y, &[(1.0, &r, Some(&short))]).unwrap_err().to_string();
    assert!(error.contains("target") && error.contains("[4]"), "{error}");
    let other = Identity::new(Space::new([5], DType::Float64).unwrap()).unwrap();
    assert!(regularized(&a, &y, &[(1.0, &other, None)]).is_err());
    assert!(normal_equations(&a, &y, None, &[(1.0, &other, None)]).is_err());
}

fn positive() -> (Operator, Array) {
    let tall = Problem::new(DType::Float64, [40, N], 1e3, false, &mut Random(8)).operator();
    let a = arrayspan_operators::adjoint(&tall).after(&tall).build().unwrap();
    (a, array(DType::Float64, &Random(9).numbers(DType::Float64, N), &[N]))
}

#[test]
fn ready_preconditioners_solve_the_same_system_sooner() {
    let (a, y) = positive();
    let stop = Stop { residual: 1e-10, ..Stop::after(1000) };
    let plain = Cg { stop, check_every: 1, ..Cg::default() };
    let expected = plain.solve(&a, &y).unwrap();
    let dense = a.to_dense().unwrap().view().to_vec::<f64>().unwrap();
    let diagonal: Vec<f64> = (0..N).map(|i| dense[i * N + i]).collect();
    let norm = dense.iter().map(|v| v * v).sum::<f64>().sqrt();
    let diagonal = Array::from_vec(diagonal, [N]).unwrap();
    let jacobi = jacobi(a.domain().clone(), &diagonal).unwrap();
    for (name, m) in [("jacobi", jacobi), ("neumann", neumann(&a, 1.0 / norm, 4).unwrap())] {
        let solver = Cg { preconditioner: Some(m), ..plain.clone() };
        let found = solver.solve(&a, &y).unwrap();
        assert!(distance(&values(&found.x), &values(&expected.x)) < 1e-3, "{name}");
        assert!(found.iterations < expected.iterations, "{name}: {}", found.iterations);
    }
}

#[test]
fn a_cut_series_is_what_its_formula_says() {
    let weights = [0.5_f64, 1.0, 1.5];
    let space = Space::new([3], DType::Float64).unwrap();
    let a = Diagonal::new(space, Array::from_slice(&weights, [3]).unwrap()).unwrap();
    for degree in [0, 1, 2, 5] {
        let m = neumann(&a, 0.8, degree).unwrap();
        let found = m.forward(Array::from_slice(&[1.0; 3], [3]).unwrap()).unwrap();
        for (found, weight) in found.view().to_vec::<f64>().unwrap().iter().zip(weights) {
            let expected: f64 =
                (0..=degree).map(|k| 0.8 * (1.0 - 0.8 * weight).powi(k as i32)).sum();
            assert!((found - expected).abs() < 1e-14, "{degree}");
        }
    }
    for omega in [0.0, -1.0, f64::NAN] {
        assert!(matches!(neumann(&a, omega, 1), Err(Error::Parameter { .. })));
    }
    assert!(matches!(neumann(&a, 1.0, 64), Err(Error::Parameter { .. })));
    let matrix = MatrixMult::new(Array::from_slice(&[1.0; 6], [2, 3]).unwrap().into_shared(), &[]);
    assert!(matches!(neumann(&matrix.unwrap(), 1.0, 1), Err(Error::Parameter { .. })));
}

#[test]
fn the_inverse_of_a_zero_on_the_diagonal_is_zero() {
    let space = Space::new([3], DType::Complex64).unwrap();
    let diagonal =
        array(DType::Complex64, &[2.0.into(), 0.0.into(), Complex64::new(0.0, 4.0)], &[3]);
    let m = jacobi(space.clone(), &diagonal).unwrap();
    let x = m.forward(array(DType::Complex64, &[1.0.into(); 3], &[3])).unwrap();
    assert_eq!(values(&x), [0.5.into(), 0.0.into(), Complex64::new(0.0, -0.25)]);
    assert!(jacobi(space, array(DType::Complex64, &[1.0.into(); 4], &[4])).is_err());
}
