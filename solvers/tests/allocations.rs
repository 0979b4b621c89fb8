//! A process of its own, because allocations are counted for the whole device.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::on;
use arrayspan_operators::{LinearMap, MatrixMult, Operator, adjoint};
use arrayspan_solvers::{Cgls, Fista, Solver, Sparsity, Stop, Threshold};

#[test]
fn solving_again_in_one_workspace_allocates_the_solution_and_what_the_host_reads() {
    let entries: Vec<f64> = (0..900).map(|i| f64::from(i * 37 % 101) / 101.0).collect();
    let matrix = Array::from_slice(&entries, [30, 30]).unwrap();
    let matrix = MatrixMult::new(matrix.into_shared(), &[4]).unwrap();
    let a = adjoint(&matrix).after(&matrix).build().unwrap();
    assert!(a.workspace() > 0, "the composition needs scratch");
    let values: Vec<f64> = (0..120).map(|i| f64::from(i).sin()).collect();
    let y = Array::from_slice(&values, [30, 4]).unwrap();
    for iterations in [10, 50] {
        let stop = Stop::after(iterations);
        let cgls = Cgls { damping: 0.1, check_every: 5, stop };
        assert_eq!(allocations(&cgls, &a, &y), 1, "the solution");
        for threshold in [Threshold::Soft, Threshold::HalfKeeping(30.0)] {
            let sparsity = Sparsity { threshold, ..Sparsity::default() };
            // Without a step it takes memory to find one.
            let (step, restart) = (Some(1e-6), true);
            let fista = Fista { sparsity, step, restart, stop, check_every: 5 };
            assert_eq!(allocations(&fista, &a, &y), 1, "the solution");
        }
    }
}

/// How many a second run takes.
fn allocations(solver: &impl Solver, a: &Operator, y: &Array) -> usize {
    let on = on(Device::cpu()).unwrap();
    let mut workspace = solver.workspace(a, &*on).unwrap();
    let mut solve = || {
        let before = Device::cpu().statistics().allocations;
        solver.solve_in(&mut workspace, &*on, a, y.view(), None, &mut ()).unwrap();
        Device::cpu().statistics().allocations - before
    };
    solve();
    solve()
}
