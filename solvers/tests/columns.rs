//! Several right-hand sides at once: each is solved, and ends, as it does alone.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use std::sync::Arc;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::{Trace, on};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::{Cg, Cgls, Columns, Error, Lsmr, Lsqr, Minres, Solver, Stop, Stopped};
use num_complex::Complex64;
use support::{Problem, Random, array, distance, epsilon, norm, rounded, values};

const DTYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

/// Vectors of that shape beside each other.
fn beside(dtype: DType, vectors: &[Vec<Complex64>], shape: &[usize]) -> Array {
    let len = shape.iter().product::<usize>();
    let all: Vec<_> =
        (0..len).flat_map(|row| vectors.iter().map(move |vector| vector[row])).collect();
    array(dtype, &all, &[shape, &[vectors.len()]].concat())
}

/// One of them.
fn column(x: &Array, number: usize) -> Vec<Complex64> {
    let count = *x.shape().last().unwrap();
    values(x).into_iter().skip(number).step_by(count).collect()
}

/// Random data, the first of which the operator explains.
fn data(problem: &Problem, count: usize, random: &mut Random) -> Vec<Vec<Complex64>> {
    let explained = problem.forward(&random.numbers(problem.dtype, problem.columns));
    let first = explained.into_iter().map(|v| rounded(problem.dtype, v)).collect();
    let others = (1..count).map(|_| random.numbers(problem.dtype, problem.rows));
    std::iter::once(first).chain(others).collect()
}

/// Fails unless each is what the solver finds for it alone.
fn check<S: Solver>(solver: &S, a: &Operator, ys: &[Vec<Complex64>], starts: &[Vec<Complex64>]) {
    let dtype = a.range().dtype();
    let (range, domain) = (a.range().shape(), a.domain().shape());
    let start = (!starts.is_empty()).then(|| beside(dtype, starts, domain));
    let y = beside(dtype, ys, range);
    let found = solver.solve_columns(a, &y, start).unwrap();
    assert_eq!(found.x.shape(), [domain, &[ys.len()]].concat());
    assert_eq!(found.columns.len(), ys.len());
    for (number, y) in ys.iter().enumerate() {
        let what = format!("{solver:?} {dtype}, {number} of {}", ys.len());
        let start = starts.get(number).map(|start| array(dtype, start, domain));
        let alone = solver.solve_from(a, array(dtype, y, range), start, &mut ()).unwrap();
        let one = &found.columns[number];
        assert_eq!(one.stopped, alone.stopped, "{what}");
        assert_eq!(one.residuals.len(), one.iterations + 1, "{what}");
        // After as many iterations as there are unknowns rounding decides whether there is one more.
        let slack = 1;
        assert!(
            one.iterations.abs_diff(alone.iterations) <= slack,
            "{what}: {}, not {}",
            one.iterations,
            alone.iterations
        );
        let off = distance(&column(&found.x, number), &values(&alone.x));
        assert!(off < 3e4 * epsilon(dtype), "{what}: off by {off:e}");
        for (found, expected) in one.residuals.iter().zip(&alone.residuals) {
            let off = (found - expected).abs() / alone.residuals[0];
            assert!(off < 1e3 * epsilon(dtype), "{what}: {found:e}, not {expected:e}");
        }
    }
}

