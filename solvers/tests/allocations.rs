//! A process of its own, because allocations are counted for the whole device.

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::on;
use arrayspan_operators::{LinearMap, MatrixMult, adjoint};
use arrayspan_solvers::{Cgls, Solver, Stop};

#[test]
fn solving_again_in_one_workspace_allocates_the_solution_and_what_the_host_reads() {
    let entries: Vec<f64> = (0..900).map(|i| f64::from(i * 37 % 101) / 101.0).collect();
    let matrix = Array::from_slice(&entries, [30, 30]).unwrap();
    let matrix = MatrixMult::new(matrix.into_shared(), &[4]).unwrap();
    let a = adjoint(&matrix).after(&matrix).build().unwrap();
    assert!(a.workspace() > 0, "the composition needs scratch");
    let values: Vec<f64> = (0..120).map(|i| f64::from(i).sin()).collect();
    let y = Array::from_slice(&values, [30, 4]).unwrap();
    let on = on(Device::cpu()).unwrap();
    let allocations = |iterations| {
        let solver = Cgls { damping: 0.1, check_every: 5, stop: Stop::after(iterations) };
        let mut workspace = solver.workspace(&a, &*on).unwrap();
        let mut solve = || {
            let before = Device::cpu().statistics().allocations;
            solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
            Device::cpu().statistics().allocations - before
        };
        solve();
        solve()
    };
    assert_eq!(allocations(10), 1, "the solution");
    assert_eq!(allocations(50), 1, "no allocation an iteration");
}
