//! A process of its own, because memory is counted for the whole device.
//!
//! What methods say that they take is no less than what they had at once, and not much more.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Executor, on};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::sparse::{
    Constraint, Irls, Mp, Omp, Reweighted, Shrunk, Smoothed, Spgl1, SplitBregman,
};
use arrayspan_solvers::{
    Cgls, Eigs, Error, Lobpcg, LogDet, Lsqr, PowerIteration, RandomizedSvd, Result, Stop, Svds,
    Which, cond_memory, cond_on,
};

/// What pools round up, in blocks of at most this.
const BLOCK: usize = 512;

/// Runs twice, since tables of operators are made once, and stay.
fn predicts<T>(what: &str, predicted: Result<usize>, run: impl Fn() -> T) {
    let predicted = predicted.unwrap();
    drop(run());
    let cpu = Device::cpu();
    let before = cpu.statistics().live_bytes;
    cpu.reset_peak();
    let kept = run();
    let taken = cpu.statistics().peak_bytes - before;
    drop(kept);
    println!("{what}: {taken} bytes, predicted {predicted}");
    assert!(taken <= predicted + BLOCK, "{what}: {taken} bytes, predicted {predicted}");
    assert!(predicted <= taken + taken / 5, "{what}: {taken} bytes, predicted {predicted}");
}

fn matrix([m, n]: [usize; 2], columns: usize) -> Operator {
    let entries: Vec<f64> =
        (0..m * n).map(|i| ((i * i * 37 % 1009) as f64 / 1009.0) - 0.5).collect();
    let matrix = Array::from_vec(entries, [m, n]).unwrap().into_shared();
    MatrixMult::new(matrix, &[columns]).unwrap()
}

fn data(a: &Operator) -> Array {
    let len = a.range().len();
    Array::from_vec((0..len).map(|i| (i as f64).sin()).collect(), a.range().shape()).unwrap()
}

/// Operators with more data, with more models, and with something between their parts.
fn operators() -> Vec<Operator> {
    let [tall, wide] = [[70, 40], [40, 70]].map(|shape| matrix(shape, 50));
    let product = wide.after(adjoint(&wide)).after(&wide).build().unwrap();
    assert!(product.workspace() > 0, "the composition needs scratch");
    vec![tall, wide, product]
}

fn sparse(on: &dyn Executor) {
    let stop = Stop::after(30);
    for a in operators() {
        let y = data(&a);
        for kind in [Reweighted::Data, Reweighted::Model, Reweighted::DataModel] {
            for warm in [false, true] {
                let least_squares = Cgls { stop, ..Cgls::default() };
                let solver = Irls { kind, warm, iterations: 4, least_squares, ..Irls::default() };
                let what = format!("{a:?} Irls {kind:?} {warm}");
                predicts(&what, solver.memory(&a, on), || solver.solve(&a, &y).unwrap());
            }
        }
        let slope = |axis| {
            let space = a.domain().clone();
            FirstDerivative::new(space, axis, 1.0, Scheme::Forward, Edge::Zero).unwrap()
        };
        let both = vstack([slope(0), slope(1)]).unwrap();
        for (isotropic, restart) in [(false, true), (true, false)] {
            let l1 = vec![Shrunk { operator: both.clone(), weight: 0.3, isotropic }];
            let l2 = vec![Smoothed { operator: slope(1), weight: 0.1, target: None }];
            let least_squares = Lsqr { stop, ..Lsqr::default() };
            let solver = SplitBregman {
                l1,
                l2,
                restart,
                least_squares,
                iterations: 3,
                ..SplitBregman::default()
            };
            let what = format!("{a:?} SplitBregman {isotropic} {restart}");
            predicts(&what, solver.memory(&a, on), || solver.solve(&a, &y).unwrap());
        }
        for constraint in [Constraint::Misfit(0.1), Constraint::Norm(2.0)] {
            let solver = Spgl1 { constraint, iterations: 20, ..Spgl1::default() };
            let what = format!("{a:?} Spgl1 {constraint:?}");
            predicts(&what, solver.memory(&a, on), || solver.solve(&a, &y).unwrap());
        }
        for normalize in [false, true] {
            let omp = Omp { iterations: 5, normalize, ..Omp::default() };
            let what = format!("{a:?} Omp {normalize}");
            predicts(&what, omp.memory(&a, on), || omp.solve(&a, &y).unwrap());
            let mp = Mp { iterations: 5, normalize, ..Mp::default() };
            let what = format!("{a:?} Mp {normalize}");
            predicts(&what, mp.memory(&a, on), || mp.solve(&a, &y).unwrap());
        }
    }
}