#[test]
fn each_of_several_is_solved_and_ends_as_it_does_alone() {
    for dtype in DTYPES {
        let tolerance = if dtype.real() == DType::Float32 { 1e-3 } else { 1e-9 };
        let stop = Stop { residual: tolerance, gradient: tolerance, ..Stop::after(60) };
        for (count, check_every) in [(1, 1), (2, 1), (5, 7), (3, 1000)] {
            let mut random = Random(3 + count as u64);
            // Well-conditioned: conjugate gradients in 32 bits go other ways else, whatever scalars are.
            let problem = Problem::new(dtype, [90, 11], 1.5, false, &mut random);
            let (a, ys) = (problem.operator(), data(&problem, count, &mut random));
            let starts: Vec<_> = (0..count).map(|_| random.numbers(dtype, 11)).collect();
            for damping in [0.0, 0.4] {
                check(&Cgls { damping, stop, check_every }, &a, &ys, &[]);
                check(&Cgls { damping, stop, check_every }, &a, &ys, &starts);
                check(&Lsqr { damping, stop, check_every }, &a, &ys, &[]);
                check(&Lsmr { damping, stop, check_every }, &a, &ys, &[]);
            }
            check(&Lsqr { damping: 0.0, stop, check_every }, &a, &ys, &starts);
            let identity = Identity::new(a.domain().clone()).unwrap();
            let normal = (identity + adjoint(&a).after(&a)).build().unwrap();
            let ys: Vec<_> = (0..count).map(|_| random.numbers(dtype, 11)).collect();
            let cg = Cg { preconditioner: None, stop, check_every };
            check(&cg, &normal, &ys, &[]);
            check(&cg, &normal, &ys, &starts);
            check(&Minres { stop, check_every }, &normal, &ys, &[]);
            check(&Minres { stop, check_every }, &normal, &ys, &starts);
            let half = (0.5 * &Identity::new(a.domain().clone()).unwrap()).build().unwrap();
            check(&Cg { preconditioner: Some(half), ..cg }, &normal, &ys, &[]);
        }
    }
}

#[test]
fn models_of_several_axes_and_of_one_element_have_columns_behind_them() {
    for shape in [&[5, 4][..], &[1], &[7, 1, 2]] {
        let space = Space::new(shape, DType::Float64).unwrap();
        let bend =
            FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
        let a = vstack![Identity::new(space.clone()).unwrap(), &bend].unwrap();
        let mut random = Random(1);
        let ys: Vec<_> = (0..3).map(|_| random.numbers(DType::Float64, a.range().len())).collect();
        check(&Cgls { damping: 0.1, ..Cgls::default() }, &a, &ys, &[]);
        check(&Lsqr::default(), &a, &ys, &[]);
    }
}

#[test]
fn sizes_zeros_and_nan_of_one_are_nothing_to_the_others() {
    for dtype in DTYPES {
        let sizes: [f64; 4] = if dtype.real() == DType::Float32 {
            [1.0, 1e-20, 1e20, 1e-36]
        } else {
            [1.0, 1e-200, 1e250, 1e-300]
        };
        let problem = Problem::new(dtype, [23, 11], 3.0, false, &mut Random(2));
        let a = problem.operator();
        let exact = problem.solution(0.0).0;
        let mut ys: Vec<Vec<Complex64>> = sizes
            .iter()
            .map(|size| problem.y.iter().map(|y| rounded(dtype, y * size)).collect())
            .collect();
        ys.push(vec![Complex64::default(); 23]);
        ys.push(vec![Complex64::new(f64::NAN, 0.0); 23]);
        let y = beside(dtype, &ys, &[23]);
        let stop = Stop::after(300);
        let cgls = Cgls { stop, ..Cgls::default() }.solve_columns(&a, &y, None).unwrap();
        let lsqr = Lsqr { stop, ..Lsqr::default() }.solve_columns(&a, &y, None).unwrap();
        for Columns { x, columns, .. } in [cgls, lsqr] {
            for (number, size) in sizes.iter().enumerate() {
                let what = format!("{dtype} {size:e}: {:?}", columns[number].stopped);
                let x: Vec<_> = column(&x, number).into_iter().map(|x| x / size).collect();
                let off = distance(&x, &exact);
                assert!(off < 100.0 * epsilon(dtype), "{what}, off by {off:e}");
                assert_eq!(columns[number].stopped, Stopped::Precision, "{what}");
                let first = columns[number].residuals[0] / size / norm(&problem.y);
                assert!((first - 1.0).abs() < 1e-5, "{what}: {first}");
            }
            assert_eq!(column(&x, 4), vec![Complex64::default(); 11]);
            assert_eq!((columns[4].iterations, columns[4].stopped), (0, Stopped::Gradient));
            assert_eq!((columns[5].iterations, columns[5].stopped), (0, Stopped::NotFinite));
            assert!(columns[5].residuals[0].is_nan());
        }
    }
}

