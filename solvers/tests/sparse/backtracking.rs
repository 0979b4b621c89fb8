//! Steps that are tried: what backtracking finds is what the right step would have found.

use arrayspan_bridge::DType;
use arrayspan_operators::{
    FFT, Flip, FourierAxis, FourierNorm, LinearOperator, MatrixMult, Space, Spectrum,
};
use arrayspan_solvers::sparse::IterativeThresholding;
use arrayspan_solvers::{Fista, Ista, Solution, Solver, Sparsity, Stop, Stopped, Threshold};
use num_complex::Complex64;

use super::support::{Problem, Random, array, distance, first_elsewhere, norm, rounded, values};
use super::{DTYPES, eigenvalue, objectives, rounding, stays_to_the_bit, violation, weighted};

/// Until nothing changes, from a step on that is so many times `1/‖A‖²`.
fn tried<const ACCELERATED: bool>(
    problem: &Problem,
    times: Option<f64>,
    restart: bool,
    most: usize,
) -> Solution {
    let solver = IterativeThresholding::<ACCELERATED> {
        sparsity: weighted(0.4),
        step: times.map(|times| times / eigenvalue(problem, 1000)),
        backtracking: true,
        restart,
        stop: Stop { gradient: 0.0, residual: 0.0, ..Stop::after(most) },
        ..IterativeThresholding::default()
    };
    solver.solve(&problem.operator(), problem.data()).unwrap()
}

#[test]
fn whatever_the_first_step_the_solution_is_reached_and_ten_thousand_iterations_keep_it() {
    for dtype in DTYPES {
        for (seed, size) in [[30, 50], [50, 30], [1, 1], [7, 2]].into_iter().enumerate() {
            let problem = Problem::new(dtype, size, 1.5, false, &mut Random(seed as u64));
            let mut found = vec![
                (false, tried::<true>(&problem, Some(1e4), false, 10_000)),
                (false, tried::<false>(&problem, Some(1e4), false, 10_000)),
            ];
            for times in [None, Some(0.9), Some(3.0), Some(1e30)] {
                found.push((true, tried::<true>(&problem, times, true, 10_000)));
            }
            for (number, (restarted, solution)) in found.into_iter().enumerate() {
                let what = format!("{dtype} {size:?}, run {number}");
                let off = violation(&problem, &values(&solution.x), 0.4);
                // As without backtracking. The last digits of wide problems of complex numbers take longer.
                let bound = rounding(dtype).max(if restarted { 1e-10 } else { 1e-5 });
                assert!(off < bound, "{what}: {off:e} after {}", solution.iterations);
                let ended = matches!(solution.stopped, Stopped::Precision | Stopped::Gradient);
                let slow = !restarted || dtype == DType::Complex128;
                assert!(ended || slow, "{what}: {:?}", solution.stopped);
            }
        }
    }
}

#[test]
fn iterations_past_the_end_leave_every_bit() {
    let stop = Stop { gradient: 0.0, residual: 0.0, ..Stop::after(20_000) };
    let (sparsity, step) = (weighted(0.3), Some(100.0));
    let tries = Fista { sparsity, step, backtracking: true, restart: true, stop, check_every: 1 };
    stays_to_the_bit(&tries);
}

/// Columns that get smaller: what is tried there is no measure for what comes later.
#[test]
fn the_objective_of_ista_never_rises_and_steps_that_would_diverge_converge() {
    let problem = Problem::new(DType::Float64, [40, 60], 100.0, false, &mut Random(5));
    for step in [None, Some(1e3)] {
        let (sparsity, backtracking) = (weighted(0.1), true);
        let stop = Stop::after(400);
        let solver = Ista { sparsity, step, backtracking, stop, check_every: 1, ..Ista::default() };
        let found = objectives(&problem, &solver);
        assert!(found.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)), "{step:?}");
        assert!(found[400] < 0.9 * found[0], "{step:?}: {} of {}", found[400], found[0]);
    }
    // As in `steps_that_are_too_long_end_as_not_finite`.
    let problem = Problem::new(DType::Float32, [20, 30], 2.0, false, &mut Random(2));
    let step = Some(3.0 / eigenvalue(&problem, 1000));
    let (sparsity, stop) = (weighted(1e-3), Stop::after(5000));
    let solver = Ista { step, sparsity, stop, backtracking: true, ..Ista::default() };
    let solution = solver.solve(&problem.operator(), problem.data()).unwrap();
    assert_ne!(solution.stopped, Stopped::NotFinite);
    assert!(solution.residuals[solution.iterations] < 0.5 * solution.residuals[0]);
}

