//! What `Cgls` promises, on the host. (Devices and dtypes: the conformance suite.)
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use std::ops::ControlFlow;
use std::sync::Arc;

use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Trace, Update, on};
use arrayspan_operators::{LinearMap, LinearOperator, MatrixMult, Operator, Space};
use arrayspan_solvers::{Cgls, Error, Progress, Solver, Stop, Stopped};
use num_complex::Complex64;

const ROWS: usize = 12;
const COLUMNS: usize = 7;

/// A well-conditioned matrix that is not symmetric, and data that it does not explain.
fn problem() -> (Vec<f64>, Operator, Array) {
    let entry = |i: usize| ((i * 37 + 11) % 23) as f64 / 23.0 - 0.4;
    let mut matrix: Vec<f64> = (0..ROWS * COLUMNS).map(entry).collect();
    for i in 0..COLUMNS {
        matrix[i * COLUMNS + i] += 3.0;
    }
    let a = Array::from_slice(&matrix, [ROWS, COLUMNS]).unwrap();
    let y: Vec<f64> = (0..ROWS).map(|i| (i as f64).sin() + 0.5).collect();
    let y = Array::from_slice(&y, [ROWS]).unwrap();
    (matrix, MatrixMult::new(a.into_shared(), &[]).unwrap(), y)
}

fn exact(iterations: usize) -> Cgls {
    Cgls { stop: Stop::after(iterations), ..Cgls::default() }
}

/// `Aᴴ (y - A x) - damping² x`, which is zero at the solution.
fn gradient(matrix: &[f64], x: &[f64], y: &[f64], damping: f64) -> Vec<f64> {
    let residual: Vec<f64> = (0..ROWS)
        .map(|i| y[i] - (0..COLUMNS).map(|j| matrix[i * COLUMNS + j] * x[j]).sum::<f64>())
        .collect();
    let column = |j: usize| (0..ROWS).map(|i| matrix[i * COLUMNS + j] * residual[i]).sum::<f64>();
    (0..COLUMNS).map(|j| column(j) - damping * damping * x[j]).collect()
}

fn values(array: &Array) -> Vec<f64> {
    array.view().to_vec().unwrap()
}

#[test]
fn finds_the_least_squares_solution_with_and_without_damping_from_any_start() {
    let (matrix, a, y) = problem();
    for damping in [0.0, 0.3, 2.0] {
        for start in [None, Some([1.0, -2.0, 0.5, 0.0, 3.0, 1.0, -1.0])] {
            let start = start.map(|x| Array::from_slice(&x, [COLUMNS]).unwrap());
            let solver = Cgls { damping, ..exact(COLUMNS + 3) };
            let solution = solver.solve_from(&a, &y, start, &mut ()).unwrap();
            let left = gradient(&matrix, &values(&solution.x), &values(&y), damping);
            assert!(left.iter().all(|g| g.abs() < 1e-10), "damping {damping}: {left:?}");
        }
    }
}

#[test]
fn the_history_holds_the_residual_of_every_iterate() {
    let (_, a, y) = problem();
    for check_every in [1, 2, 3, 10] {
        let mut seen = Vec::new();
        let mut watch = |progress: &Progress<'_>| {
            let x = progress.solution.to_vec::<f64>().unwrap();
            let x = Array::from_slice(&x, [COLUMNS]).unwrap();
            let mut rest = Array::from_slice(&values(&y), [ROWS]).unwrap();
            let host = on(rest.device()).unwrap();
            a.apply(&*host, x.view(), rest.view_mut(), Update::new(-1.0, 1.0)).unwrap();
            let norm = values(&rest).iter().map(|r| r * r).sum::<f64>().sqrt();
            assert!((norm - progress.residual).abs() < 1e-12);
            seen.push((progress.iteration, norm));
            ControlFlow::Continue(())
        };
        let solver = Cgls { check_every, ..exact(5) };
        let solution = solver.solve_from(&a, &y, None, &mut watch).unwrap();
        assert_eq!(solution.residuals.len(), 6);
        assert!(solution.residuals.windows(2).all(|pair| pair[1] <= pair[0]));
        assert_eq!(seen.last().unwrap().0, 5);
        for (iteration, norm) in seen {
            assert!((solution.residuals[iteration] - norm).abs() < 1e-12);
        }
    }
}

#[test]
fn how_often_the_host_checks_does_not_change_the_answer() {
    let (_, a, y) = problem();
    let solve = |check_every| values(&Cgls { check_every, ..exact(6) }.solve(&a, &y).unwrap().x);
    let reference = solve(1);
    for check_every in [2, 4, 6, 100] {
        assert_eq!(solve(check_every), reference, "check every {check_every}");
    }
}