#[test]
fn operators_of_every_size_are_solved() {
    for (dtype, size) in [(DType::Float32, 1e-18), (DType::Float32, 1e18), (DType::Float64, 1e-170)]
    {
        let mut problem = Problem::new(dtype, [23, 11], 3.0, false, &mut Random(2));
        let exact = problem.solution(0.0).0;
        problem.matrix.iter_mut().for_each(|a| *a = rounded(dtype, *a * size));
        let bad = vec![Complex64::new(f64::INFINITY, 0.0); 23];
        let y = beside(dtype, &[problem.y.clone(), problem.y.clone(), bad], &[23]);
        let solver = Cgls { stop: Stop::after(300), ..Cgls::default() };
        let found = solver.solve_columns(&problem.operator(), &y, None).unwrap();
        for number in 0..2 {
            let x: Vec<_> = column(&found.x, number).into_iter().map(|x| x * size).collect();
            let off = distance(&x, &exact);
            assert!(off < 1e3 * epsilon(dtype), "{dtype} {size:e}: off by {off:e}");
        }
    }
}

#[test]
fn what_breaks_down_for_one_goes_on_for_the_others() {
    let matrix = [2.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 1.0, -1.0];
    let matrix = Array::from_slice(&matrix, [3, 3]).unwrap();
    let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
    // Alone in a positive part, and beside a negative one.
    let y = Array::from_slice(&[4.0, 0.0, 0.0, 0.0, 0.0, 1.0], [3, 2]).unwrap();
    let found = Cg::default().solve_columns(&a, &y, None).unwrap();
    assert_eq!(found.columns[0].stopped, Stopped::Residual);
    assert_eq!(found.columns[1].stopped, Stopped::Indefinite);
    let [none, two] = [0.0, 2.0].map(Complex64::from);
    assert_eq!(column(&found.x, 0), [two, none, none]);
    assert_eq!(column(&found.x, 1), [none; 3], "that before the direction");
}

#[test]
fn a_solution_that_is_found_early_is_left_alone() {
    for dtype in [DType::Float32, DType::Float64] {
        let mut random = Random(9);
        let problem = Problem::new(dtype, [40, 30], 1e4, false, &mut random);
        let a = problem.operator();
        let mut easy = vec![Complex64::default(); 30];
        easy[0] = 1.0.into();
        let easy = problem.forward(&easy).into_iter().map(|v| rounded(dtype, v)).collect();
        let ys = [easy, random.numbers(dtype, 40)];
        let tolerance = 0.05;
        let stop = Stop { residual: tolerance, ..Stop::after(10_000) };
        let solver = Cgls { stop, check_every: 1, ..Cgls::default() };
        let found = solver.solve_columns(&a, beside(dtype, &ys, &[40]), None).unwrap();
        let [early, late] = &found.columns[..] else { unreachable!() };
        assert!(early.iterations * 2 < late.iterations, "{early:?} {}", late.iterations);
        assert_eq!(early.stopped, Stopped::Residual);
        let alone = solver.solve(&a, array(dtype, &ys[0], &[40])).unwrap();
        let off = distance(&column(&found.x, 0), &values(&alone.x));
        assert!(off < 1e2 * epsilon(dtype), "off by {off:e}");
    }
}

#[test]
fn ten_thousand_iterations_past_the_end_change_nothing() {
    for dtype in [DType::Float32, DType::Float64] {
        for spread in [1.0, 1e3] {
            let mut random = Random(4);
            let problem = Problem::new(dtype, [20, 12], spread, false, &mut random);
            let a = problem.operator();
            let ys = data(&problem, 4, &mut random);
            let y = beside(dtype, &ys, &[20]);
            let solve = |check_every| {
                let stop = Stop::after(10_000);
                let cgls = Cgls { stop, check_every, damping: 0.0 };
                let lsqr = Lsqr { stop, check_every, damping: 0.0 };
                [cgls.solve_columns(&a, &y, None), lsqr.solve_columns(&a, &y, None)]
            };
            for (often, seldom) in solve(10).into_iter().zip(solve(10_000)) {
                let (often, seldom) = (often.unwrap(), seldom.unwrap());
                for number in 0..4 {
                    let stopped = seldom.columns[number].stopped;
                    assert_eq!(stopped, Stopped::Precision, "{dtype} {spread} {number}");
                    assert_eq!(column(&seldom.x, number), column(&often.x, number));
                    assert_eq!(seldom.columns[number], often.columns[number]);
                }
            }
        }
    }
}