fn spectra(on: &dyn Executor) {
    let square = {
        let a = matrix([30, 30], 20);
        adjoint(&a).after(&a).build().unwrap()
    };
    let flat = {
        let weights = (0..1500).map(|i| 1.0 + f64::from(i % 53)).collect();
        let weights = Array::from_vec(weights, [1500]).unwrap();
        Diagonal::new(Space::new([1500], DType::Float64).unwrap(), weights).unwrap()
    };
    for a in [&square, &flat] {
        let solver = PowerIteration { iterations: 20, ..PowerIteration::default() };
        predicts(&format!("{a:?} power"), solver.memory(a, on), || solver.of(a).unwrap());
        let solver = Eigs { count: 4, basis: Some(12), restarts: 3, ..Eigs::default() };
        predicts(&format!("{a:?} eigs"), solver.memory(a, on), || solver.of(a).unwrap());
        let which = Which::Largest;
        let solver = Lobpcg { count: 4, which, iterations: 5, ..Lobpcg::default() };
        predicts(&format!("{a:?} lobpcg"), solver.memory(a, on), || solver.of(a).unwrap());
        let solver = LogDet { probes: 3, steps: 9, exact: 10, ..LogDet::default() };
        predicts(&format!("{a:?} log_det"), solver.memory(a, on), || solver.of(a).unwrap());
    }
    for a in operators().iter().chain([&square, &flat]) {
        let solver = Svds { count: 4, basis: Some(12), restarts: 3, ..Svds::default() };
        predicts(&format!("{a:?} svds"), solver.memory(a, on), || solver.of(a).unwrap());
        let solver = RandomizedSvd { count: 5, oversampling: 4, ..RandomizedSvd::default() };
        predicts(&format!("{a:?} random"), solver.memory(a, on), || solver.of(a).unwrap());
        predicts(&format!("{a:?} cond"), cond_memory(a, on), || cond_on(a, on).unwrap());
    }
}

/// One test, for several would count what the others take.
#[test]
fn what_loops_and_spectra_take_is_predicted() {
    let on = on(Device::cpu()).unwrap();
    sparse(&*on);
    spectra(&*on);
    let a = &operators()[0];
    let live = || Device::cpu().statistics().live_bytes;
    let before = live();
    Omp { iterations: 20, ..Omp::default() }.memory(a, &*on).unwrap();
    Irls::default().memory(a, &*on).unwrap();
    assert_eq!(live(), before, "a prediction takes nothing");
    let refused = [
        Irls { epsilon: -1.0, ..Irls::default() }.memory(a, &*on),
        SplitBregman::default().memory(a, &*on),
        Spgl1 { tolerance: f64::NAN, ..Spgl1::default() }.memory(a, &*on),
        Omp { residual: -1.0, ..Omp::default() }.memory(a, &*on),
        Mp { absolute: f64::INFINITY, ..Mp::default() }.memory(a, &*on),
        RandomizedSvd { count: 0, ..RandomizedSvd::default() }.memory(a, &*on),
        Lobpcg { count: 10_000, ..Lobpcg::default() }.memory(a, &*on),
        PowerIteration { iterations: 0, ..PowerIteration::default() }.memory(a, &*on),
        LogDet { probes: 1, ..LogDet::default() }.memory(a, &*on),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{refused:?}");
    }
}
