//! `‖y - A x‖² + weight ‖x‖₁`, whose solution is known by its conditions.

use arrayspan_bridge::DType;
use arrayspan_bridge::devices::Device;
use arrayspan_kernels::on;
use arrayspan_solvers::sparse::IterativeThresholding;
use arrayspan_solvers::{Fista, Ista, Solution, Solver, Sparsity, Stop, Stopped};
use num_complex::Complex64;

use super::support::{Problem, Random, array, norm, values};
use super::{DTYPES, objectives, rounding, stays_to_the_bit, violation, weighted};

fn to_the_end<const ACCELERATED: bool>(
    problem: &Problem,
    weight: f64,
    restart: bool,
    iterations: usize,
) -> Solution {
    let stop = Stop { gradient: 0.0, residual: 0.0, ..Stop::after(iterations) };
    let sparsity = weighted(weight);
    let solver = IterativeThresholding::<ACCELERATED> {
        sparsity,
        restart,
        stop,
        ..IterativeThresholding::default()
    };
    solver.solve(&problem.operator(), problem.data()).unwrap()
}

#[test]
fn both_methods_reach_the_solution_and_no_iteration_after_that_changes_it() {
    for dtype in DTYPES {
        for (seed, size) in [[30, 50], [50, 30], [1, 1], [7, 2]].into_iter().enumerate() {
            let problem = Problem::new(dtype, size, 1.5, false, &mut Random(seed as u64));
            let found = [
                to_the_end::<true>(&problem, 0.4, true, 10_000),
                to_the_end::<true>(&problem, 0.4, false, 10_000),
                to_the_end::<false>(&problem, 0.4, false, 10_000),
            ];
            for (method, solution) in found.into_iter().enumerate() {
                let what = format!("{dtype} {size:?}, method {method}");
                let off = violation(&problem, &values(&solution.x), 0.4);
                // Momentum that never begins anew turns around the solution for long, and without any the last digits take
                // longer.
                let bound = if method > 0 { 1e-5 } else { 0.0 };
                let bound = rounding(dtype).max(bound);
                assert!(off < bound, "{what}: {off:e} after {}", solution.iterations);
                let ended = method > 0
                    || matches!(solution.stopped, Stopped::Precision | Stopped::Gradient);
                assert!(ended, "{what}: {:?} after {}", solution.stopped, solution.iterations);
            }
        }
    }
}

#[test]
fn iterations_past_the_end_leave_every_bit() {
    let stop = Stop { gradient: 0.0, residual: 0.0, ..Stop::after(20_000) };
    let sparsity = weighted(0.3);
    stays_to_the_bit(&Fista { sparsity, restart: true, stop, ..Fista::default() });
}

#[test]
fn ista_never_rises_and_fista_is_there_sooner() {
    let problem = Problem::new(DType::Float64, [40, 60], 10.0, false, &mut Random(5));
    let (sparsity, stop, check_every) = (weighted(0.1), Stop::after(400), 1);
    let ista = Ista { sparsity, stop, check_every, ..Ista::default() };
    let fista = Fista { sparsity: weighted(0.1), stop, check_every, ..Fista::default() };
    let restarted = Fista { restart: true, ..fista.clone() };
    let (ista, fista, restarted) = (
        objectives(&problem, &ista),
        objectives(&problem, &fista),
        objectives(&problem, &restarted),
    );
    assert!(ista.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-14)));
    assert!(fista.windows(2).any(|pair| pair[1] > pair[0]), "momentum overshoots");
    let least = restarted.iter().copied().fold(f64::INFINITY, f64::min);
    let excess = |all: &[f64], at: usize| all[at.min(all.len() - 1)] / least - 1.0;
    assert!(excess(&fista, 100) < 0.2 * excess(&ista, 100));
    let [plain, anew] = [&fista, &restarted].map(|all| excess(all, 300));
    assert!(anew < 0.3 * plain, "{anew:e} and {plain:e}");
}

#[test]
fn data_and_operators_of_every_size_are_solved_as_those_near_one() {
    let problem = Problem::new(DType::Float32, [30, 40], 1.5, false, &mut Random(8));
    for complex in [false, true] {
        let dtype = if complex { DType::Complex64 } else { DType::Float32 };
        let plain = Problem { dtype, ..problem.clone() };
        let solve = |operator: f64, data: f64, step: Option<f64>| {
            let scaled = |values: &[Complex64], by: f64| -> Vec<Complex64> {
                values.iter().map(|v| super::support::rounded(dtype, v * by)).collect()
            };
            let (matrix, y) = (scaled(&plain.matrix, operator), scaled(&plain.y, data));
            let problem = Problem { matrix, y, ..plain.clone() };
            let sparsity = weighted(0.5 * operator * data);
            let step = step.map(|step| step / operator / operator);
            let (stop, restart) = (Stop { gradient: 1e-6, ..Stop::after(3000) }, true);
            let solver = Fista { sparsity, step, restart, stop, ..Fista::default() };
            let solution = solver.solve(&problem.operator(), problem.data()).unwrap();
            assert_ne!(solution.stopped, Stopped::Iterations, "{operator:e} {data:e}");
            let (x, by) = (values(&solution.x), operator / data);
            x.into_iter().map(|x| x * by).collect::<Vec<_>>()
        };
        let expected = solve(1.0, 1.0, None);
        for step in [None, Some(0.01)] {
            for (operator, data) in
                [(1.0, 1e-20), (1.0, 1e20), (1e-20, 1.0), (1e15, 1.0), (1e15, 1e20), (1e-15, 1e-20)]
            {
                let found = solve(operator, data, step);
                let off = super::support::distance(&found, &expected);
                assert!(off < 1e-4, "{dtype} {operator:e} {data:e} {step:?}: {off:e}");
            }
        }
    }
}