/// A step that is short enough is taken every time, so that iterations are those without backtracking, up to rounding.
#[test]
fn steps_that_are_short_enough_are_all_taken() {
    for (dtype, device) in first_elsewhere() {
        let problem = Problem::new(dtype, [23, 17], 1.5, false, &mut Random(4));
        let moved = |array: arrayspan_bridge::Array| array.to(device).unwrap().0;
        let y = moved(problem.data());
        let matrix = problem.operator().to_dense().unwrap();
        let a = MatrixMult::new(moved(matrix).into_shared(), &[]).unwrap();
        let flip = Flip::new(Space::new([17], dtype).unwrap(), &[0]).unwrap();
        let step = Some(0.9 / eigenvalue(&problem, 1000));
        for (threshold, basis) in [
            (Threshold::Soft, None),
            (Threshold::Hard, None),
            (Threshold::Half, None),
            (Threshold::SoftKeeping(40.0), None),
            (Threshold::Half, Some(flip)),
        ] {
            let what = format!("{device} {dtype} {threshold:?}");
            let decay = vec![2.0, 1.5, 1.0, 0.9];
            let sparsity = Sparsity { weight: 0.1, threshold, basis, decay };
            let stop = Stop { gradient: 0.0, residual: 0.0, ..Stop::after(13) };
            let near = |found: &Solution, expected: &Solution| {
                let home = |x: &arrayspan_bridge::Array| {
                    values(&x.view().to(arrayspan_bridge::devices::Device::cpu()).unwrap().0)
                };
                let off = distance(&home(&found.x), &home(&expected.x));
                assert!(off < rounding(dtype), "{what}: {off:e}");
                for (found, expected) in found.residuals.iter().zip(&expected.residuals) {
                    assert!((found - expected).abs() < rounding(dtype) * expected, "{what}");
                }
            };
            let plain = Fista { sparsity: sparsity.clone(), step, stop, ..Fista::default() };
            for restart in [false, true] {
                let plain = Fista { restart, ..plain.clone() };
                let tries = Fista { backtracking: true, ..plain.clone() };
                near(&tries.solve(&a, &y).unwrap(), &plain.solve(&a, &y).unwrap());
            }
            let plain = Ista { sparsity, step, stop, ..Ista::default() };
            let tries = Ista { backtracking: true, ..plain.clone() };
            near(&tries.solve(&a, &y).unwrap(), &plain.solve(&a, &y).unwrap());
        }
    }
}

/// Without a step the first one is the longest along the gradient: what decides about it is not left to rounding.
#[test]
fn the_first_step_is_taken() {
    for dtype in DTYPES {
        for seed in 0..20 {
            let columns = 1 + seed as usize % 7;
            let problem = Problem::new(dtype, [40, columns], 3.0, false, &mut Random(seed));
            let (a, y) = (problem.operator(), problem.data());
            let (sparsity, stop) = (weighted(0.0), Stop::after(3));
            let solver = Ista { sparsity, stop, backtracking: true, ..Ista::default() };
            let solution = solver.solve(&a, &y).unwrap();
            assert!(solution.residuals[1] < solution.residuals[0], "{dtype} {seed}: {solution:?}");
            if columns == 1 {
                let off = distance(&values(&solution.x), &problem.solution(0.0).0);
                assert!(off < rounding(dtype), "{dtype} {seed}: {off:e}");
            }
        }
    }
}

