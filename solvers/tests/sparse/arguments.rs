//! What is wrong with arguments is said before anything is done.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::on;
use arrayspan_operators::{Identity, Space};
use arrayspan_solvers::{Error, Fista, Solver, Sparsity, Stop, Threshold};

use super::support::{Problem, Random, values};
use super::weighted;

#[test]
fn parameters_out_of_range_are_named() {
    let problem = Problem::new(DType::Float64, [5, 8], 1.5, false, &mut Random(8));
    let why = |solver: &Fista| match solver.solve(&problem.operator(), problem.data()) {
        Err(Error::Parameter { solver: "Fista", why }) => why,
        other => panic!("{other:?}"),
    };
    let with = |sparsity| Fista { sparsity, ..Fista::default() };
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(why(&with(weighted(weight))).contains("weight"));
    }
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(why(&Fista { step: Some(step), ..Fista::default() }).contains("step"));
    }
    let threshold = Threshold::HardKeeping(101.0);
    assert!(why(&with(Sparsity { threshold, ..weighted(0.1) })).contains("101"));
    assert!(why(&with(Sparsity { decay: vec![1.0, -2.0], ..weighted(0.1) })).contains("-2"));
    let basis = Some(Identity::new(Space::new([7], DType::Float64).unwrap()).unwrap());
    assert!(why(&with(Sparsity { basis, ..weighted(0.1) })).contains("basis"));
}

#[test]
fn a_workspace_of_another_sparsity_is_refused() {
    let problem = Problem::new(DType::Float64, [5, 8], 1.5, false, &mut Random(8));
    let (a, y, on) = (problem.operator(), problem.data(), on(Device::cpu()).unwrap());
    let plain = Fista { stop: Stop::after(5), ..Fista::default() };
    let basis = Some(Identity::new(Space::new([8], DType::Float64).unwrap()).unwrap());
    for sparsity in [
        Sparsity { basis, ..weighted(0.1) },
        Sparsity { threshold: Threshold::SoftKeeping(10.0), ..weighted(0.1) },
    ] {
        let mut workspace = plain.workspace(&a, &*on).unwrap();
        let solver = Fista { sparsity, ..plain.clone() };
        let failed = solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ());
        assert!(matches!(failed, Err(Error::Parameter { .. })), "{failed:?}");
        // Its own serves the plain one.
        let mut own = solver.workspace(&a, &*on).unwrap();
        let found = plain.solve_in(&mut own, &*on, &a, y.view(), None, &mut ()).unwrap();
        assert_eq!(found.iterations, 5);
    }
    let tries = Fista { backtracking: true, ..plain.clone() };
    let mut workspace = plain.workspace(&a, &*on).unwrap();
    let failed = tries.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ());
    assert!(matches!(failed, Err(Error::Parameter { .. })), "{failed:?}");
    let mut own = tries.workspace(&a, &*on).unwrap();
    let found = plain.solve_in(&mut own, &*on, &a, y.view(), None, &mut ()).unwrap();
    let expected = plain.solve(&a, &y).unwrap();
    assert_eq!((found.residuals, values(&found.x)), (expected.residuals, values(&expected.x)));
}
