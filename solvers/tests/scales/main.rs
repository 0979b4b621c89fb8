//! Data, models and operators of every size: as if they were of everyday size, but for a factor.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod limits;
#[path = "../support/mod.rs"]
mod support;

use std::ops::ControlFlow;

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::on;
use arrayspan_operators::{Diagonal, Space};
use arrayspan_solvers::{Cgls, Progress, Solution, Solver, Stop, Stopped};
use num_complex::Complex64;
use support::{Problem, Random, array, distance, epsilon, values};

const DTYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// Powers of two about 1e±20 and 1e±30, or 1e±170 and 1e±200: far beyond what the dtype can square. Arithmetic is the
/// same to the last bit, but for the exponents.
fn far(dtype: DType) -> [f64; 4] {
    match dtype.real() {
        DType::Float32 => [-100, -66, 66, 100],
        _ => [-660, -565, 565, 660],
    }
    .map(|exponent| 2.0_f64.powi(exponent))
}

fn scaled(problem: &Problem, matrix: f64, data: f64) -> Problem {
    let times = |values: &[Complex64], factor: f64| {
        values.iter().map(|v| support::rounded(problem.dtype, v * factor)).collect()
    };
    Problem {
        matrix: times(&problem.matrix, matrix),
        y: times(&problem.y, data),
        ..problem.clone()
    }
}

#[track_caller]
fn near(
    found: &Solution,
    reference: &Solution,
    [model, data]: [f64; 2],
    tolerance: f64,
    what: &str,
) {
    let unscaled: Vec<Complex64> = values(&found.x).iter().map(|v| v / model).collect();
    let off = distance(&unscaled, &values(&reference.x));
    assert!(off <= tolerance, "{what}: off by {off:e}, {:?}", found.stopped);
    let len = found.residuals.len().min(reference.residuals.len());
    for (at, (found, expected)) in found.residuals.iter().zip(&reference.residuals).enumerate() {
        let off = (found / data - expected).abs();
        assert!(off <= tolerance * reference.residuals[0], "{what}: residual {at}: {found}");
    }
    assert!(len > 3, "{what}: {len} residuals");
}

#[test]
fn data_of_any_size_are_solved_alike() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [40, 12], 3.0, false, &mut Random(1));
        let start = Random(2).numbers(dtype, 12);
        for damping in [0.0, 0.5] {
            for started in [false, true] {
                let solve = |problem: &Problem, factor: f64| {
                    let start: Vec<_> = start.iter().map(|v| v * factor).collect();
                    let start = started.then(|| array(dtype, &start, &[12]));
                    let solver = Cgls { damping, ..Cgls::default() };
                    let (a, y) = (problem.operator(), problem.data());
                    solver.solve_from(&a, &y, start, &mut ()).unwrap()
                };
                let reference = solve(&problem, 1.0);
                assert!(matches!(reference.stopped, Stopped::Gradient | Stopped::Precision));
                for factor in far(dtype) {
                    let what = format!("{dtype} {damping} {started} {factor:e}");
                    let found = solve(&scaled(&problem, 1.0, factor), factor);
                    near(&found, &reference, [factor, factor], 4.0 * epsilon(dtype), &what);
                }
            }
        }
    }
}

#[test]
fn operators_of_any_size_are_inverted_alike() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [40, 12], 3.0, false, &mut Random(3));
        for damping in [0.0, 0.5] {
            let solve = |problem: &Problem, damping| {
                let solver = Cgls { damping, ..Cgls::default() };
                solver.solve(&problem.operator(), problem.data()).unwrap()
            };
            let reference = solve(&problem, damping);
            for factor in far(dtype) {
                let found = solve(&scaled(&problem, factor, 1.0), damping * factor);
                let what = format!("{dtype} {damping} {factor:e}");
                near(&found, &reference, [1.0 / factor, 1.0], 4.0 * epsilon(dtype), &what);
            }
        }
    }
}

#[test]
fn an_observer_sees_the_solution_in_its_own_size() {
    let problem = Problem::new(DType::Float32, [20, 5], 1.0, false, &mut Random(4));
    let problem = scaled(&problem, 1.0, 1e-25);
    let mut last = Vec::new();
    let mut watch = |progress: &Progress<'_>| {
        last = progress.solution.to_vec::<f32>().unwrap();
        assert!(progress.residual < 1e-24 && progress.residual > 1e-27);
        assert!(progress.gradient < 1e-23);
        ControlFlow::Continue(())
    };
    let (a, y) = (problem.operator(), problem.data());
    let solution = Cgls::default().solve_from(&a, &y, None, &mut watch).unwrap();
    assert_eq!(last, solution.x.view().to_vec::<f32>().unwrap());
}

