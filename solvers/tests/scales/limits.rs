//! Operators, data and damping at the ends of the dtype's range.

use arrayspan_bridge::{DType, Relayout};
use arrayspan_solvers::{
    BiCgStab, Cg, Cgls, Gmres, Lsqr, Minres, SingleReductionCg, Solution, Solver, Stop, Stopped,
};
use num_complex::Complex64;

use super::support::{self, Problem, Random, array, distance, epsilon, values};
use super::{DTYPES, near, scaled};

/// Operators and data up to the ends of the dtype's range: where the solution is in range it is the same to the last
/// bits, and where it is not, that has a name.
#[test]
fn operators_and_data_at_the_ends_of_the_range_are_solved_or_named() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [20, 7], 1.0, false, &mut Random(9));
        let start = Random(10).numbers(dtype, 7);
        let (ends, least, most) = match dtype.real() {
            DType::Float32 => ([-112, -100, -66, 0, 66, 100, 112], -126, 127),
            _ => ([-1000, -996, -498, 0, 498, 996, 1000], -1022, 1023),
        };
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        for (damping, started) in [(0.0, false), (0.5, false), (0.0, true), (0.5, true)] {
            let solve = |[operator, data]: [i32; 2]| {
                let problem = scaled(&problem, power(operator), power(data));
                let scale = if started { power(data - operator) } else { 0.0 };
                let start: Vec<_> = start.iter().map(|v| v * scale).collect();
                let start = started.then(|| array(dtype, &start, &[7]));
                let solver = Cgls { damping: damping * power(operator), ..Cgls::default() };
                let (a, y) = (problem.operator(), problem.data());
                solver.solve_from(&a, &y, start, &mut ()).unwrap()
            };
            let reference = solve([0, 0]);
            for operator in ends {
                for data in ends {
                    let what = format!("{dtype} {damping} {started} 2^{operator} 2^{data}");
                    let model = data - operator;
                    if (least + 12..most - 4).contains(&model) {
                        let found = solve([operator, data]);
                        let sizes = [power(model), power(data)];
                        near(&found, &reference, sizes, 8.0 * epsilon(dtype), &what);
                        assert_eq!(found.stopped, reference.stopped, "{what}");
                    } else if !started {
                        let beyond =
                            if model > 0 { Stopped::NotFinite } else { Stopped::Underflow };
                        assert_eq!(solve([operator, data]).stopped, beyond, "{what}");
                    }
                }
            }
        }
    }
}

/// The entries need not be powers of two, nor all sums be in range before they are scaled.
#[test]
fn the_largest_and_smallest_operators_of_a_dtype_are_inverted() {
    for (dtype, sizes) in [
        (DType::Float32, [1e-37, 1e-33, 1e33, 3e38]),
        (DType::Float64, [1e-305, 1e-300, 1e300, 1.7e308]),
        (DType::Complex64, [1e-37, 1e-33, 1e33, 2e38]),
    ] {
        for size in sizes {
            for data in [1e-6, 1.0, 1e6] {
                let entry = |i: usize| Complex64::from(((i * 7 + 3) % 5) as f64 / 5.0 + 0.1);
                let mut matrix: Vec<_> = (0..200 * 4).map(|i| entry(i) * 0.3).collect();
                (0..4).for_each(|i| matrix[i * 5] = Complex64::from(0.99));
                let y = (0..200).map(|i| entry(i * i)).collect();
                let problem = Problem { dtype, rows: 200, columns: 4, matrix, y };
                let problem = scaled(&problem, size, data);
                let (exact, reach) = scaled(&problem, 1.0 / size, 1.0 / data).solution(0.0);
                let solution = Cgls::default().solve(&problem.operator(), problem.data()).unwrap();
                let what = format!("{dtype} {size:e} {data:e}");
                let model = data / size;
                let [none, least, most] = match dtype {
                    DType::Float64 => [1e-311, 1e-304, 2e306],
                    _ => [1e-42, 1e-36, 2e37],
                };
                if model < none {
                    assert_eq!(solution.stopped, Stopped::Underflow, "{what}");
                } else if model > 100.0 * most {
                    assert_eq!(solution.stopped, Stopped::NotFinite, "{what}");
                } else if (least..most).contains(&model) {
                    let found: Vec<_> = values(&solution.x).iter().map(|x| x / model).collect();
                    let off = distance(&found, &exact);
                    let bound = 8.0 * reach * epsilon(dtype);
                    assert!(off < bound, "{what}: off by {off:e}, {:?}", solution.stopped);
                }
            }
        }
    }
}

