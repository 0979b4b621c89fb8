//! Systems that are solved by what fits them.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

#[path = "support/mod.rs"]
mod support;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::prelude::*;
use arrayspan_solvers::{Direct, Solve, SolvedBy, Stopped, solve};
use num_complex::Complex64;
use support::{Problem, Random, distance, epsilon, values};

const DTYPES: [DType; 4] = [DType::Float32, DType::Float64, DType::Complex64, DType::Complex128];

#[test]
fn matrices_are_solved_as_exactly_as_their_condition_allows_directly_and_by_iteration() {
    let mut random = Random(1);
    for dtype in DTYPES {
        for shape in [[20, 20], [31, 20], [1, 1], [7, 2]] {
            let problem = Problem::new(dtype, shape, 10.0, shape[0] == shape[1], &mut random);
            let (x, condition) = problem.solution(0.0);
            let solved = solve(&problem.operator(), problem.data()).unwrap();
            let square = shape[0] == shape[1];
            assert_eq!(solved.by, if square { SolvedBy::Lu } else { SolvedBy::SingularValues });
            assert_eq!(solved.solution.stopped, Stopped::Precision);
            let off = distance(&values(&solved.solution.x), &x);
            // Computed in double precision, and rounded.
            assert!(off <= 4.0 * epsilon(dtype) + 1e-12 * condition, "{dtype} {shape:?} {off}");
            let iterated = Solve { direct: Direct::Never, ..Solve::default() };
            let iterated = iterated.of(&problem.operator(), problem.data()).unwrap();
            assert_eq!(iterated.by, SolvedBy::Lsqr);
            let off = distance(&values(&iterated.solution.x), &x);
            assert!(off <= (1e3 * epsilon(dtype) + 1e-7) * condition, "{dtype} {shape:?} {off}");
        }
    }
}

#[test]
fn the_method_is_that_of_what_an_operator_knows_of_itself() {
    let space = Space::new([400], DType::Float64).unwrap();
    let slope = FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
    let identity = Identity::new(space.clone()).unwrap();
    let positive = (&identity + adjoint(&slope).after(&slope)).build().unwrap();
    let weights = Array::from_vec((0..400).map(|k| f64::from(k) - 3.5).collect(), [400]).unwrap();
    let indefinite = Diagonal::new(space, weights.into_shared()).unwrap();
    for (a, by) in
        [(&positive, SolvedBy::Cg), (&indefinite, SolvedBy::Minres), (&slope, SolvedBy::Lsqr)]
    {
        let x = Array::from_vec((0..400).map(|k| f64::from(k).sin()).collect::<Vec<f64>>(), [400])
            .unwrap();
        let y = a.forward(&x).unwrap();
        let solved = solve(a, &y).unwrap();
        assert_eq!(solved.by, by);
        let residuals = &solved.solution.residuals;
        assert!(residuals[residuals.len() - 1] <= 1e-5 * residuals[0], "{by:?}");
    }
    let small = Space::new([5, 4], DType::Float64).unwrap();
    let small = (3.0 * &Identity::new(small).unwrap()).build().unwrap();
    let y = Array::ones([5, 4], DType::Float64, Device::cpu()).unwrap();
    let solved = solve(&small, &y).unwrap();
    assert_eq!((solved.by, solved.solution.x.shape()), (SolvedBy::Cholesky, &[5, 4][..]));
    assert!(values(&solved.solution.x).iter().all(|x| (x - 1.0 / 3.0).norm() < 1e-15));
}

#[test]
fn singular_systems_have_the_shortest_solution() {
    let matrix = [1.0, 2.0, 2.0, 4.0].map(Complex64::from);
    for dtype in DTYPES {
        let matrix = support::array(dtype, &matrix, &[2, 2]);
        let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
        let y = support::array(dtype, &[1.0, 2.0].map(Complex64::from), &[2]);
        let solved = solve(&a, &y).unwrap();
        assert_eq!(solved.by, SolvedBy::SingularValues);
        let expected = [0.2, 0.4].map(Complex64::from);
        assert!(distance(&values(&solved.solution.x), &expected) < 10.0 * epsilon(dtype));
    }
    let space = Space::new([3], DType::Float64).unwrap();
    let zero = Zero::new(space.clone(), space).unwrap();
    let solved = solve(&zero, Array::from_slice(&[1.0, 2.0, 3.0], [3]).unwrap()).unwrap();
    assert!(values(&solved.solution.x).iter().all(|x| x.norm() == 0.0));
}

