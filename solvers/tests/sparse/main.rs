//! Methods for sparse models: what each promises.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod arguments;
mod backtracking;
mod bytes;
mod extremes;
mod golden;
mod lasso;
mod outer;
mod steps;
#[path = "../support/mod.rs"]
mod support;
mod thresholds;
mod watched;

use std::ops::ControlFlow;

use arrayspan_bridge::DType;
use arrayspan_solvers::{Fista, Progress, Solver, Sparsity, Stopped};
use num_complex::Complex64;
use support::{Problem, Random, epsilon, values};

const DTYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

fn weighted(weight: f64) -> Sparsity {
    Sparsity { weight, ..Sparsity::default() }
}

/// Iterations past the end are enqueued with, and change nothing: however often the host looks, the solution is the same to the last bit.
fn stays_to_the_bit(solver: &Fista) {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [20, 30], 1.5, false, &mut Random(3));
        let solve = |check_every| {
            let solver = Fista { check_every, ..solver.clone() };
            solver.solve(&problem.operator(), problem.data()).unwrap()
        };
        let (short, long) = (solve(1), solve(10_001));
        assert_eq!(short.stopped, Stopped::Precision, "{dtype}");
        assert_eq!(values(&short.x), values(&long.x), "{dtype} after {}", short.iterations);
        assert_eq!(short.iterations, long.iterations);
        assert_eq!(short.residuals, long.residuals);
    }
}

/// `‖y - A x‖² + 0.1 ‖x‖₁` whenever the host looks.
fn objectives(problem: &Problem, solver: &impl Solver) -> Vec<f64> {
    let mut found = Vec::new();
    let mut watch = |progress: &Progress<'_>| {
        let x = progress.solution.to_vec::<f64>().unwrap();
        let norm: f64 = x.iter().map(|x| x.abs()).sum();
        found.push(progress.residual.powi(2) + 0.1 * norm);
        ControlFlow::Continue(())
    };
    solver.solve_from(&problem.operator(), problem.data(), None, &mut watch).unwrap();
    found
}

/// `Aᴴ v`
fn adjoint(problem: &Problem, v: &[Complex64]) -> Vec<Complex64> {
    let columns = 0..problem.columns;
    let entry = |i: usize, j: usize| problem.matrix[i * problem.columns + j].conj();
    columns.map(|j| v.iter().enumerate().map(|(i, v)| entry(i, j) * v).sum()).collect()
}

/// How far a model is from the conditions of optimality of `‖y - A x‖² + weight ‖x‖₁`, beside the weight: `2 Aᴴ r` is the weight times the
/// phase where there is a model, and not more where there is none.
fn violation(problem: &Problem, x: &[Complex64], weight: f64) -> f64 {
    let image = problem.forward(x);
    let r: Vec<_> = problem.y.iter().zip(image).map(|(y, image)| y - image).collect();
    let gradient = adjoint(problem, &r);
    let excess = |(g, x): (&Complex64, &Complex64)| {
        if x.norm() == 0.0 {
            (2.0 * g.norm() - weight).max(0.0)
        } else {
            (2.0 * g - weight * x / x.norm()).norm()
        }
    };
    gradient.iter().zip(x).map(excess).fold(0.0, f64::max) / weight
}

/// The largest eigenvalue of `Aᴴ A`, by so many power iterations.
fn eigenvalue(problem: &Problem, iterations: usize) -> f64 {
    let mut v: Vec<Complex64> =
        (0..problem.columns).map(|i| Complex64::new(1.0 + 0.3 * (i as f64).sin(), 0.0)).collect();
    let mut quotient = 0.0;
    for _ in 0..iterations {
        let size = support::norm(&v);
        for v in &mut v {
            *v /= size;
        }
        let image = problem.forward(&v);
        quotient = support::norm(&image).powi(2);
        v = adjoint(problem, &image);
    }
    quotient
}

/// What rounding explains, with room for a condition.
fn rounding(dtype: DType) -> f64 {
    1e3 * epsilon(dtype)
}