#[test]
fn an_iteration_has_one_launch_more_than_that_of_one_however_many_there_are() {
    let trace = Arc::new(Trace::of(on(Device::cpu()).unwrap()));
    let problem = Problem::new(DType::Float64, [50, 40], 30.0, false, &mut Random(1));
    let a = problem.operator();
    let launches = |count: usize, iterations: usize, damping: f64| {
        let ys: Vec<_> = (0..count).map(|k| Random(k as u64).numbers(DType::Float64, 50)).collect();
        let y = beside(DType::Float64, &ys, &[50]);
        let solver = Cgls { stop: Stop::after(iterations), damping, check_every: 100 };
        solver.solve_columns_on(&*trace, &a, y.view(), None).unwrap();
        let steps = trace.steps();
        let _ = trace.take();
        steps
            .iter()
            .filter(|(verb, _)| *verb != "gemm")
            .map(|(_, cost)| cost.launches)
            .sum::<usize>()
    };
    // The norm of the residual is a sum by itself.
    for (damping, expected) in [(0.0, 5 + 1), (0.5, 8 + 1)] {
        for count in [1, 2, 20] {
            let found = launches(count, 5, damping) - launches(count, 4, damping);
            assert_eq!(found, expected, "{count} with damping {damping}");
        }
    }
}

#[test]
fn devices_solve_as_the_host_does() {
    for device in Device::all() {
        for dtype in [DType::Float32, DType::Complex64] {
            let mut random = Random(5);
            let problem = Problem::new(dtype, [23, 11], 3.0, false, &mut random);
            let ys = data(&problem, 3, &mut random);
            let matrix = array(dtype, &problem.matrix, &[23, 11]).into_device(device).unwrap().0;
            let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
            let host = beside(dtype, &ys, &[23]);
            let y = host.view().to(device).unwrap().0;
            let stop = Stop::after(40);
            let cgls = Cgls { stop, damping: 0.3, check_every: 10 };
            let lsqr = Lsqr { stop, damping: 0.0, check_every: 10 };
            let a = &a;
            let own = problem.operator();
            for (found, expected) in [
                (cgls.solve_columns(a, &y, None), cgls.solve_columns(&own, &host, None)),
                (lsqr.solve_columns(a, &y, None), lsqr.solve_columns(&own, &host, None)),
            ] {
                let (found, expected) = (found.unwrap(), expected.unwrap());
                let x = found.x.view().to(Device::cpu()).unwrap().0;
                for number in 0..3 {
                    let off = distance(&column(&x, number), &column(&expected.x, number));
                    assert!(off < 1e-5, "{device} {dtype} {number}: off by {off:e}");
                    assert_eq!(found.columns[number].stopped, expected.columns[number].stopped);
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let problem = Problem::new(DType::Float64, [6, 4], 2.0, false, &mut Random(1));
    let a = problem.operator();
    let solver = Cgls::default();
    let zeros = |shape: &[usize], dtype| Array::zeros(shape, dtype, Device::cpu()).unwrap();
    let wide = DType::Float64;
    let error = |y: Array, start: Option<Array>| -> Error {
        solver.solve_columns(&a, &y, start).unwrap_err()
    };
    for (error, words) in [
        (error(zeros(&[6], wide), None), "data has shape [6], expected [6, 6]"),
        (error(zeros(&[5, 3], wide), None), "data has shape [5, 3], expected [6, 3]"),
        (error(zeros(&[], wide), None), "data has shape [], expected [6, 1]"),
        (error(zeros(&[6, 3], DType::Float32), None), "data is Float32, expected Float64"),
        (
            error(zeros(&[6, 3], wide), Some(zeros(&[4], wide))),
            "start has shape [4], expected [4, 3]",
        ),
    ] {
        assert!(error.to_string().contains(words), "{error}");
    }
    let none = solver.solve_columns(&a, zeros(&[6, 0], wide), None).unwrap();
    assert_eq!((none.x.shape(), none.columns.len()), (&[4, 0][..], 0));
    let damped = Cgls { damping: -1.0, ..solver };
    let error = damped.solve_columns(&a, zeros(&[6, 3], wide), None).unwrap_err();
    assert!(error.to_string().contains("damping -1"), "{error}");
}
