//! Conjugate gradients.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{Conj, Diagonal, Identity, LinearMap, MatrixMult, Space};
use arrayspan_solvers::{Cg, Error, Solver, Stop, Stopped};
use num_complex::Complex64;

use super::support::{self, Random, array, epsilon, values};
use super::{DTYPES, System, devices, left, off, on_device, spread};

fn far(iterations: usize) -> Cg {
    Cg { stop: Stop::after(iterations), check_every: iterations.max(1), ..Cg::default() }
}

fn system(dtype: DType, condition: f64) -> System {
    System::hermitian(dtype, &spread(31, 1.0, condition), &mut Random(1))
}

#[test]
fn positive_systems_are_solved_on_every_device_in_every_dtype() {
    for dtype in DTYPES {
        for device in devices(dtype) {
            let system = system(dtype, 30.0);
            let solution = on_device(&far(200), &system, device);
            assert_eq!(solution.stopped, Stopped::Precision, "{device} {dtype}");
            assert!(off(&solution, &system) < 100.0 * epsilon(dtype), "{device} {dtype}");
        }
    }
}

#[test]
fn the_history_is_that_of_the_true_residuals_whatever_is_checked() {
    let system = system(DType::Float64, 30.0);
    let (a, y) = (system.operator(), system.data());
    let all = far(10).solve(&a, &y).unwrap();
    assert_eq!((all.iterations, all.stopped), (10, Stopped::Iterations));
    let size = support::norm(&system.y);
    for iterations in 0..10 {
        let solution = Cg { check_every: 3, ..far(iterations) }.solve(&a, &y).unwrap();
        let expected = left(&system, &solution.x) * size;
        assert!((all.residuals[iterations] - expected).abs() < 1e-12 * size);
        assert_eq!(solution.residuals[..], all.residuals[..=iterations]);
    }
}

#[test]
fn ten_thousand_iterations_too_many_change_nothing() {
    for dtype in DTYPES {
        let most = if dtype == DType::Float32 { 10_000 } else { 1000 };
        for condition in [1.0, 30.0, 1e3] {
            let system = system(dtype, condition);
            let (a, y) = (system.operator(), system.data());
            let first = Cg { check_every: 1, ..far(most) }.solve(&a, &y).unwrap();
            let long = far(most).solve(&a, &y).unwrap();
            assert_eq!(values(&first.x), values(&long.x), "{dtype} {condition}");
            assert_eq!(first.residuals, long.residuals);
            let bound = 100.0 * condition * epsilon(dtype);
            assert!(off(&long, &system) < bound, "{dtype} {condition}: {}", off(&long, &system));
        }
    }
}

#[test]
fn sizes_of_any_order_are_solved_alike() {
    let system = system(DType::Float32, 30.0);
    let reference = far(100).solve(&system.operator(), system.data()).unwrap();
    for [operator, data] in
        [[1.0, 1e-20], [1.0, 1e20], [1e20, 1.0], [1e-20, 1.0], [1e20, 1e20], [1e-20, 1e-20]]
    {
        let system = system.scaled(operator, data);
        let solution = far(100).solve(&system.operator(), system.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Precision, "{operator:e} {data:e}");
        let off = off(&solution, &system);
        assert!(off < 1e-5, "{operator:e} {data:e}: {off:e}");
        assert!(solution.residuals.len() <= reference.residuals.len() + 3);
    }
    let beyond = system.scaled(1e-20, 1e30);
    let solution = far(100).solve(&beyond.operator(), beyond.data()).unwrap();
    assert_eq!(solution.stopped, Stopped::NotFinite);
}

#[test]
fn operators_that_are_not_positive_are_named() {
    for dtype in DTYPES {
        let mut eigenvalues = spread(31, 1.0, 30.0);
        eigenvalues[3] = -2.0;
        let system = System::hermitian(dtype, &eigenvalues, &mut Random(2));
        let solution = far(1000).solve(&system.operator(), system.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Indefinite, "{dtype}");
        // What came before stays, and is named again however long it goes on.
        assert!(values(&solution.x).iter().all(|x| x.is_finite()));
        let short = Cg { check_every: 1, ..far(1000) };
        let short = short.solve(&system.operator(), system.data()).unwrap();
        assert_eq!(values(&short.x), values(&solution.x));
        assert_eq!(short.iterations, solution.iterations);
    }
}

#[test]
fn singular_operators_are_solved_where_they_can_be_and_named_where_not() {
    for dtype in DTYPES {
        let mut eigenvalues = spread(31, 1.0, 30.0);
        (eigenvalues[0], eigenvalues[7]) = (0.0, 0.0);
        let system = System::hermitian(dtype, &eigenvalues, &mut Random(3));
        // The data are in the range: they are `A truth`.
        let solution = far(1000).solve(&system.operator(), system.data()).unwrap();
        let left = left(&system, &solution.x);
        assert!(left < 1e3 * epsilon(dtype), "{dtype}: {left:e}, {:?}", solution.stopped);
        // And now they are not.
        let mut beside = system.clone();
        beside.y = Random(4).numbers(dtype, 31);
        let solution = far(2000).solve(&beside.operator(), beside.data()).unwrap();
        assert!(
            matches!(solution.stopped, Stopped::Singular | Stopped::Indefinite),
            "{dtype}: {:?} after {}",
            solution.stopped,
            solution.iterations
        );
        assert!(values(&solution.x).iter().all(|x| x.is_finite()));
    }
    let zero = Diagonal::new(
        Space::new([5], DType::Float64).unwrap(),
        Array::from_slice(&[0.0; 5], [5]).unwrap(),
    );
    let solution = far(10).solve(&zero.unwrap(), Array::from_slice(&[1.0; 5], [5]).unwrap());
    assert_eq!(solution.unwrap().stopped, Stopped::Singular);
}