#[test]
fn data_and_operators_of_every_size_are_solved_as_those_near_one() {
    let problem = Problem::new(DType::Float32, [30, 40], 1.5, false, &mut Random(8));
    for dtype in [DType::Float32, DType::Complex64] {
        let plain = Problem { dtype, ..problem.clone() };
        let solve = |operator: f64, data: f64, step: Option<f64>, threshold: Threshold| {
            let scaled = |values: &[Complex64], by: f64| -> Vec<Complex64> {
                values.iter().map(|v| rounded(dtype, v * by)).collect()
            };
            let (matrix, y) = (scaled(&plain.matrix, operator), scaled(&plain.y, data));
            let problem = Problem { matrix, y, ..plain.clone() };
            // Of `‖y - A x‖² + weight ‖x‖ₚᵖ` with models of the size `data/operator`.
            let weight = match threshold {
                Threshold::Soft => 0.5 * operator * data,
                _ => 0.05 * data * data,
            };
            let sparsity = Sparsity { threshold, ..weighted(weight) };
            let step = step.map(|step| step / operator / operator);
            let stop = Stop { gradient: 1e-6, ..Stop::after(3000) };
            let (restart, backtracking) = (true, true);
            let solver = Fista { sparsity, step, backtracking, restart, stop, check_every: 10 };
            let solution = solver.solve(&problem.operator(), problem.data()).unwrap();
            assert_ne!(solution.stopped, Stopped::Iterations, "{operator:e} {data:e}");
            let (x, by) = (values(&solution.x), operator / data);
            x.into_iter().map(|x| x * by).collect::<Vec<_>>()
        };
        for threshold in [Threshold::Soft, Threshold::Hard] {
            for step in [None, Some(50.0)] {
                let expected = solve(1.0, 1.0, step, threshold);
                assert!(norm(&expected) > 0.1);
                let sizes = [(1.0, 1e-20), (1.0, 1e20), (1e-20, 1.0), (1e15, 1.0)];
                for (operator, data) in sizes.into_iter().chain([(1e15, 1e20), (1e-15, 1e-20)]) {
                    let found = solve(operator, data, step, threshold);
                    let off = distance(&found, &expected);
                    let what = format!("{dtype} {operator:e} {data:e} {step:?} {threshold:?}");
                    assert!(off < 1e-3, "{what}: {off:e}");
                }
            }
        }
    }
}

#[test]
fn zero_data_give_zero_and_what_is_not_finite_is_named() {
    let mut problem = Problem::new(DType::Float64, [5, 8], 1.5, false, &mut Random(8));
    let y = std::mem::replace(&mut problem.y, vec![0.0.into(); 5]);
    let solution = tried::<true>(&problem, None, true, 100);
    assert_eq!((solution.iterations, norm(&values(&solution.x)).to_bits()), (0, 0));
    // A start that is forgotten: there is nothing to explain.
    let start = array(DType::Float64, &[1.0.into(); 8], &[8]);
    let (stop, backtracking) = (Stop { gradient: 0.0, residual: 0.0, ..Stop::after(5000) }, true);
    let solver = Fista { stop, backtracking, restart: true, ..Fista::default() };
    let (a, zero) = (problem.operator(), problem.data());
    let solution = solver.solve_from(&a, &zero, Some(start), &mut ()).unwrap();
    assert!(norm(&values(&solution.x)) < 1e-12, "{solution:?}");
    problem.y = y;
    // So much weight that nothing is worth it, and none at all.
    let sparsity = weighted(1e20);
    let solution = Fista { sparsity, ..solver.clone() }.solve(&a, problem.data()).unwrap();
    assert_eq!(norm(&values(&solution.x)).to_bits(), 0);
    let tall = Problem::new(DType::Float64, [30, 8], 1.5, false, &mut Random(8));
    let sparsity = weighted(0.0);
    let solution = Fista { sparsity, ..solver.clone() }.solve(&tall.operator(), tall.data());
    let off = distance(&values(&solution.unwrap().x), &tall.solution(0.0).0);
    assert!(off < 1e-12, "{off:e}");
    for wrong in [f64::NAN, f64::INFINITY] {
        problem.y[2] = wrong.into();
        assert_eq!(tried::<true>(&problem, None, true, 100).stopped, Stopped::NotFinite);
        problem.y[2] = 1.0.into();
        let matrix = problem.matrix.clone();
        problem.matrix[11] = wrong.into();
        let step = Fista { step: Some(1.0), ..solver.clone() };
        let solution = step.solve(&problem.operator(), problem.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::NotFinite);
        problem.matrix = matrix;
    }
}

/// Models of real numbers and data of complex ones, whose sums take each their own.
#[test]
fn spectra_of_real_models_are_explained_by_tries() {
    for narrow in [DType::Float32, DType::Float64] {
        let space = Space::new([24], narrow).unwrap();
        let a =
            FFT::new(space, FourierAxis::new(0), Spectrum::Half, FourierNorm::Unscaled).unwrap();
        let truth: Vec<Complex64> =
            (0..24).map(|i| if i % 7 == 3 { 1.5 } else { 0.0 }.into()).collect();
        let y = a.forward(array(narrow, &truth, &[24])).unwrap();
        let (sparsity, restart, backtracking) = (weighted(1e-6), true, true);
        for step in [None, Some(30.0)] {
            let stop = Stop::after(500);
            let solver = Fista {
                sparsity: sparsity.clone(),
                step,
                restart,
                backtracking,
                stop,
                check_every: 10,
            };
            let x = values(&solver.solve(&a, &y).unwrap().x);
            assert!(distance(&x, &truth) < 1e-3, "{narrow} {step:?}");
        }
    }
}