#[test]
fn a_start_whose_image_is_beyond_the_dtype_is_no_obstacle() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [20, 5], 1.0, false, &mut Random(6));
        let far = if dtype.real() == DType::Float32 { 1e30 } else { 1e300 };
        let problem = scaled(&problem, far, 1.0);
        let start = array(dtype, &[1e10.into(); 5], &[5]);
        let solver = Cgls { stop: Stop::after(100), ..Cgls::default() };
        let solution =
            solver.solve_from(&problem.operator(), problem.data(), Some(start), &mut ()).unwrap();
        // The start is so far from the solution that nothing is left of the data beside its image.
        let size = support::norm(&values(&solution.x));
        assert!(solution.stopped != Stopped::NotFinite, "{dtype}");
        assert!(size < 1e10 * 32.0 * epsilon(dtype), "{dtype}: {size:e}");
    }
}

#[test]
fn operators_that_are_zero_or_not_finite_have_an_outcome() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [6, 3], 1.0, false, &mut Random(6));
        for (entry, expected) in [
            (0.0, Stopped::Gradient),
            (f64::NAN, Stopped::NotFinite),
            (f64::INFINITY, Stopped::NotFinite),
        ] {
            let problem = Problem { matrix: vec![entry.into(); 18], ..problem.clone() };
            let solution = Cgls::default().solve(&problem.operator(), problem.data()).unwrap();
            assert_eq!(solution.stopped, expected, "{dtype} {entry}");
        }
    }
}

/// `x ≈ Aᴴ y / damping²`
#[test]
fn damping_far_above_the_operator_is_solved_or_named() {
    for dtype in DTYPES {
        let problem = Problem::new(dtype, [20, 5], 1.0, false, &mut Random(6));
        let wide = Problem { dtype: DType::Float64, ..problem.clone() };
        let (data, dampings) = match dtype.real() {
            DType::Float32 => (1e30, [1e8, 1e16, 1e20, 1e30, 1e38]),
            _ => (1e300, [1e20, 1e60, 1e120, 1e200, 1e307]),
        };
        for damping in dampings {
            let far = scaled(&problem, 1.0, data);
            let solver = Cgls { damping, ..Cgls::default() };
            let solution = solver.solve(&far.operator(), far.data()).unwrap();
            let what = format!("{dtype} {damping:e}");
            let model = data / damping / damping;
            if model < if dtype.real() == DType::Float32 { 1e-37 } else { 1e-307 } {
                assert_eq!(solution.stopped, Stopped::Underflow, "{what}");
                continue;
            }
            let pulled: Vec<Complex64> = (0..5)
                .map(|j| (0..20).map(|i| wide.matrix[i * 5 + j].conj() * wide.y[i]).sum())
                .collect();
            let found: Vec<_> = values(&solution.x).iter().map(|x| x / model).collect();
            let off = distance(&found, &pulled);
            assert!(off < 16.0 * epsilon(dtype), "{what}: off by {off:e}, {:?}", solution.stopped);
        }
    }
}

