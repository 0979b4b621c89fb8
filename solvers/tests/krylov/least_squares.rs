//! Least squares by bidiagonalisation.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{Conj, MatrixMult, Real, Space};
use arrayspan_solvers::{Cgls, Error, Lsqr, Solver, Stop, Stopped};
use num_complex::Complex64;

use super::support::{self, Problem, Random, array, distance, epsilon, values};
use super::{DTYPES, devices};

fn far(iterations: usize) -> Lsqr {
    Lsqr { stop: Stop::after(iterations), check_every: iterations.max(1), ..Lsqr::default() }
}

fn problem(dtype: DType, spread: f64, explained: bool) -> Problem {
    Problem::new(dtype, [37, 12], spread, explained, &mut Random(1))
}

#[test]
fn every_problem_is_solved_on_every_device_in_every_dtype() {
    for dtype in DTYPES {
        for device in devices(dtype) {
            for damping in [0.0, 0.7] {
                let problem = problem(dtype, 3.0, false);
                let matrix =
                    array(dtype, &problem.matrix, &[37, 12]).into_device(device).unwrap().0;
                let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
                let y = problem.data().into_device(device).unwrap().0;
                let solution = Lsqr { damping, ..far(200) }.solve(&a, &y).unwrap();
                let x = values(&solution.x.into_device(Device::cpu()).unwrap().0);
                let (exact, reach) = problem.solution(damping);
                let what = format!("{device} {dtype} {damping}");
                assert_eq!(solution.stopped, Stopped::Precision, "{what}");
                assert!(distance(&x, &exact) < 8.0 * reach * epsilon(dtype), "{what}");
            }
        }
    }
}

#[test]
fn iterates_and_residuals_are_those_of_conjugate_gradients() {
    for dtype in [DType::Float64, DType::Complex128] {
        for damping in [0.0, 1.5] {
            let problem = problem(dtype, 3.0, false);
            let (a, y) = (problem.operator(), problem.data());
            for iterations in [1, 2, 5, 9] {
                let found = Lsqr { damping, ..far(iterations) }.solve(&a, &y).unwrap();
                let stop = Stop::after(iterations);
                let expected = Cgls { damping, stop, ..Cgls::default() }.solve(&a, &y).unwrap();
                assert!(distance(&values(&found.x), &values(&expected.x)) < 1e-11);
                for (found, expected) in found.residuals.iter().zip(&expected.residuals) {
                    assert!((found - expected).abs() < 1e-11 * expected, "{dtype} {damping}");
                }
            }
        }
    }
}

#[test]
fn ten_thousand_iterations_too_many_change_nothing() {
    for dtype in DTYPES {
        let most = if dtype == DType::Float32 { 10_000 } else { 1000 };
        for (spread, explained) in [(1.0, true), (10.0, false), (1e3, true), (1e3, false)] {
            let problem = problem(dtype, spread, explained);
            let (a, y) = (problem.operator(), problem.data());
            let first = Lsqr { check_every: 1, ..far(most) }.solve(&a, &y).unwrap();
            let long = far(most).solve(&a, &y).unwrap();
            let what = format!("{dtype} {spread} {explained}");
            assert_eq!(values(&first.x), values(&long.x), "{what}");
            assert_eq!(first.residuals, long.residuals);
            assert_eq!(long.stopped, Stopped::Precision, "{what}");
            let (exact, reach) = problem.solution(0.0);
            let off = distance(&values(&long.x), &exact);
            let bound = 10.0 * reach * epsilon(dtype);
            assert!(off < bound || bound > 0.1, "{what}: {off:e}, expected {bound:e}");
        }
    }
}

#[test]
fn sizes_of_any_order_are_solved_alike() {
    for dtype in DTYPES {
        let problem = problem(dtype, 3.0, false);
        let sizes = if dtype.real() == DType::Float32 { [1e-20, 1e20] } else { [1e-170, 1e170] };
        for damping in [0.0, 0.7] {
            let (exact, _) = problem.solution(damping);
            for operator in [sizes[0], 1.0, sizes[1]] {
                for data in [sizes[0], 1.0, sizes[1]] {
                    let model = data / operator;
                    if !(sizes[0]..=sizes[1]).contains(&model) {
                        continue;
                    }
                    let times = |values: &[_], factor: f64| {
                        values.iter().map(|v| support::rounded(dtype, v * factor)).collect()
                    };
                    let scaled = Problem {
                        matrix: times(&problem.matrix, operator),
                        y: times(&problem.y, data),
                        ..problem.clone()
                    };
                    let solver = Lsqr { damping: damping * operator, ..far(100) };
                    let solution = solver.solve(&scaled.operator(), scaled.data()).unwrap();
                    let x: Vec<_> = values(&solution.x).iter().map(|x| x / model).collect();
                    let off = distance(&x, &exact);
                    let what = format!("{dtype} {damping} {operator:e} {data:e}");
                    assert!(off < 100.0 * epsilon(dtype), "{what}: {off:e} {:?}", solution.stopped);
                }
            }
        }
    }
}