#[test]
fn each_way_to_stop_is_named() {
    let (_, a, y) = problem();
    let stopped = |solver: Cgls, y: &Array| solver.solve(&a, y).unwrap().stopped;
    assert_eq!(stopped(exact(3), &y), Stopped::Iterations);
    assert_eq!(stopped(exact(0), &y), Stopped::Iterations);
    let loose = Stop { gradient: 1e-6, ..Stop::after(100) };
    assert_eq!(stopped(Cgls { stop: loose, ..Cgls::default() }, &y), Stopped::Gradient);
    let explained = a.forward(Array::from_slice(&[1.0; COLUMNS], [COLUMNS]).unwrap()).unwrap();
    let fit = Stop { residual: 1e-9, ..Stop::after(100) };
    assert_eq!(stopped(Cgls { stop: fit, ..Cgls::default() }, &explained), Stopped::Residual);
    let nan = Array::from_slice(&[f64::NAN; ROWS], [ROWS]).unwrap();
    assert_eq!(stopped(exact(3), &nan), Stopped::NotFinite);
    let mut enough = |progress: &Progress<'_>| match progress.iteration {
        2 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let solver = Cgls { check_every: 1, ..exact(50) };
    let solution = solver.solve_from(&a, &y, None, &mut enough).unwrap();
    assert_eq!((solution.stopped, solution.iterations), (Stopped::Observer, 2));
}

#[test]
fn zero_data_give_a_zero_model() {
    let (_, a, _) = problem();
    let zero = Array::from_slice(&[0.0; ROWS], [ROWS]).unwrap();
    let solution = exact(20).solve(&a, &zero).unwrap();
    assert_eq!((solution.iterations, values(&solution.x)), (0, vec![0.0; COLUMNS]));
}

#[test]
fn going_on_after_convergence_changes_nothing() {
    let (matrix, a, y) = problem();
    let far = Cgls { check_every: 400, ..exact(400) }.solve(&a, &y).unwrap();
    let left = gradient(&matrix, &values(&far.x), &values(&y), 0.0);
    assert!(left.iter().all(|g| g.abs() < 1e-10), "{left:?}");
}

#[test]
fn complex_problems_are_solved() {
    let entry = |i: usize| Complex64::new(((i * 7) % 5) as f64 - 1.7, ((i * 3) % 4) as f64);
    let matrix: Vec<Complex64> = (0..20).map(entry).collect();
    let truth: Vec<Complex64> = (0..4).map(|i| Complex64::new(1.0, -f64::from(i))).collect();
    let a = Array::from_slice(&matrix, [5, 4]).unwrap();
    let a = MatrixMult::new(a.into_shared(), &[]).unwrap();
    let y = a.forward(Array::from_slice(&truth, [4]).unwrap()).unwrap();
    let solution = exact(12).solve(&a, &y).unwrap();
    for (found, expected) in solution.x.view().to_vec::<Complex64>().unwrap().iter().zip(&truth) {
        assert!((found - expected).norm() < 1e-9, "{found} is not {expected}");
    }
}

/// `Trace` sees what the documentation says: values moved besides the applications of the operator.
mod bytes {
    use super::*;

    #[test]
    fn cgls() {
        let (_, a, y) = problem();
        for (damping, model_values, scalars) in [(0.0, 6, 18), (0.5, 10, 21)] {
            let trace = Arc::new(Trace::of(on(y.device()).unwrap()));
            let solver = Cgls { damping, check_every: 100, ..exact(0) };
            let cost = |iterations| {
                let solver = Cgls { stop: Stop::after(iterations), ..solver };
                let mut workspace = solver.workspace(&a, &*trace).unwrap();
                let view = y.view();
                solver.solve_in(&mut workspace, &*trace, &a, view, None, &mut ()).unwrap();
                let steps = trace.steps();
                let _ = trace.take();
                let own = steps.iter().filter(|(verb, _)| *verb != "gemm");
                own.map(|(_, cost)| cost.bytes()).sum::<usize>()
            };
            // Scalars, in Float64: 7 or 8 read and 4 written by the call that fills the state, the rest written by
            // the sums and read by the maps.
            let values = (cost(5) - cost(4)) / DType::Float64.bytes();
            assert_eq!(values, model_values * COLUMNS + 4 * ROWS + scalars);
        }
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let (_, a, y) = problem();
    let refused = |solver: Cgls| matches!(solver.solve(&a, &y), Err(Error::Parameter { .. }));
    assert!(refused(Cgls { check_every: 0, ..exact(1) }));
    assert!(refused(Cgls { damping: f64::NAN, ..exact(1) }));
    assert!(refused(Cgls { damping: -1.0, ..exact(1) }));
    let short = Array::from_slice(&[1.0; 3], [3]).unwrap();
    let error = exact(1).solve(&a, &short).unwrap_err().to_string();
    assert!(error.contains("[3]") && error.contains("[12]"), "{error}");
    let wrong = Array::from_slice(&[1.0_f32; ROWS], [ROWS]).unwrap();
    let error = exact(1).solve(&a, &wrong).unwrap_err().to_string();
    assert!(error.contains("Float32") && error.contains("Float64"), "{error}");
    let space = Space::new([COLUMNS], DType::Float64).unwrap();
    assert_eq!(a.domain(), &space);
}