/// In double precision an operator of 1e-20 is not scaled, and its square is rounded away beside 1, but not beside a damping
/// of its own size, or none.
#[test]
fn small_operators_take_all_their_steps_from_any_start() {
    for dtype in [DType::Float64, DType::Complex128] {
        let problem = Problem::new(dtype, [9, 5], 3.0, false, &mut Random(8));
        let start = Random(9).numbers(dtype, 5);
        for damping in [0.0, 0.3] {
            let solved = |matrix: f64, data: f64| {
                let (far, model) = (scaled(&problem, matrix, data), data / matrix);
                let (a, y) = (far.operator(), far.data());
                let start: Vec<_> = start.iter().map(|x| x * model).collect();
                let start = || Some(array(dtype, &start, &[5]));
                let solver = Cgls { damping: damping * matrix, ..Cgls::default() };
                let mut solutions = vec![solver.solve_from(&a, &y, start(), &mut ()).unwrap()];
                if damping == 0.0 {
                    solutions.push(Lsqr::default().solve_from(&a, &y, start(), &mut ()).unwrap());
                }
                let unscaled = |solution: &Solution| -> Vec<Complex64> {
                    values(&solution.x).iter().map(|x| x / model).collect()
                };
                solutions.iter().map(unscaled).collect::<Vec<_>>()
            };
            for (matrix, data) in [(-66, -300), (-66, 300), (-95, -250), (-70, 0)] {
                let [matrix, data] = [matrix, data].map(|exponent| 2.0_f64.powi(exponent));
                for (found, expected) in solved(matrix, data).iter().zip(solved(1.0, 1.0)) {
                    let off = distance(found, &expected);
                    assert!(off < 1e-7, "{dtype} {damping} {matrix:e} {data:e}: off by {off:e}");
                }
            }
        }
    }
}

/// Square systems are not scaled: their models may leave the dtype while the residuals of the recurrence fall, which no
/// method calls a solution.
#[test]
fn models_of_square_systems_beyond_the_dtype_are_named() {
    square(&Cg::default(), true);
    square(&SingleReductionCg::default(), false);
    square(&Minres::default(), true);
    square(&BiCgStab::default(), false);
    square(&Gmres::default(), false);
}

/// Solved alone, and in columns where the method solves several right-hand sides.
fn square<S: Solver>(solver: &S, in_columns: bool) {
    let named = |stopped| {
        use Stopped::{Breakdown, Indefinite, NotFinite, Singular, Underflow};
        matches!(stopped, Breakdown | Indefinite | NotFinite | Singular | Underflow)
    };
    let diagonal: Vec<Complex64> =
        (0..49).map(|i| Complex64::from(if i % 8 == 0 { 1.0 } else { 0.0 })).collect();
    for dtype in DTYPES {
        let (ends, most) = match dtype.real() {
            DType::Float32 => ([1e-37, 1e-30, 1.0, 1e30], 1e37),
            _ => ([1e-305, 1e-200, 1.0, 1e200], 1e307),
        };
        let problem = Problem {
            dtype,
            rows: 7,
            columns: 7,
            matrix: diagonal.clone(),
            y: vec![0.75.into(); 7],
        };
        for operator in ends {
            for data in ends {
                let what = format!("{solver:?} {dtype} {operator:e} {data:e}");
                let problem = scaled(&problem, operator, data);
                let (a, y) = (problem.operator(), problem.data());
                let alone = solver.solve(&a, &y).unwrap();
                let mut found = vec![(alone.stopped, alone.x)];
                if in_columns {
                    let y = y.view().reshaped(&[7, 1]).unwrap();
                    let beside = solver.solve_columns(&a, &y, None).unwrap();
                    found.push((beside.columns[0].stopped, beside.x));
                }
                for (stopped, x) in &found {
                    if !(0.1..10.0).contains(&operator) && named(*stopped) {
                        continue;
                    }
                    let model = 0.75 * data / operator;
                    assert!(model < most, "{what}: {stopped:?}, {:?}", values(x));
                    let found: Vec<_> = values(x).iter().map(|x| x / model).collect();
                    let off = distance(&found, &[Complex64::ONE; 7]);
                    assert!(off < 16.0 * epsilon(dtype), "{what}: off by {off:e}, {stopped:?}");
                }
            }
        }
    }
}