#[test]
fn zero_and_what_is_not_finite_have_an_outcome() {
    for dtype in DTYPES {
        let problem = problem(dtype, 3.0, false);
        for (value, stopped) in [
            (0.0, Stopped::Gradient),
            (f64::NAN, Stopped::NotFinite),
            (f64::INFINITY, Stopped::NotFinite),
        ] {
            let y = array(dtype, &[value.into(); 37], &[37]);
            let solution = far(20).solve(&problem.operator(), y).unwrap();
            assert_eq!(solution.stopped, stopped, "{dtype} {value}");
            let matrix = Problem { matrix: vec![value.into(); 37 * 12], ..problem.clone() };
            let solution = far(20).solve(&matrix.operator(), matrix.data()).unwrap();
            assert_eq!(solution.stopped, stopped, "{dtype}, a matrix of {value}");
        }
    }
}

#[test]
fn a_matrix_without_full_rank_has_the_shortest_solution() {
    for dtype in DTYPES {
        let half = Problem::new(dtype, [40, 8], 1.0, false, &mut Random(11));
        let (z, reach) = half.solution(0.0);
        let matrix: Vec<_> = half.matrix.chunks(8).flat_map(|row| [row, row].concat()).collect();
        let a = MatrixMult::new(array(dtype, &matrix, &[40, 16]).into_shared(), &[]).unwrap();
        let solution = far(2000).solve(&a, half.data()).unwrap();
        let expected: Vec<_> = (0..16).map(|j| z[j % 8] * 0.5).collect();
        let off = distance(&values(&solution.x), &expected);
        assert!(off < 8.0 * reach * epsilon(dtype), "{dtype}: {off:e}");
        assert_eq!(solution.stopped, Stopped::Precision);
    }
}

#[test]
fn a_start_is_gone_on_from_but_not_damped() {
    let problem = problem(DType::Float64, 3.0, false);
    let (a, y) = (problem.operator(), problem.data());
    let start = || array(DType::Float64, &Random(5).numbers(DType::Float64, 12), &[12]);
    let solution = far(200).solve_from(&a, &y, Some(start()), &mut ()).unwrap();
    assert!(distance(&values(&solution.x), &problem.solution(0.0).0) < 1e-13);
    // PyLops: damps x - start, without a word.
    let damped = Lsqr { damping: 0.5, ..far(10) }.solve_from(&a, &y, Some(start()), &mut ());
    let error = damped.unwrap_err();
    assert!(matches!(error, Error::Parameter { solver: "Lsqr", .. }), "{error:?}");
    assert!(error.to_string().contains("start vector"), "{error}");
}

/// The real part, from complex to real vectors, which is linear over the real numbers only.
#[test]
fn real_linear_operators_are_solved() {
    let a = Real::new(Space::new([9], DType::Complex128).unwrap()).unwrap();
    let y = Random(6).numbers(DType::Float64, 9);
    let solution = far(10).solve(&a, array(DType::Float64, &y, &[9])).unwrap();
    assert!(distance(&values(&solution.x), &y) < 1e-15);
    let space = Space::new([9], DType::Complex128).unwrap();
    let a = Conj::new(space).unwrap();
    let y = Random(7).numbers(DType::Complex128, 9);
    let solution = far(10).solve(&a, array(DType::Complex128, &y, &[9])).unwrap();
    let expected: Vec<_> = y.iter().map(Complex64::conj).collect();
    assert!(distance(&values(&solution.x), &expected) < 1e-15);
}

#[test]
fn a_second_run_in_a_workspace_is_the_first() {
    let problem = problem(DType::Float64, 3.0, false);
    let (a, y) = (problem.operator(), problem.data());
    let host = arrayspan_kernels::on(Device::cpu()).unwrap();
    let solver = far(20);
    let mut workspace = solver.workspace(&a, &*host).unwrap();
    let mut solve = |y: &Array| {
        let solution = solver.solve_in(&mut workspace, &*host, &a, y.view(), None, &mut ());
        values(&solution.unwrap().x)
    };
    let expected = solve(&y);
    // NaN that a run leaves behind is not read by the next.
    let nan = array(DType::Float64, &[f64::NAN.into(); 37], &[37]);
    assert!(solve(&nan).iter().any(|x| x.is_nan()) || solve(&nan).iter().all(|x| x.norm() == 0.0));
    assert_eq!(solve(&y), expected);
}
