//! Conjugate gradients with one reduction an iteration: the same results as with two.

use arrayspan_bridge::DType;
use arrayspan_operators::{Diagonal, Identity, LinearMap, Space};
use arrayspan_solvers::{Cg, Cgls, SingleReductionCg, SingleReductionCgls, Solver, Stop, Stopped};
use num_complex::Complex64;

use super::support::{self, Problem, Random, array, distance, epsilon, values};
use super::{DTYPES, System, devices, left, off, on_device, spread};

fn cg(iterations: usize, check_every: usize) -> SingleReductionCg {
    let stop = Stop::after(iterations);
    SingleReductionCg { stop, check_every, ..SingleReductionCg::default() }
}

fn cgls(damping: f64, iterations: usize, check_every: usize) -> SingleReductionCgls {
    SingleReductionCgls { damping, stop: Stop::after(iterations), check_every }
}

fn system(dtype: DType, condition: f64) -> System {
    System::hermitian(dtype, &spread(31, 1.0, condition), &mut Random(1))
}

#[test]
fn positive_systems_are_solved_on_every_device_in_every_dtype() {
    for dtype in DTYPES {
        for device in devices(dtype) {
            let system = system(dtype, 30.0);
            let solution = on_device(&cg(200, 10), &system, device);
            assert_eq!(solution.stopped, Stopped::Precision, "{device} {dtype}");
            assert!(off(&solution, &system) < 100.0 * epsilon(dtype), "{device} {dtype}");
        }
    }
}

#[test]
fn iterates_and_residuals_are_those_of_two_reductions() {
    let system = system(DType::Complex128, 30.0);
    let (a, y) = (system.operator(), system.data());
    let m = (3.0 * Identity::new(a.domain().clone()).unwrap()).build().unwrap();
    for preconditioner in [None, Some(m)] {
        for (iterations, check_every) in [(1, 1), (2, 5), (9, 4), (9, 9)] {
            let stop = Stop::after(iterations);
            let two = Cg { preconditioner: preconditioner.clone(), stop, check_every };
            let expected = two.solve(&a, &y).unwrap();
            let one = cg(iterations, check_every);
            let one = SingleReductionCg { preconditioner: preconditioner.clone(), ..one };
            let found = one.solve(&a, &y).unwrap();
            assert!(distance(&values(&found.x), &values(&expected.x)) < 1e-12);
            for (found, expected) in found.residuals.iter().zip(&expected.residuals) {
                assert!((found - expected).abs() < 1e-12 * expected);
            }
        }
    }
    for damping in [0.0, 1.5] {
        let problem = Problem::new(DType::Complex128, [37, 12], 3.0, false, &mut Random(1));
        let (a, y) = (problem.operator(), problem.data());
        for iterations in [1, 2, 5, 9] {
            let found = cgls(damping, iterations, 4).solve(&a, &y).unwrap();
            let stop = Stop::after(iterations);
            let expected = Cgls { damping, stop, ..Cgls::default() }.solve(&a, &y).unwrap();
            assert!(distance(&values(&found.x), &values(&expected.x)) < 1e-11);
            for (found, expected) in found.residuals.iter().zip(&expected.residuals) {
                assert!((found - expected).abs() < 1e-11 * expected, "{damping}");
            }
        }
    }
}

/// A recurrence for the residual's image, as pipelined methods have it, ends a thousand times earlier.
#[test]
fn ill_conditioned_systems_are_solved_as_far_as_with_two_reductions() {
    for dtype in DTYPES {
        let narrow = epsilon(dtype) > 1e-10;
        for condition in if narrow { [1e2, 1e3, 1e4] } else { [1e3, 1e5, 1e7] } {
            let system = system(dtype, condition);
            let (a, y) = (system.operator(), system.data());
            let one = cg(5000, 50).solve(&a, &y).unwrap();
            let two = Cg { stop: Stop::after(5000), check_every: 50, ..Cg::default() };
            let two = two.solve(&a, &y).unwrap();
            let [found, expected] = [&one, &two].map(|solution| left(&system, &solution.x));
            let what = format!("{dtype} {condition:e}: {found:e}, {expected:e}");
            assert!(found < 10.0 * expected.max(epsilon(dtype)), "{what}, {:?}", one.stopped);
        }
        for spread in if narrow { [1e1, 1e2, 3e2] } else { [1e2, 1e4, 1e6] } {
            for explained in [false, true] {
                let problem = Problem::new(dtype, [40, 12], spread, explained, &mut Random(7));
                let (a, y) = (problem.operator(), problem.data());
                let one = cgls(0.0, 20_000, 50).solve(&a, &y).unwrap();
                let (exact, reach) = problem.solution(0.0);
                let off = distance(&values(&one.x), &exact);
                let what = format!("{dtype} {spread:e} {explained}: {off:e}, {:?}", one.stopped);
                assert!(off < 10.0 * reach * epsilon(dtype), "{what}");
            }
        }
    }
}

