//! `Trace` sees what the documentation says: launches and values moved besides the applications of operators.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::{Executor, Trace, on};
use arrayspan_operators::Operator;
use arrayspan_solvers::{Eigs, NormEstimator, PowerIteration, Svds};

use crate::support::Random;
use crate::{hermitian, operator};

/// Launches and values of 64 bits beyond those of a run one step shorter, without those of products with matrices and of
/// transfers.
fn step(run: impl Fn(usize, &dyn Executor)) -> (usize, usize) {
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    let cost = |steps| {
        run(steps, &*trace);
        let steps = trace.steps();
        let _ = trace.take();
        let own = steps.iter().filter(|(verb, _)| *verb != "gemm" && *verb != "transfer");
        own.fold((0, 0), |(launches, bytes), (_, cost)| {
            (launches + cost.launches, bytes + cost.bytes() / 8)
        })
    };
    let [short, long] = [6, 7].map(cost);
    (long.0 - short.0, long.1 - short.1)
}

fn dense([m, n]: [usize; 2]) -> Operator {
    let matrix = Random(1).numbers(DType::Float64, m * n);
    operator(DType::Float64, &matrix, [m, n], Device::cpu())
}

/// That many values, and less than a vector of scalars.
fn moved(found: usize, values: usize, vector: usize) -> bool {
    (values..values + vector / 2).contains(&found)
}

#[test]
fn norms() {
    let [m, n] = [500, 300];
    let a = dense([m, n]);
    let (launches, values) = step(|iterations, on| {
        let solver = NormEstimator { iterations, tolerance: 0.0, ..NormEstimator::default() };
        let _ = solver.of_on(&a, on).unwrap();
    });
    assert_eq!(launches, 6);
    assert!(moved(values, 3 * (m + n), n), "{values}");
}

#[test]
fn power_iterations() {
    let n = 300;
    let a = dense([n, n]);
    let (launches, values) = step(|iterations, on| {
        let solver = PowerIteration { iterations, tolerance: 0.0, ..PowerIteration::default() };
        let _ = solver.of_on(&a, on).unwrap();
    });
    assert_eq!(launches, 7);
    assert!(moved(values, 8 * n, n), "{values}");
}

/// A vector more in a basis that is not restarted: the products with it are gemm, four a side and vector.
#[test]
fn bases() {
    let n = 300;
    let spectrum: Vec<f64> = (0..n).map(|k| k as f64).collect();
    let matrix = hermitian(DType::Float64, &spectrum, &mut Random(2));
    let a = operator(DType::Float64, &matrix, [n, n], Device::cpu());
    let (launches, values) = step(|basis, on| {
        let solver = Eigs { count: 1, basis: Some(basis), restarts: 0, ..Eigs::default() };
        let _ = solver.of_on(&a, on).unwrap();
    });
    assert_eq!(launches, 6);
    assert!(moved(values, 6 * n, n), "{values}");
    let (launches, values) = step(|basis, on| {
        let solver = Svds { count: 1, basis: Some(basis), restarts: 0, ..Svds::default() };
        let _ = solver.of_on(&a, on).unwrap();
    });
    assert_eq!(launches, 12);
    assert!(moved(values, 8 * n, n), "{values}");
}