#[test]
fn zero_data_give_zero_and_nan_is_named() {
    let mut problem = Problem::new(DType::Float64, [5, 8], 1.5, false, &mut Random(8));
    let y = std::mem::replace(&mut problem.y, vec![0.0.into(); 5]);
    let solution = to_the_end::<true>(&problem, 0.1, true, 100);
    assert_eq!((solution.iterations, norm(&values(&solution.x)).to_bits()), (0, 0));
    problem.y = y;
    // So much weight that nothing is worth it.
    let solution = to_the_end::<true>(&problem, 1e20, true, 100);
    assert_eq!(norm(&values(&solution.x)).to_bits(), 0);
    // None at all: least squares.
    let tall = Problem::new(DType::Float64, [30, 8], 1.5, false, &mut Random(8));
    let solution = to_the_end::<true>(&tall, 0.0, true, 5000);
    let off = super::support::distance(&values(&solution.x), &tall.solution(0.0).0);
    assert!(off < 1e-12, "{off:e}");
    problem.y[2] = f64::NAN.into();
    assert_eq!(to_the_end::<true>(&problem, 0.1, true, 100).stopped, Stopped::NotFinite);
}

#[test]
fn a_model_that_is_sparse_in_a_basis_is_found_there() {
    // Haar's wavelets of two elements.
    let n = 40;
    let root = 0.5_f64.sqrt();
    let entry = |at: usize| -> Complex64 {
        let (i, j) = (at / n, at % n);
        let sign = if j % 2 == 1 && i % 2 == 1 { -root } else { root };
        if i / 2 == j / 2 { sign.into() } else { 0.0.into() }
    };
    let entries: Vec<Complex64> = (0..n * n).map(entry).collect();
    let basis = arrayspan_operators::MatrixMult::new(
        array(DType::Float64, &entries, &[n, n]).into_shared(),
        &[],
    )
    .unwrap();
    let problem = Problem::new(DType::Float64, [30, n], 1.5, false, &mut Random(1));
    let stop = Stop { gradient: 0.0, residual: 0.0, ..Stop::after(5000) };
    for restart in [false, true] {
        let sparsity = Sparsity { basis: Some(basis.clone()), ..weighted(0.4) };
        let solver = Fista { sparsity, stop, restart, ..Fista::default() };
        let solution = solver.solve(&problem.operator(), problem.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Precision);
        // The same problem for coefficients.
        let rows = problem.matrix.chunks(n).flat_map(|row| {
            (0..n).map(|j| (0..n).map(|i| row[i] * entries[i * n + j]).sum::<Complex64>())
        });
        let matrix = rows.collect();
        let coefficients = Problem { matrix, ..problem.clone() };
        let x = values(&solution.x);
        let c: Vec<Complex64> =
            (0..n).map(|j| (0..n).map(|i| entries[i * n + j] * x[i]).sum()).collect();
        let c: Vec<_> = c.iter().map(|c| if c.norm() < 1e-13 { 0.0.into() } else { *c }).collect();
        assert!(c.iter().filter(|c| c.norm() == 0.0).count() > 5);
        assert!(violation(&coefficients, &c, 0.4) < 1e-9);
    }
}

#[test]
fn runs_in_one_workspace_agree_to_the_last_bit() {
    let problem = Problem::new(DType::Float64, [30, 40], 1.5, false, &mut Random(8));
    let (a, y, on) = (problem.operator(), problem.data(), on(Device::cpu()).unwrap());
    let solver =
        Fista { step: Some(0.01), stop: Stop::after(20), restart: true, ..Fista::default() };
    let mut workspace = solver.workspace(&a, &*on).unwrap();
    let mut solve = || solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
    let first = solve();
    // An odd number of iterations leaves vectors in each other's places.
    let odd = Fista { stop: Stop::after(7), ..solver.clone() };
    odd.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
    let second = solver.solve_in(&mut workspace, &*on, &a, y.view(), None, &mut ()).unwrap();
    assert_eq!(values(&first.x), values(&second.x));
}
