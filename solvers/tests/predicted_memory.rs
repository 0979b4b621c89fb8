//! A process of its own, because memory is counted for the whole device.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::Array;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::on;
use arrayspan_operators::{LinearMap, MatrixMult, Operator, adjoint};
use arrayspan_solvers::{
    BiCgStab, Cg, Cgls, Fista, Gmres, Ista, Lsmr, Lsqr, Minres, SingleReductionCg,
    SingleReductionCgls, Solver, Sparsity, Stop, Threshold,
};

/// A product with intermediate results, 4 columns at once.
fn operator() -> Operator {
    let entries: Vec<f64> = (0..3000).map(|i| f64::from(i * 37 % 101) / 101.0).collect();
    let matrix = Array::from_slice(&entries, [60, 50]).unwrap();
    let matrix = MatrixMult::new(matrix.into_shared(), &[4]).unwrap();
    let a = matrix.after(adjoint(&matrix)).after(&matrix).build().unwrap();
    assert!(a.workspace() > 0, "the composition needs scratch");
    a
}

/// What the pool gives is rounded up, in blocks of at most this.
const BLOCK: usize = 512;

/// Columns of scalars of iterations that are recorded.
const RECORDED: usize = 5;

fn predicts(solver: &impl Solver, a: &Operator, arrays: usize) {
    let on = on(Device::cpu()).unwrap();
    let live = || Device::cpu().statistics().live_bytes;
    let before = live();
    let predicted = solver.memory(a, &*on).unwrap();
    assert_eq!(live(), before, "a prediction takes nothing");
    let workspace = solver.workspace(a, &*on).unwrap();
    let model = a.domain().len() * a.domain().dtype().bytes();
    let taken = live() - before + model;
    assert!(taken >= predicted, "{solver:?} takes {taken} bytes, predicted {predicted}");
    assert!(taken <= predicted + arrays * BLOCK, "{solver:?} takes {taken}, not {predicted}");
    drop(workspace);
}