#[test]
fn nothing_crosses_to_the_host_unless_that_was_said() {
    let Some(other) = Device::all().into_iter().find(|d| !d.is_cpu() && d.info().float64) else {
        println!("skipped: no device but the CPU");
        return;
    };
    let mut random = Random(4);
    let problem = Problem::new(DType::Float64, [9, 9], 3.0, true, &mut random);
    let matrix = support::array(DType::Float64, &problem.matrix, &[9, 9]);
    let matrix = matrix.into_device(other).unwrap().0;
    let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
    let y = problem.data().into_device(other).unwrap().0;
    assert_eq!(solve(&a, &y).unwrap().by, SolvedBy::Lsqr);
    let through = Solve { direct: Direct::ThroughTheHost { most: 9 }, ..Solve::default() };
    let solved = through.of(&a, &y).unwrap();
    assert_eq!((solved.by, solved.solution.x.device()), (SolvedBy::Lu, other));
    let x = solved.solution.x.into_device(Device::cpu()).unwrap().0;
    assert!(distance(&values(&x), &problem.solution(0.0).0) < 1e-11);
}

#[test]
fn what_is_not_finite_and_what_is_only_real_linear_end_as_they_should() {
    let space = Space::new([3], DType::Complex128).unwrap();
    let conj = Conj::new(space).unwrap();
    let y = [1.0.into(), Complex64::I, Complex64::new(2.0, -1.0)];
    let solved = solve(&conj, support::array(DType::Complex128, &y, &[3])).unwrap();
    assert!(matches!(solved.by, SolvedBy::Lsqr | SolvedBy::Minres));
    let expected = y.map(|v| v.conj());
    assert!(distance(&values(&solved.solution.x), &expected) < 1e-7);
    let identity = Identity::new(Space::new([2], DType::Float64).unwrap()).unwrap();
    let solved = solve(&identity, Array::from_slice(&[1.0, f64::NAN], [2]).unwrap()).unwrap();
    assert_eq!(solved.solution.stopped, Stopped::NotFinite);
}

#[test]
fn numbers_of_any_size_are_solved_and_what_the_dtype_has_no_room_for_is_named() {
    let of = |dtype, a: f64, y: f64| {
        let numbers = |all: &[f64], by: f64| -> Vec<Complex64> {
            all.iter().map(|v| Complex64::from(v * by)).collect()
        };
        let matrix = support::array(dtype, &numbers(&[2.0, 1.0, 1.0, 3.0], a), &[2, 2]);
        let a = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
        solve(&a, support::array(dtype, &numbers(&[3.0, 5.0], y), &[2])).unwrap().solution
    };
    for dtype in [DType::Float64, DType::Complex128] {
        for [a, y] in
            [[1e-200, 1e-200], [1e200, 1e200], [1e200, 1.0], [1e-200, 1.0], [1e-150, 1e150]]
        {
            let solution = of(dtype, a, y);
            let x: Vec<_> = values(&solution.x).iter().map(|v| v / (y / a)).collect();
            let off = distance(&x, &[0.8.into(), 1.4.into()]);
            assert!(off < 1e-14, "{dtype} {a:e} {y:e}: {off:e}");
            assert_eq!(solution.stopped, Stopped::Precision, "{dtype} {a:e} {y:e}");
            let [first, last] = solution.residuals[..] else { unreachable!() };
            assert!(
                (first / y - 34.0_f64.sqrt()).abs() < 1e-13 && last < 1e-13 * first,
                "{first:e} {last:e}"
            );
        }
    }
    assert_eq!(of(DType::Float32, 1e-30, 1e30).stopped, Stopped::NotFinite);
    assert_eq!(of(DType::Complex64, 1e30, 1e-30).stopped, Stopped::Underflow);
}

#[test]
fn bounds_of_a_norm_hold_for_operators_of_any_size() {
    let weights = [3.0, -1.0, 2.5, 0.5, 1.0];
    for scale in [1e-250, 1e-100, 1e-50, 1e-30, 1.0, 1e30, 1e50, 1e100, 1e250] {
        let weights = Array::from_slice(&weights.map(|weight| weight * scale), [5]).unwrap();
        let a = Diagonal::new(Space::new([5], DType::Float64).unwrap(), weights).unwrap();
        let found = arrayspan_solvers::norm_estimate(&a).unwrap();
        let [lower, upper] = [found.lower, found.upper].map(|bound| bound / scale);
        assert!(lower <= 3.0 && (3.0..3.5).contains(&upper), "{scale:e}: {lower} {upper}");
    }
}