#[test]
fn zero_data_and_data_that_are_not_finite_have_an_outcome() {
    for dtype in DTYPES {
        let system = system(dtype, 30.0);
        for (value, stopped) in [
            (0.0, Stopped::Gradient),
            (f64::NAN, Stopped::NotFinite),
            (f64::INFINITY, Stopped::NotFinite),
        ] {
            let y = array(dtype, &[value.into(); 31], &[31]);
            let solution = far(20).solve(&system.operator(), y).unwrap();
            assert_eq!(solution.stopped, stopped, "{dtype} {value}");
            if value == 0.0 {
                assert_eq!((solution.iterations, support::norm(&values(&solution.x))), (0, 0.0));
            }
        }
    }
}

#[test]
fn a_start_is_gone_on_from() {
    for dtype in DTYPES {
        let system = system(dtype, 30.0);
        let (a, y) = (system.operator(), system.data());
        let start = || array(dtype, &Random(5).numbers(dtype, 31), &[31]);
        let solution = far(200).solve_from(&a, &y, Some(start()), &mut ()).unwrap();
        assert!(off(&solution, &system) < 100.0 * epsilon(dtype), "{dtype}");
        // At the solution there is nothing to do.
        let again = far(200).solve_from(&a, &y, Some(solution.x), &mut ()).unwrap();
        assert!(off(&again, &system) < 100.0 * epsilon(dtype), "{dtype}");
    }
}

#[test]
fn the_inverse_as_a_preconditioner_solves_at_once() {
    for dtype in [DType::Float64, DType::Complex64] {
        for device in devices(dtype) {
            let space = Space::new([31], dtype).unwrap();
            let weights: Vec<Complex64> = spread(31, 1.0, 1e4).iter().map(|&w| w.into()).collect();
            let inverse: Vec<Complex64> = weights.iter().map(|w| 1.0 / w).collect();
            let diagonal = |weights: &[Complex64]| {
                let weights = array(dtype, weights, &[31]).into_device(device).unwrap().0;
                Diagonal::new(space.clone(), weights.into_shared()).unwrap()
            };
            let y = || array(dtype, &weights, &[31]).into_device(device).unwrap().0;
            let plain = far(12).solve(&diagonal(&weights), y()).unwrap();
            assert_eq!(plain.stopped, Stopped::Iterations);
            let solver = Cg { preconditioner: Some(diagonal(&inverse)), ..far(12) };
            let solution = solver.solve(&diagonal(&weights), y()).unwrap();
            assert_eq!(solution.stopped, Stopped::Precision, "{device} {dtype}");
            assert!(solution.iterations <= 3, "{device} {dtype}: {}", solution.iterations);
            let x = values(
                &solution.x.into_device(arrayspan_bridge::devices::Device::cpu()).unwrap().0,
            );
            assert!(x.iter().all(|x| (x - 1.0).norm() < 100.0 * epsilon(dtype)));
        }
    }
}

/// `x + conj(x)/2`, which is linear over the real numbers only, and self-adjoint by `Re <·,·>`.
#[test]
fn real_linear_operators_are_solved() {
    let space = Space::new([9], DType::Complex128).unwrap();
    let half = (0.5 * Conj::new(space.clone()).unwrap()).build().unwrap();
    let a = (Identity::new(space).unwrap() + half).build().unwrap();
    assert!(!a.properties().complex_linear);
    let truth = Random(6).numbers(DType::Complex128, 9);
    let y: Vec<_> = truth.iter().map(|x| x + x.conj() * 0.5).collect();
    let solution = far(10).solve(&a, array(DType::Complex128, &y, &[9])).unwrap();
    assert!(support::distance(&values(&solution.x), &truth) < 1e-14);
    assert!(solution.iterations <= 3, "two eigenvalues: {}", solution.iterations);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let matrix = Array::from_slice(&[1.0; 12], [4, 3]).unwrap();
    let wide = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
    let y = Array::from_slice(&[1.0; 4], [4]).unwrap();
    let error = Cg::default().solve(&wide, &y).unwrap_err();
    assert!(matches!(error, Error::Parameter { solver: "Cg", .. }), "{error:?}");
    let space = |n: usize| Space::new([n], DType::Float64).unwrap();
    let identity = |n| Identity::new(space(n)).unwrap();
    let solver = Cg { preconditioner: Some(identity(5)), ..Cg::default() };
    let error = solver.solve(&identity(4), &y).unwrap_err().to_string();
    assert!(error.contains("preconditioner") && error.contains("[5]"), "{error}");
    // A workspace without room for what the preconditioner makes.
    let host = arrayspan_kernels::on(y.device()).unwrap();
    let a = identity(4);
    let mut workspace = Cg::default().workspace(&a, &*host).unwrap();
    let solver = Cg { preconditioner: Some(identity(4)), ..Cg::default() };
    let result = solver.solve_in(&mut workspace, &*host, &a, y.view(), None, &mut ());
    assert!(matches!(result, Err(Error::Workspace { expected: 32, found: 0, .. })));
    assert_eq!(a.domain(), &space(4));
}

