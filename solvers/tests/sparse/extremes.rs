//! What parameters and data at their limits give.

use arrayspan_bridge::{Array, DType, devices::Device};
use arrayspan_kernels::on;
use arrayspan_operators::{Diagonal, Identity, Space};
use arrayspan_solvers::sparse::Omp;
use arrayspan_solvers::{Error, Fista, Solver, Sparsity, Stop, Stopped, Threshold};

use super::support::{Problem, Random};
use super::weighted;

/// What one of both leaves has not all that the other one goes on from.
#[test]
fn runs_with_and_without_backtracking_are_not_taken_for_each_other() {
    let problem = Problem::new(DType::Float64, [30, 20], 1.5, false, &mut Random(3));
    let (a, y) = (problem.operator(), problem.data());
    let on = on(Device::cpu()).unwrap();
    let plain = Fista { stop: Stop::after(50), sparsity: weighted(0.01), ..Fista::default() };
    let tries = Fista { backtracking: true, ..plain.clone() };
    let mut workspace = tries.workspace(&a, &*on).unwrap();
    for (from, to) in [(&plain, &tries), (&tries, &plain)] {
        let mut run = from.start(&mut workspace, &*on, &a, y.view(), None).unwrap();
        let _ = run.advance(5).unwrap();
        let saved = run.save().unwrap();
        drop(run);
        let refused = to.resume(&mut workspace, &*on, &a, y.view(), &saved).unwrap_err();
        assert!(matches!(refused, Error::Saved { .. }), "{refused}");
        from.resume(&mut workspace, &*on, &a, y.view(), &saved).unwrap();
    }
}

/// Beside so small data the weight is beyond all numbers; what it is of is zero.
#[test]
fn an_infinite_weight_of_nothing_is_nothing() {
    let space = Space::new([2], DType::Float64).unwrap();
    let weights = Array::from_slice(&[1.0, 0.5], [2]).unwrap();
    let a = Diagonal::new(space, weights).unwrap();
    for (threshold, size) in [(Threshold::Hard, 1e-155), (Threshold::Half, 1e-210)] {
        for backtracking in [false, true] {
            let y = Array::from_slice(&[size, size], [2]).unwrap();
            let sparsity = Sparsity { threshold, ..Sparsity::default() };
            let solver = Fista { sparsity, restart: true, backtracking, ..Fista::default() };
            let solution = solver.solve(&a, &y).unwrap();
            assert_ne!(solution.stopped, Stopped::NotFinite, "{threshold:?} {size:e}");
            assert_eq!(solution.x.to_vec::<f64>().unwrap(), [0.0, 0.0]);
        }
    }
}

#[test]
fn memory_is_predicted_for_any_number_of_columns() {
    let on = on(Device::cpu()).unwrap();
    let omp = Omp { iterations: usize::MAX, ..Omp::default() };
    let of = |len: usize| {
        let a = Identity::new(Space::new([len], DType::Float32).unwrap()).unwrap();
        omp.memory(&a, &*on)
    };
    for len in [0, 1, 1 << 46] {
        let bytes = of(len).unwrap();
        assert!(bytes >= len, "{bytes} bytes of {len} elements");
    }
    // So many cannot be counted as columns.
    of((1 << 61) - 1).unwrap_err();
}
