//! `Trace` sees what the documentation says: launches and values moved besides the applications of operators.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::{Trace, Update, on};
use arrayspan_operators::{Diagonal, LinearMap, LinearOperator, Space, Workspace};
use arrayspan_solvers::sparse::IterativeThresholding;
use arrayspan_solvers::{Fista, Solver, Sparsity, Stop, Threshold};

use super::support::{Problem, Random, array};
use super::weighted;

/// Launches and values of one iteration, without those of products with matrices.
fn iteration<const ACCELERATED: bool>(
    problem: &Problem,
    sparsity: &Sparsity,
    [restart, backtracking]: [bool; 2],
) -> (usize, usize) {
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    let (a, y) = (problem.operator(), problem.data());
    let cost = |iterations| {
        let solver = IterativeThresholding::<ACCELERATED> {
            sparsity: sparsity.clone(),
            step: Some(1e-3),
            backtracking,
            restart,
            stop: Stop::after(iterations),
            check_every: 100,
        };
        let mut workspace = solver.workspace(&a, &*trace).unwrap();
        solver.solve_in(&mut workspace, &*trace, &a, y.view(), None, &mut ()).unwrap();
        let steps = trace.steps();
        let _ = trace.take();
        let own = steps.iter().filter(|(verb, _)| *verb != "gemm");
        own.fold((0, 0), |(launches, bytes), (_, cost)| {
            (launches + cost.launches, bytes + cost.bytes())
        })
    };
    let [short, long] = [4, 5].map(cost);
    (long.0 - short.0, (long.1 - short.1) / problem.dtype.bytes())
}

const SIZE: [usize; 2] = [700, 300];

fn holds<const ACCELERATED: bool>(
    sparsity: &Sparsity,
    kind: [bool; 2],
    [launches, values]: [usize; 2],
) {
    let problem = Problem::new(DType::Float64, SIZE, 1.0, false, &mut Random(1));
    let found = iteration::<ACCELERATED>(&problem, sparsity, kind);
    assert_eq!(found.0, launches);
    // Scalars are less than a vector.
    assert!((values..values + SIZE[1] / 2).contains(&found.1), "{} values, {values}", found.1);
}

#[test]
fn ista() {
    let [m, n] = SIZE;
    holds::<false>(&weighted(0.1), [false, false], [5, 5 * n + 4 * m]);
}

#[test]
fn fista() {
    let [m, n] = SIZE;
    for threshold in [Threshold::Soft, Threshold::Hard, Threshold::Half] {
        let sparsity = Sparsity { threshold, ..weighted(0.1) };
        holds::<true>(&sparsity, [false, false], [5, 7 * n + 4 * m]);
        holds::<true>(&sparsity, [true, false], [6, 8 * n + 4 * m]);
    }
}

/// One product with the matrix and one with its adjoint, as without.
#[test]
fn backtracking() {
    let [m, n] = SIZE;
    holds::<false>(&weighted(0.1), [false, true], [11, 11 * n + 9 * m]);
    holds::<true>(&weighted(0.1), [false, true], [12, 16 * n + 10 * m]);
    holds::<true>(&weighted(0.1), [true, true], [14, 17 * n + 10 * m]);
    let problem = Problem::new(DType::Float64, SIZE, 1.0, false, &mut Random(1));
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    let (a, y) = (problem.operator(), problem.data());
    let products = |iterations| {
        let stop = Stop::after(iterations);
        let solver = Fista { stop, backtracking: true, step: Some(1.0), ..Fista::default() };
        let mut workspace = solver.workspace(&a, &*trace).unwrap();
        solver.solve_in(&mut workspace, &*trace, &a, y.view(), None, &mut ()).unwrap();
        let steps = trace.steps();
        let _ = trace.take();
        steps.iter().filter(|(verb, _)| *verb == "gemm").count()
    };
    assert_eq!(products(9) - products(4), 2 * 5);
}

#[test]
fn a_basis_takes_two_launches_and_itself() {
    let [m, n] = SIZE;
    let space = Space::new([n], DType::Float64).unwrap();
    let signs = Random(3).numbers(DType::Float64, n);
    let signs: Vec<_> = signs.iter().map(|v| (v.re.signum()).into()).collect();
    let basis = Diagonal::new(space, array(DType::Float64, &signs, &[n])).unwrap();
    let own = {
        let trace = Trace::of(on(Device::cpu()).unwrap());
        let mut work = Workspace::of(&basis, &trace).unwrap();
        let x = array(DType::Float64, &signs, &[n]);
        let mut y = array(DType::Float64, &signs, &[n]);
        basis.apply_with(&mut work, &trace, x.view(), y.view_mut(), Update::set()).unwrap();
        trace.take()
    };
    assert_eq!(basis.domain(), basis.range());
    let sparsity = Sparsity { basis: Some(basis), ..weighted(0.1) };
    let values = 12 * n + 4 * m + 2 * own.bytes() / 8;
    holds::<true>(&sparsity, [false, false], [7 + 2 * own.launches, values]);
}