#[test]
fn a_workspace_with_room_for_a_preconditioner_serves_without_one() {
    let system = system(DType::Float64, 30.0);
    let (a, y) = (system.operator(), system.data());
    let host = arrayspan_kernels::on(y.device()).unwrap();
    let identity = Identity::new(a.domain().clone()).unwrap();
    let conditioned = Cg { preconditioner: Some(identity), ..far(9) };
    let mut workspace = conditioned.workspace(&a, &*host).unwrap();
    let expected = far(9).solve(&a, &y).unwrap();
    for _ in 0..2 {
        let found = far(9).solve_in(&mut workspace, &*host, &a, y.view(), None, &mut ()).unwrap();
        assert_eq!(values(&found.x), values(&expected.x), "{:?}", found.stopped);
        conditioned.solve_in(&mut workspace, &*host, &a, y.view(), None, &mut ()).unwrap();
    }
}

/// `M` is as good as `A⁻¹`, but for a factor that is far from 1.
#[test]
fn preconditioners_of_any_size_do_the_same() {
    for dtype in DTYPES {
        let system = system(dtype, 30.0);
        let (a, y) = (system.operator(), system.data());
        let plain = far(12).solve(&a, &y).unwrap();
        for size in [1e-30, 1e-16, 1e-8, 1e8, 1e16, 1e30] {
            let identity = Identity::new(a.domain().clone()).unwrap();
            let m = (size * identity).build().unwrap();
            for check_every in [1, 5] {
                let preconditioner = Some(m.clone());
                let solver = Cg { preconditioner, check_every, ..far(12) };
                let solution = solver.solve(&a, &y).unwrap();
                let what = format!("{dtype} {size:e}: {:?}", solution.stopped);
                assert_eq!(solution.iterations, 12, "{what}");
                let apart = support::distance(&values(&solution.x), &values(&plain.x));
                assert!(apart < 1e4 * epsilon(dtype), "{what}: {apart:e}");
            }
            let long = Cg { preconditioner: Some(m), ..far(1000) }.solve(&a, &y).unwrap();
            assert_eq!(long.stopped, Stopped::Precision, "{dtype} {size:e}");
            assert!(off(&long, &system) < 100.0 * epsilon(dtype), "{dtype} {size:e}");
        }
    }
}

/// `<r, M r> = 0`: neither a solution nor a direction.
#[test]
fn preconditioners_that_map_a_residual_to_nothing_along_it_are_named() {
    for dtype in DTYPES {
        let space = Space::new([2], dtype).unwrap();
        let one = Complex64::ONE;
        let none = Complex64::ZERO;
        for (weights, y) in
            [([0.0, 1.0], [one, none]), ([1.0, -1.0], [one, one]), ([0.0, 0.0], [one, none])]
        {
            let weights = array(dtype, &weights.map(Complex64::from), &[2]).into_shared();
            let m = Diagonal::new(space.clone(), weights).unwrap();
            for check_every in [1, 10] {
                let solver = Cg { preconditioner: Some(m.clone()), check_every, ..far(20) };
                let a = Identity::new(space.clone()).unwrap();
                let solution = solver.solve(&a, array(dtype, &y, &[2])).unwrap();
                assert_eq!(solution.stopped, Stopped::Indefinite, "{dtype} {y:?}");
                assert!(values(&solution.x).iter().all(|x| *x == none));
            }
        }
    }
}

#[test]
fn preconditioners_that_are_not_positive_are_named() {
    for dtype in DTYPES {
        let space = Space::new([3], dtype).unwrap();
        let diagonal = |weights: [f64; 3]| {
            let weights = array(dtype, &weights.map(Complex64::from), &[3]).into_shared();
            Diagonal::new(space.clone(), weights).unwrap()
        };
        let y = array(dtype, &[Complex64::ONE; 3], &[3]);
        for weights in [[-1.0; 3], [1.0, -3.0, 1.0], [1.0, -1.0, 1.0]] {
            for check_every in [1, 10] {
                let preconditioner = Some(diagonal(weights));
                let solver = Cg { preconditioner, check_every, ..far(20) };
                let solution = solver.solve(&diagonal([1.0, 2.0, 3.0]), &y).unwrap();
                assert_eq!(solution.stopped, Stopped::Indefinite, "{dtype} {weights:?}");
                assert!(values(&solution.x).iter().all(|x| x.norm() < 1.0));
            }
        }
    }
}
