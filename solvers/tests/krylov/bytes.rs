//! `Trace` sees what the documentation says: launches and values moved besides the applications of operators.

use std::sync::Arc;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::{Trace, on};
use arrayspan_operators::{Diagonal, LinearMap, Operator, Space};
use arrayspan_solvers::{
    BiCgStab, Cg, Gmres, Lsmr, Lsqr, Minres, SingleReductionCg, SingleReductionCgls, Solver, Stop,
};

use super::support::{Problem, Random, array};
use super::{System, spread};

/// Launches and bytes of one iteration, without those of products with matrices.
fn iteration<S: Solver>(a: &Operator, solver: impl Fn(usize) -> S) -> (usize, usize) {
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    let y = array(
        DType::Float64,
        &Random(3).numbers(DType::Float64, a.range().len()),
        a.range().shape(),
    );
    let cost = |iterations| {
        let solver = solver(iterations);
        let mut workspace = solver.workspace(a, &*trace).unwrap();
        solver.solve_in(&mut workspace, &*trace, a, y.view(), None, &mut ()).unwrap();
        let steps = trace.steps();
        let _ = trace.take();
        let own = steps.iter().filter(|(verb, _)| *verb != "gemm");
        own.fold((0, 0), |(launches, bytes), (_, cost)| {
            (launches + cost.launches, bytes + cost.bytes())
        })
    };
    let [short, long] = [4, 5].map(cost);
    (long.0 - short.0, long.1 - short.1)
}

#[test]
fn cg() {
    let n = 310;
    let system = System::hermitian(DType::Float64, &spread(n, 1.0, 30.0), &mut Random(1));
    let a = system.operator();
    for (preconditioner, launches, values) in [(None, 4, 10), (Some(system.operator()), 5, 12)] {
        let found = iteration(&a, |iterations| Cg {
            preconditioner: preconditioner.clone(),
            stop: Stop::after(iterations),
            check_every: 100,
        });
        assert_eq!(found.0, launches);
        // Scalars are less than a vector.
        assert_eq!(found.1 / 8 / n, values, "{} values", found.1 / 8);
    }
}

#[test]
fn lsqr() {
    let [m, n] = [500, 100];
    let a = Problem::new(DType::Float64, [m, n], 1.0, false, &mut Random(1)).operator();
    for (damping, launches, values) in [(0.0, 5, 6 * n + m), (0.5, 7, 7 * n + m)] {
        let found = iteration(&a, |iterations| Lsqr {
            damping,
            stop: Stop::after(iterations),
            check_every: 100,
        });
        assert_eq!(found.0, launches);
        let scalars = found.1 / 8 - values;
        assert!(scalars < n / 2, "{scalars} scalars");
    }
}

#[test]
fn lsmr() {
    let [m, n] = [500, 100];
    let a = Problem::new(DType::Float64, [m, n], 1.0, false, &mut Random(1)).operator();
    for (damping, launches, values) in [(0.0, 8, 10 * n + m), (0.5, 10, 11 * n + m)] {
        let found = iteration(&a, |iterations| Lsmr {
            damping,
            stop: Stop::after(iterations),
            check_every: 100,
        });
        assert_eq!(found.0, launches);
        let scalars = found.1 / 8 - values;
        assert!(scalars < n, "{scalars} scalars");
    }
}

#[test]
fn minres() {
    let n = 310;
    let system = System::hermitian(DType::Float64, &spread(n, 1.0, 30.0), &mut Random(1));
    let found = iteration(&system.operator(), |iterations| Minres {
        stop: Stop::after(iterations),
        check_every: 100,
    });
    assert_eq!(found.0, 7);
    assert_eq!(found.1 / 8 / n, 13, "{} values", found.1 / 8);
}

#[test]
fn bicgstab() {
    let n = 310;
    let system = System::hermitian(DType::Float64, &spread(n, 1.0, 30.0), &mut Random(1));
    let a = system.operator();
    for (preconditioner, launches, values) in [(None, 13, 23), (Some(system.operator()), 14, 25)] {
        let found = iteration(&a, |iterations| BiCgStab {
            preconditioner: preconditioner.clone(),
            stop: Stop::after(iterations),
            check_every: 100,
        });
        assert_eq!(found.0, launches);
        assert_eq!(found.1 / 8 / n, values, "{} values", found.1 / 8);
    }
}

/// With a diagonal operator, whose cost is known: products with the basis count here.
#[test]
fn gmres() {
    let n = 3000;
    let space = Space::new([n], DType::Float64).unwrap();
    let weights = array(DType::Float64, &Random(4).numbers(DType::Float64, n), &[n]);
    let a = Diagonal::new(space, weights.into_shared()).unwrap();
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    let y = array(DType::Float64, &Random(3).numbers(DType::Float64, n), &[n]);
    let cost = |iterations| {
        let solver = Gmres { stop: Stop::after(iterations), check_every: 100, ..Gmres::default() };
        let mut workspace = solver.workspace(&a, &*trace).unwrap();
        solver.solve_in(&mut workspace, &*trace, &a, y.view(), None, &mut ()).unwrap();
        let steps = trace.steps();
        let _ = trace.take();
        let total = |(launches, bytes), (_, cost): &(_, arrayspan_kernels::Cost)| {
            (launches + cost.launches, bytes + cost.bytes())
        };
        steps.iter().fold((0, 0), total)
    };
    let [short, long] = [4, 5].map(cost);
    // One application of the operator, iteration 4, and a vector more to be added to the model.
    assert_eq!(long.0 - short.0, 1 + 14);
    let values = (long.1 - short.1) / 8 / n;
    assert_eq!(values, 3 + 4 * 4 + 13 + 1);
}

#[test]
fn single_reduction_cg() {
    let n = 310;
    let system = System::hermitian(DType::Float64, &spread(n, 1.0, 30.0), &mut Random(1));
    let a = system.operator();
    for (preconditioner, launches, values) in [(None, 5, 15), (Some(system.operator()), 6, 17)] {
        let found = iteration(&a, |iterations| SingleReductionCg {
            preconditioner: preconditioner.clone(),
            stop: Stop::after(iterations),
            check_every: 100,
        });
        assert_eq!(found.0, launches);
        assert_eq!(found.1 / 8 / n, values, "{} values", found.1 / 8);
    }
}

#[test]
fn single_reduction_cgls() {
    let [m, n] = [500, 100];
    let a = Problem::new(DType::Float64, [m, n], 1.0, false, &mut Random(1)).operator();
    for (damping, launches, values) in [(0.0, 10, 7 * n + 11 * m), (0.5, 13, 13 * n + 11 * m)] {
        let found = iteration(&a, |iterations| SingleReductionCgls {
            damping,
            stop: Stop::after(iterations),
            check_every: 100,
        });
        assert_eq!(found.0, launches);
        let scalars = found.1 / 8 - values;
        assert!(scalars < n / 2, "{scalars} scalars");
    }
}
