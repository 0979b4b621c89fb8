//! What happens at the rounding level: `Cgls` reaches it, stops there, and an iteration too many changes nothing.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{
    Edge, FirstDerivative, Identity, LinearMap, MatrixMult, Operator, Scheme, Space, vstack,
};
use arrayspan_solvers::{Cgls, Solution, Solver, Stop, Stopped};
use proptest::prelude::*;
use support::{Problem, Random, array, distance, epsilon, norm, values};

const DTYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// So many iterations, none of the tolerances.
fn far(iterations: usize, check_every: usize) -> Cgls {
    Cgls { check_every, stop: Stop::after(iterations), ..Cgls::default() }
}

/// Fails unless the solution is as near the exact one as a backward-stable method brings it, within `factor`.
#[track_caller]
fn check(problem: &Problem, damping: f64, solution: &Solution, factor: f64, what: &str) {
    let (exact, reach) = problem.solution(damping);
    let off = distance(&values(&solution.x), &exact);
    let bound = factor * reach * epsilon(problem.dtype);
    assert!(off <= bound, "{what}: off by {off:e}, expected {bound:e}; {:?}", solution.stopped);
    let last = *solution.residuals.last().unwrap();
    let least = solution.residuals.iter().copied().fold(f64::INFINITY, f64::min);
    let slack = 64.0 * epsilon(problem.dtype) * norm(&problem.y);
    assert!(last <= least + slack || damping != 0.0, "{what}: the residual has grown");
}

fn smooth(dtype: DType, n: usize) -> Operator {
    let space = Space::new([n], dtype).unwrap();
    let slope =
        FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Reduced).unwrap();
    let weighted = (0.3 * Operator::new(slope)).build().unwrap();
    vstack([Identity::new(space).unwrap(), weighted]).unwrap()
}

#[test]
fn a_well_conditioned_stack_is_solved_to_the_last_digits_and_left_alone() {
    let [narrow, wide] = [DType::Float32, DType::Float64].map(|dtype| smooth(dtype, 1000));
    for seed in 0..20 {
        let y = Random(seed).numbers(DType::Float32, narrow.range().len());
        let shape = narrow.range().shape();
        let exact = far(200, 10).solve(&wide, array(DType::Float64, &y, shape)).unwrap();
        let exact = values(&exact.x);
        for solver in [Cgls::default(), far(1000, 1000), far(300, 1)] {
            let solution = solver.solve(&narrow, array(DType::Float32, &y, shape)).unwrap();
            let off = distance(&values(&solution.x), &exact);
            assert!(off < 1e-6, "{seed}: off by {off:e}, {:?}", solution.stopped);
            assert!(solution.residuals.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-6)));
            assert_eq!(solution.stopped, Stopped::Precision);
        }
    }
}

#[test]
fn random_matrices_are_solved_to_the_last_digits() {
    for dtype in DTYPES {
        for seed in 0..3 {
            let problem = Problem::new(dtype, [90, 30], 1.0, false, &mut Random(seed));
            let solution = far(200, 200).solve(&problem.operator(), problem.data()).unwrap();
            check(&problem, 0.0, &solution, 4.0, &format!("{dtype} {seed}"));
            assert_eq!(solution.stopped, Stopped::Precision);
        }
    }
}

#[test]
fn ten_thousand_iterations_too_many_change_nothing() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [40, 12], 10.0, false, &mut Random(7));
        let (a, y) = (problem.operator(), problem.data());
        let most = if dtype == DType::Float32 { 10_000 } else { 1000 };
        let solution = far(most, most).solve(&a, &y).unwrap();
        check(&problem, 0.0, &solution, 4.0, &format!("{dtype}"));
        assert_eq!(solution.stopped, Stopped::Precision);
        // However often the host checks, and however many iterations it allows.
        for (iterations, check_every) in [(10_000, 1), (10_000, 10), (500, 33), (500, 500)] {
            let other = far(iterations, check_every).solve(&a, &y).unwrap();
            assert_eq!(values(&other.x), values(&solution.x), "{dtype} {check_every}");
            assert_eq!(other.residuals, solution.residuals);
            assert_eq!(
                (other.iterations, other.stopped),
                (solution.iterations, Stopped::Precision)
            );
        }
    }
}

#[test]
fn data_that_are_explained_to_the_last_bit_end_it() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [40, 30], 1.0, true, &mut Random(3));
        let solution = far(1000, 1000).solve(&problem.operator(), problem.data()).unwrap();
        check(&problem, 0.0, &solution, 4.0, &format!("{dtype}"));
        assert_eq!(solution.stopped, Stopped::Precision);
    }
}