#[test]
fn ten_thousand_iterations_too_many_change_nothing() {
    for dtype in DTYPES {
        let most = if dtype == DType::Float32 { 10_000 } else { 1000 };
        for condition in [1.0, 30.0, 1e3] {
            let system = system(dtype, condition);
            let (a, y) = (system.operator(), system.data());
            let first = cg(most, 1).solve(&a, &y).unwrap();
            let long = cg(most, most).solve(&a, &y).unwrap();
            assert_eq!(values(&first.x), values(&long.x), "{dtype} {condition}");
            assert_eq!(first.residuals, long.residuals);
            let bound = 100.0 * condition * epsilon(dtype);
            assert!(off(&long, &system) < bound, "{dtype} {condition}: {}", off(&long, &system));
        }
        for damping in [0.0, 0.7] {
            let problem = Problem::new(dtype, [40, 12], 10.0, false, &mut Random(7));
            let (a, y) = (problem.operator(), problem.data());
            let first = cgls(damping, most, 1).solve(&a, &y).unwrap();
            let long = cgls(damping, most, most).solve(&a, &y).unwrap();
            assert_eq!(values(&first.x), values(&long.x), "{dtype} {damping}");
            assert_eq!(long.stopped, Stopped::Precision, "{dtype} {damping}");
            let (exact, reach) = problem.solution(damping);
            let off = distance(&values(&long.x), &exact);
            assert!(off < 8.0 * reach * epsilon(dtype), "{dtype} {damping}: {off:e}");
        }
    }
}

#[test]
fn sizes_of_any_order_are_solved_alike() {
    let system = system(DType::Float32, 30.0);
    let problem = Problem::new(DType::Float32, [37, 12], 3.0, false, &mut Random(1));
    let (exact, _) = problem.solution(0.0);
    for [operator, data] in
        [[1.0, 1e-20], [1.0, 1e20], [1e20, 1.0], [1e-20, 1.0], [1e20, 1e20], [1e-20, 1e-20]]
    {
        let scaled = system.scaled(operator, data);
        let solution = cg(200, 10).solve(&scaled.operator(), scaled.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Precision, "{operator:e} {data:e}");
        assert!(off(&solution, &scaled) < 1e-5, "{operator:e} {data:e}");
        let times = |values: &[Complex64], factor: f64| -> Vec<Complex64> {
            values.iter().map(|v| support::rounded(DType::Float32, v * factor)).collect()
        };
        let (matrix, y) = (times(&problem.matrix, operator), times(&problem.y, data));
        let scaled = Problem { matrix, y, ..problem.clone() };
        let solution = cgls(0.0, 200, 10).solve(&scaled.operator(), scaled.data()).unwrap();
        let x: Vec<_> = values(&solution.x).iter().map(|x| x * operator / data).collect();
        let off = distance(&x, &exact);
        assert!(off < 1e-5, "{operator:e} {data:e}: {off:e}");
    }
}

#[test]
fn zero_and_what_is_not_finite_have_an_outcome() {
    for dtype in DTYPES {
        for (value, stopped) in [
            (0.0, Stopped::Gradient),
            (f64::NAN, Stopped::NotFinite),
            (f64::INFINITY, Stopped::NotFinite),
        ] {
            let y = || array(dtype, &[value.into(); 31], &[31]);
            let a = system(dtype, 30.0).operator();
            assert_eq!(cg(20, 10).solve(&a, y()).unwrap().stopped, stopped, "{dtype} {value}");
            let solution = cgls(0.5, 20, 10).solve(&a, y()).unwrap();
            assert_eq!(solution.stopped, stopped, "{dtype} {value}");
        }
    }
}

#[test]
fn what_is_not_positive_is_named() {
    for dtype in DTYPES {
        let mut eigenvalues = spread(31, 1.0, 30.0);
        eigenvalues[3] = -2.0;
        let system = System::hermitian(dtype, &eigenvalues, &mut Random(2));
        let solution = cg(1000, 10).solve(&system.operator(), system.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Indefinite, "{dtype}");
        assert!(values(&solution.x).iter().all(|x| x.is_finite()));
        let space = Space::new([3], dtype).unwrap();
        let diagonal = |weights: [f64; 3]| {
            let weights = array(dtype, &weights.map(Complex64::from), &[3]).into_shared();
            Diagonal::new(space.clone(), weights).unwrap()
        };
        let y = array(dtype, &[Complex64::ONE; 3], &[3]);
        let preconditioner = Some(diagonal([1.0, -3.0, 1.0]));
        let solver = SingleReductionCg { preconditioner, ..cg(20, 10) };
        let solution = solver.solve(&diagonal([1.0, 2.0, 3.0]), &y).unwrap();
        assert_eq!(solution.stopped, Stopped::Indefinite, "{dtype}");
    }
}

#[test]
fn a_start_is_gone_on_from() {
    for dtype in DTYPES {
        let system = system(dtype, 30.0);
        let (a, y) = (system.operator(), system.data());
        let start = || Some(array(dtype, &Random(5).numbers(dtype, 31), &[31]));
        let solution = cg(200, 10).solve_from(&a, &y, start(), &mut ()).unwrap();
        assert!(off(&solution, &system) < 100.0 * epsilon(dtype), "{dtype}");
        let problem = Problem::new(dtype, [37, 12], 3.0, false, &mut Random(1));
        let (a, y) = (problem.operator(), problem.data());
        for damping in [0.0, 0.7] {
            let start = Some(array(dtype, &Random(5).numbers(dtype, 12), &[12]));
            let solution = cgls(damping, 200, 7).solve_from(&a, &y, start, &mut ()).unwrap();
            let (exact, reach) = problem.solution(damping);
            let off = distance(&values(&solution.x), &exact);
            assert!(off < 8.0 * reach * epsilon(dtype), "{dtype} {damping}: {off:e}");
        }
    }
}