#[test]
fn tolerances_are_relative_to_the_data() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [30, 10], 3.0, true, &mut Random(5));
        let stop = Stop { residual: 1e-3, ..Stop::after(100) };
        let solver = Cgls { stop, check_every: 1, ..Cgls::default() };
        let solve = |problem: &Problem| solver.solve(&problem.operator(), problem.data()).unwrap();
        let reference = solve(&problem);
        assert_eq!(reference.stopped, Stopped::Residual);
        for factor in far(dtype) {
            let found = solve(&scaled(&problem, 1.0, factor));
            assert_eq!(
                (found.stopped, found.iterations),
                (reference.stopped, reference.iterations)
            );
        }
    }
}

/// Products of two small numbers underflow long before the numbers do.
#[test]
fn small_complex_data_are_solved() {
    let weights: Vec<Complex64> = (1..=4).map(|i| f64::from(i).into()).collect();
    let space = Space::new([4], DType::Complex64).unwrap();
    let weights = array(DType::Complex64, &weights, &[4]).into_shared();
    let a = Diagonal::new(space, weights).unwrap();
    for size in [1e-6, 1e-12, 1e-30, 1e10, 1e30] {
        let y: Vec<Complex64> =
            (1..=4).map(|i| Complex64::new(size, -size * f64::from(i))).collect();
        let solution = Cgls::default().solve(&a, array(DType::Complex64, &y, &[4])).unwrap();
        let expected: Vec<Complex64> =
            y.iter().enumerate().map(|(i, y)| y / (i + 1) as f64 / size).collect();
        let found: Vec<Complex64> = values(&solution.x).iter().map(|v| v / size).collect();
        let off = distance(&found, &expected);
        assert!(off < 1e-5, "{size:e}: off by {off:e}, {:?}", solution.stopped);
    }
}

#[test]
fn a_solution_beyond_the_dtype_is_named() {
    let problem = Problem::new(DType::Float32, [20, 5], 1.0, false, &mut Random(6));
    let problem = scaled(&problem, 1e-20, 1e30);
    let solution = Cgls::default().solve(&problem.operator(), problem.data()).unwrap();
    assert_eq!(solution.stopped, Stopped::NotFinite);
}

#[test]
fn every_kind_of_opencl_and_cuda_device_scales_alike() {
    for device in Device::all().into_iter().filter(|device| !device.is_cpu()) {
        let problem = Problem::new(DType::Complex64, [40, 12], 3.0, false, &mut Random(8));
        let reference = Cgls::default().solve(&problem.operator(), problem.data()).unwrap();
        for factor in [1.0, 1e-30, 1e30] {
            let problem = scaled(&problem, 1.0, factor);
            let matrix =
                array(problem.dtype, &problem.matrix, &[40, 12]).into_device(device).unwrap().0;
            let a = arrayspan_operators::MatrixMult::new(matrix.into_shared(), &[]).unwrap();
            let y = problem.data().into_device(device).unwrap().0;
            let executor = on(device).unwrap();
            let solver = Cgls::default();
            let mut workspace = solver.workspace(&a, &*executor).unwrap();
            let mut solution =
                solver.solve_in(&mut workspace, &*executor, &a, y.view(), None, &mut ()).unwrap();
            solution.x = solution.x.into_device(Device::cpu()).unwrap().0;
            near(&solution, &reference, [factor, factor], 1e-4, &format!("{device} {factor:e}"));
        }
    }
}

#[test]
fn gradients_beyond_the_range_of_all_numbers_are_followed_all_the_same() {
    for (operator, data) in [(1e-160, 1e-160), (1e-200, 1e-250), (1e160, 1e160), (1e200, 1e250)] {
        let problem = Problem::new(DType::Float64, [20, 7], 3.0, false, &mut Random(5));
        let (exact, _) = problem.solution(0.0);
        let mut scaled = problem.clone();
        scaled.matrix.iter_mut().for_each(|entry| *entry *= operator);
        scaled.y.iter_mut().for_each(|value| *value *= data);
        let solver = Cgls { stop: Stop::after(100), ..Cgls::default() };
        let solution = solver.solve(&scaled.operator(), scaled.data()).unwrap();
        let found: Vec<_> = values(&solution.x).iter().map(|x| x / (data / operator)).collect();
        let off = distance(&found, &exact);
        assert!(off < 1e-12, "{operator:e} {data:e}: off by {off:e}, {:?}", solution.stopped);
    }
}