/// Beside which the residual of data that are explained may fall below all numbers.
#[test]
fn damping_too_small_to_matter_is_as_none() {
    for dtype in DTYPES {
        let smaller: &[f64] = if dtype.real() == DType::Float32 {
            &[1e-12, 1e-15, 1e-18, 1e-24, 1e-30]
        } else {
            &[1e-30, 1e-34, 1e-100, 1e-200, 1e-300]
        };
        for (&tiny, n) in smaller.iter().flat_map(|tiny| (1..6).map(move |n| (tiny, n))) {
            for seed in 0..8 {
                let problem = Problem::new(dtype, [n, n], 2.0, true, &mut Random(seed));
                let solver = Cgls { damping: tiny, ..far(1000, 1000) };
                let solution = solver.solve(&problem.operator(), problem.data()).unwrap();
                let what = format!("{dtype} {tiny:e} {n} {seed}");
                assert!(
                    matches!(solution.stopped, Stopped::Precision | Stopped::Gradient),
                    "{what}: {:?}",
                    solution.stopped
                );
                check(&problem, 0.0, &solution, 10.0, &what);
            }
        }
    }
}

#[test]
fn columns_that_say_the_same_share_the_solution() {
    for dtype in DTYPES {
        let half = Problem::new(dtype, [40, 8], 1.0, false, &mut Random(11));
        let (z, reach) = half.solution(0.0);
        let matrix: Vec<_> = half.matrix.chunks(8).flat_map(|row| [row, row].concat()).collect();
        let matrix = array(dtype, &matrix, &[40, 16]);
        let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
        // What the operator does not see of a start vector is kept: the first half has 0.25 more than the second.
        for extra in [0.0, 0.25] {
            let start: Vec<_> =
                (0..16).map(|j| if j < 8 { extra } else { -extra }.into()).collect();
            let start = array(dtype, &start, &[16]);
            let solution = far(500, 500).solve_from(&a, half.data(), Some(start), &mut ()).unwrap();
            let expected: Vec<_> =
                (0..16).map(|j| z[j % 8] * 0.5 + if j < 8 { extra } else { -extra }).collect();
            let off = distance(&values(&solution.x), &expected);
            assert!(off < 8.0 * reach * epsilon(dtype), "{dtype}: {off:e}");
            assert_eq!(solution.stopped, Stopped::Precision);
        }
    }
}

#[test]
fn a_start_at_the_solution_is_left_there() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [40, 12], 3.0, false, &mut Random(5));
        let (a, y) = (problem.operator(), problem.data());
        let first = far(500, 10).solve(&a, &y).unwrap();
        let found = values(&first.x);
        let again = far(500, 500).solve_from(&a, &y, Some(first.x), &mut ()).unwrap();
        check(&problem, 0.0, &again, 4.0, &format!("{dtype}"));
        let (_, reach) = problem.solution(0.0);
        assert!(distance(&values(&again.x), &found) < 8.0 * reach * epsilon(dtype));
    }
}

/// Damping with no data: the objective, not the misfit, tells what is left.
#[test]
fn damping_alone_pulls_a_start_to_zero() {
    let zero = Space::new([5], DType::Float64).unwrap();
    let a = (0.0 * Identity::new(zero).unwrap()).build().unwrap();
    let start = Array::from_slice(&[1.0, -2.0, 3.0, 0.5, 4.0], [5]).unwrap();
    let y = Array::from_slice(&[0.0; 5], [5]).unwrap();
    let solver = Cgls { damping: 0.7, ..far(50, 50) };
    let solution = solver.solve_from(&a, &y, Some(start), &mut ()).unwrap();
    assert!(norm(&values(&solution.x)) < 1e-14, "{solution:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_problem_is_solved_as_well_as_its_dtype_allows(
        dtype in prop::sample::select(DTYPES.to_vec()),
        columns in 1..20_usize,
        more in 0..30_usize,
        spread in prop::sample::select(vec![1.0, 10.0, 100.0, 1000.0]),
        explained in any::<bool>(),
        damping in prop::sample::select(vec![0.0, 1e-2, 1.0, 30.0]),
        check_every in prop::sample::select(vec![1, 10, 1000]),
        seed in any::<u64>(),
    ) {
        let shape = [columns + more, columns];
        let problem = Problem::new(dtype, shape, spread, explained, &mut Random(seed));
        let solver = Cgls { damping, ..far(1500, check_every) };
        let solution = solver.solve(&problem.operator(), problem.data()).unwrap();
        let (_, reach) = problem.solution(damping);
        // Slow convergence is no matter of rounding.
        prop_assume!(solution.stopped != Stopped::Iterations);
        // Where nothing is sure, nothing can be asked.
        prop_assume!(reach * epsilon(dtype) < 0.01);
        prop_assert!(matches!(solution.stopped, Stopped::Precision | Stopped::Gradient));
        check(&problem, damping, &solution, 16.0, &format!("{:?}", solution.stopped));
    }
}