#[test]
fn the_memory_of_a_run_is_predicted() {
    let a = operator();
    let [n, m] = [a.domain().len(), a.range().len()];
    let cgls = Cgls { check_every: 5, stop: Stop::after(100), ..Cgls::default() };
    predicts(&cgls, &a, 12);
    // 3n + 2m with the solution, and 6 (check_every + 11) + 10 scalars, as its documentation says.
    let on = on(Device::cpu()).unwrap();
    let rarely = Cgls { check_every: 20, ..cgls };
    let vectors = 8 * (3 * n + 2 * m + 6 * (20 + 11) + 10);
    assert_eq!(rarely.memory(&a, &*on).unwrap(), vectors + a.workspace());
    // Where checks are near each other, fewer iterations are recorded.
    let vectors = 8 * (3 * n + 2 * m + 6 * (5 + RECORDED) + 10);
    assert_eq!(cgls.memory(&a, &*on).unwrap(), vectors + a.workspace());
    let lsqr = Lsqr { check_every: 5, stop: Stop::after(100), ..Lsqr::default() };
    predicts(&lsqr, &a, 12);
    let vectors = 8 * (3 * n + m + 12 * (5 + RECORDED) + 19);
    assert_eq!(lsqr.memory(&a, &*on).unwrap(), vectors + a.workspace());

    let lsmr = Lsmr { check_every: 5, stop: Stop::after(100), ..Lsmr::default() };
    predicts(&lsmr, &a, 12);
    let vectors = 8 * (4 * n + m + 18 * (5 + RECORDED) + 25);
    assert_eq!(lsmr.memory(&a, &*on).unwrap(), vectors + a.workspace());

    let a = adjoint(&a).after(&a).build().unwrap();
    let preconditioned = Cg { preconditioner: Some(a.clone()), ..Cg::default() };
    for (solver, vectors) in [(Cg::default(), 4 * n), (preconditioned, 5 * n)] {
        let solver = Cg { check_every: 5, stop: Stop::after(100), ..solver };
        predicts(&solver, &a, 12);
        let inner = solver.preconditioner.as_ref().map_or(0, LinearMap::workspace);
        let expected = 8 * (vectors + 7 * (5 + RECORDED) + 10) + a.workspace() + inner;
        assert_eq!(solver.memory(&a, &*on).unwrap(), expected);
    }
    let single = SingleReductionCgls { check_every: 5, stop: Stop::after(100), damping: 0.0 };
    predicts(&single, &a, 15);
    let expected = 8 * (6 * n + 8 * (5 + RECORDED) + 15) + a.workspace();
    assert_eq!(single.memory(&a, &*on).unwrap(), expected);
    for (preconditioner, vectors) in [(None, 5 * n), (Some(a.clone()), 6 * n)] {
        let inner = preconditioner.as_ref().map_or(0, LinearMap::workspace);
        let stop = Stop::after(100);
        let single = SingleReductionCg { check_every: 5, stop, preconditioner };
        predicts(&single, &a, 12);
        let expected = 8 * (vectors + 8 * (5 + RECORDED) + 11) + a.workspace() + inner;
        assert_eq!(single.memory(&a, &*on).unwrap(), expected);
    }
    let minres = Minres { check_every: 5, stop: Stop::after(100) };
    predicts(&minres, &a, 12);
    let expected = 8 * (5 * n + 19 * (5 + RECORDED) + 23) + a.workspace();
    assert_eq!(minres.memory(&a, &*on).unwrap(), expected);
    for (preconditioner, vectors) in [(None, 6 * n), (Some(a.clone()), 7 * n)] {
        let inner = preconditioner.as_ref().map_or(0, LinearMap::workspace);
        let stop = Stop::after(100);
        let solver = BiCgStab { check_every: 5, stop, preconditioner: preconditioner.clone() };
        predicts(&solver, &a, 25);
        let expected = 8 * (vectors + 7 * (5 + RECORDED) + 24) + a.workspace() + inner;
        assert_eq!(solver.memory(&a, &*on).unwrap(), expected);
        for restart in [7, 1000] {
            let preconditioner = preconditioner.clone();
            let solver = Gmres { restart, preconditioner, stop, check_every: 5 };
            predicts(&solver, &a, 25);
            let k = restart.min(n);
            let numbers = (8 * (5 + RECORDED) + 4 * k + 11) + (3 * k * k + 8 * k + 3);
            let vectors = vectors - 3 * n + k * n + 2 * k;
            let expected = 8 * (vectors + numbers) + a.workspace() + inner;
            assert_eq!(solver.memory(&a, &*on).unwrap(), expected);
        }
    }
    let stop = Stop::after(100);
    let fista = Fista { check_every: 5, stop, ..Fista::default() };
    predicts(&fista, &a, 12);
    let expected = 8 * (4 * n + n + 8 * (6 + RECORDED) + 3) + a.workspace();
    assert_eq!(fista.memory(&a, &*on).unwrap(), expected);
    let ista = Ista { check_every: 5, stop, ..Ista::default() };
    let expected = 8 * (3 * n + n + 5 * (6 + RECORDED) + 3) + a.workspace();
    assert_eq!(ista.memory(&a, &*on).unwrap(), expected);
    // A candidate and its scalars, and residuals of one iteration or of two.
    let fista = Fista { backtracking: true, ..fista };
    predicts(&fista, &a, 20);
    let expected = 8 * (7 * n + n + 11 * (6 + RECORDED) + 9) + a.workspace();
    assert_eq!(fista.memory(&a, &*on).unwrap(), expected);
    let ista = Ista { backtracking: true, ..ista };
    predicts(&ista, &a, 20);
    let expected = 8 * (6 * n + n + 8 * (6 + RECORDED) + 8) + a.workspace();
    assert_eq!(ista.memory(&a, &*on).unwrap(), expected);
    let threshold = Threshold::HardKeeping(20.0);
    let sparsity = Sparsity { basis: Some(a.clone()), threshold, ..Sparsity::default() };
    let fista = Fista { sparsity, ..fista };
    predicts(&fista, &a, 20);
}
