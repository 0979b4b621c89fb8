//! A process of its own, because allocations are counted for the whole device.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::on;
use arrayspan_operators::{Identity, LinearMap, MatrixMult, Operator, adjoint};
use arrayspan_solvers::sparse::{Constraint, Spgl1};
use arrayspan_solvers::{
    BiCgStab, Cg, Cgls, Error, Fista, Gmres, Lsmr, Lsqr, Minres, SingleReductionCg,
    SingleReductionCgls, Solver, Sparsity, Stop, Threshold,
};

/// `Aᴴ A` and a part of the identity, of 30 rows and 4 columns.
fn operator() -> Operator {
    let entries: Vec<f64> = (0..900).map(|i| f64::from(i * 37 % 101) / 101.0).collect();
    let matrix = Array::from_slice(&entries, [30, 30]).unwrap();
    let matrix = MatrixMult::new(matrix.into_shared(), &[4]).unwrap();
    let some = 0.1 * Identity::new(matrix.domain().clone()).unwrap();
    let a = (adjoint(&matrix).after(&matrix) + some).build().unwrap();
    assert!(a.workspace() > 0, "the composition needs scratch");
    a
}

/// Fails unless a second run takes nothing but the solution.
fn holds<S: Solver>(solver: impl Fn(Stop) -> S) {
    let a = operator();
    let values: Vec<f64> = (0..120).map(|i| f64::from(i).sin()).collect();
    let y = Array::from_slice(&values, [30, 4]).unwrap();
    let on = on(Device::cpu()).unwrap();
    for iterations in [10, 50] {
        let solver = solver(Stop::after(iterations));
        let mut workspace = solver.workspace(&a, &*on).unwrap();
        let mut solve = || {
            let before = Device::cpu().statistics().allocations;
            let solution = solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ());
            assert!(solution.unwrap().iterations > 5, "{solver:?}");
            Device::cpu().statistics().allocations - before
        };
        solve();
        assert_eq!(solve(), 1, "the solution of {solver:?}");
    }
}

/// As the others, which are solvers.
fn of_spgl1() {
    let a = operator();
    let values: Vec<f64> = (0..120).map(|i| f64::from(i).sin()).collect();
    let y = Array::from_slice(&values, [30, 4]).unwrap();
    let on = on(Device::cpu()).unwrap();
    let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
    for constraint in [Constraint::Misfit(0.5 * norm), Constraint::Norm(1e-3)] {
        let solver = Spgl1 { constraint, iterations: 30, tolerance: 1e-12 };
        let mut workspace = solver.workspace(&a, &*on).unwrap();
        let mut solve = || {
            let before = Device::cpu().statistics().allocations;
            let solution = solver.solve_in(&mut workspace, &*on, &a, y.view(), &mut ()).unwrap();
            assert!(solution.iterations > 2, "{solver:?}: {}", solution.iterations);
            (Device::cpu().statistics().allocations - before, solution)
        };
        let first = solve().1;
        let (taken, second) = solve();
        assert_eq!(taken, 1, "the solution of {solver:?}");
        let numbers = |x: &Array| x.to_vec::<f64>().unwrap();
        assert_eq!(numbers(&first.x), numbers(&second.x), "{solver:?}");
        assert_eq!(numbers(&first.x), numbers(&solver.solve(&a, &y).unwrap().x), "{solver:?}");
    }
    let other = Identity::new(a.domain().clone()).unwrap();
    let mut small = Spgl1::default().workspace(&other, &*on).unwrap();
    let failed = Spgl1::default().solve_in(&mut small, &*on, &a, y.view(), &mut ());
    assert!(matches!(failed, Err(Error::Workspace { .. })), "{failed:?}");
}

/// One test, for several would count what the others allocate.
#[test]
fn solving_again_in_one_workspace_allocates_the_solution_and_what_the_host_reads() {
    let check_every = 5;
    holds(|stop| Cgls { damping: 0.1, check_every, stop });
    holds(|stop| Lsqr { damping: 0.1, check_every, stop });
    holds(|stop| Lsmr { damping: 0.1, check_every, stop });
    holds(|stop| SingleReductionCgls { damping: 0.1, check_every, stop });
    holds(|stop| Minres { check_every, stop });
    for preconditioner in [None, Some(operator())] {
        let m = || preconditioner.clone();
        holds(|stop| Cg { preconditioner: m(), stop, check_every });
        holds(|stop| SingleReductionCg { preconditioner: m(), stop, check_every });
        holds(|stop| BiCgStab { preconditioner: m(), stop, check_every });
        holds(|stop| Gmres { restart: 7, preconditioner: m(), stop, check_every });
    }
    of_spgl1();
    for threshold in [Threshold::Soft, Threshold::HalfKeeping(30.0)] {
        // Without a step it takes memory to find one.
        for (step, backtracking) in [(Some(1e-6), false), (None, true)] {
            holds(|stop| {
                let sparsity = Sparsity { threshold, ..Sparsity::default() };
                Fista { sparsity, step, backtracking, restart: true, stop, check_every }
            });
        }
    }
}
