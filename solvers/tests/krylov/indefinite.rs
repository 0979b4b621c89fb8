//! MINRES.

use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{Conj, MatrixMult, Space};
use arrayspan_solvers::{Error, Minres, Solver, Stop, Stopped};
use num_complex::Complex64;

use super::support::{self, Random, array, epsilon, values};
use super::{DTYPES, System, devices, left, off, on_device, spread};

fn far(iterations: usize) -> Minres {
    Minres { stop: Stop::after(iterations), check_every: iterations.max(1) }
}

/// Self-adjoint, with eigenvalues of both signs.
fn system(dtype: DType, condition: f64) -> System {
    let mut eigenvalues = spread(31, 1.0, condition);
    eigenvalues.iter_mut().step_by(3).for_each(|eigenvalue| *eigenvalue = -*eigenvalue);
    System::hermitian(dtype, &eigenvalues, &mut Random(1))
}

#[test]
fn systems_of_both_signs_are_solved_on_every_device_in_every_dtype() {
    for dtype in DTYPES {
        for device in devices(dtype) {
            let system = system(dtype, 30.0);
            let solution = on_device(&far(300), &system, device);
            assert_eq!(solution.stopped, Stopped::Precision, "{device} {dtype}");
            let off = off(&solution, &system);
            assert!(off < 200.0 * epsilon(dtype), "{device} {dtype}: {off:e}");
        }
    }
}

#[test]
fn the_history_is_that_of_the_true_residuals_and_never_rises_whatever_is_checked() {
    let system = system(DType::Float64, 30.0);
    let (a, y) = (system.operator(), system.data());
    let all = far(20).solve(&a, &y).unwrap();
    assert_eq!((all.iterations, all.stopped), (20, Stopped::Iterations));
    assert!(all.residuals.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-14)));
    let size = support::norm(&system.y);
    for check_every in [1, 2, 3, 7] {
        for iterations in [1, 2, 7, 13, 20] {
            let solution = Minres { check_every, ..far(iterations) }.solve(&a, &y).unwrap();
            let expected = left(&system, &solution.x) * size;
            let off = (all.residuals[iterations] - expected).abs();
            assert!(off < 1e-11 * size, "{iterations} checking every {check_every}: {off:e}");
        }
    }
}

#[test]
fn thousands_of_iterations_too_many_change_nothing() {
    for dtype in DTYPES {
        let most = if dtype == DType::Float32 { 10_000 } else { 1000 };
        for condition in [1.0, 30.0, 1e3] {
            let system = system(dtype, condition);
            let (a, y) = (system.operator(), system.data());
            let first = Minres { check_every: 1, ..far(most) }.solve(&a, &y).unwrap();
            let long = far(most).solve(&a, &y).unwrap();
            assert_eq!(values(&first.x), values(&long.x), "{dtype} {condition}");
            assert_eq!(first.residuals, long.residuals);
            let (off, bound) = (off(&long, &system), 300.0 * condition * epsilon(dtype));
            assert!(off < bound, "{dtype} {condition}: {off:e}");
        }
    }
}

#[test]
fn sizes_of_any_order_are_solved_alike() {
    let system = system(DType::Float32, 30.0);
    for [operator, data] in
        [[1.0, 1e-20], [1.0, 1e20], [1e20, 1.0], [1e-20, 1.0], [1e20, 1e20], [1e-20, 1e-20]]
    {
        let system = system.scaled(operator, data);
        let solution = far(300).solve(&system.operator(), system.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Precision, "{operator:e} {data:e}");
        let off = off(&solution, &system);
        assert!(off < 1e-4, "{operator:e} {data:e}: {off:e}");
    }
}

/// In exact arithmetic the last step would be infinite, or the least-squares solution.
#[test]
fn singular_operators_with_data_out_of_range_are_named_near_least_squares() {
    for dtype in DTYPES {
        for seed in 0..8 {
            let mut eigenvalues = spread(31, 1.0, 30.0);
            (eigenvalues[0], eigenvalues[7], eigenvalues[9]) = (0.0, 0.0, -5.0);
            let mut system = System::hermitian(dtype, &eigenvalues, &mut Random(seed));
            // Not in the range.
            system.y = Random(seed + 40).numbers(dtype, 31);
            let solution = far(2000).solve(&system.operator(), system.data()).unwrap();
            let stopped = solution.stopped;
            assert!(matches!(stopped, Stopped::Singular | Stopped::Precision), "{dtype} {seed}");
            let x = values(&solution.x);
            let image = super::times(&system.matrix, &x);
            let rest: Vec<_> = system.y.iter().zip(image).map(|(y, image)| y - image).collect();
            let gradient = support::norm(&super::times(&system.matrix, &rest));
            let bound = 3000.0 * epsilon(dtype).sqrt() * support::norm(&rest);
            assert!(gradient < bound, "{dtype} {seed}: {gradient:e}, expected {bound:e}");
            // Some part along what the matrix maps to zero there is; a step more and it is 1/ε.
            let most = 1.0 / epsilon(dtype).sqrt();
            assert!(support::norm(&x) < most, "{dtype} {seed}: {:e}", support::norm(&x));
            assert!(solution.residuals.len() < 200, "{dtype} {seed}");
        }
    }
}

#[test]
fn singular_operators_of_any_rank_end_before_their_rounding_errors_are_taken_for_a_direction() {
    for dtype in [DType::Float64, DType::Complex128] {
        let mut lost = Vec::new();
        for seed in 0..150 {
            let n = [2, 3, 5, 7, 11, 13][seed % 6];
            let rank = 1 + seed / 6 % (n - 1);
            let mut eigenvalues = spread(n, 1.0, [1.0, 2.0, 10.0, 30.0][seed / 3 % 4]);
            eigenvalues.iter_mut().step_by(3).for_each(|eigenvalue| *eigenvalue = -*eigenvalue);
            eigenvalues[rank..].fill(0.0);
            let mut system = System::hermitian(dtype, &eigenvalues, &mut Random(seed as u64));
            system.y = Random(seed as u64 + 400).numbers(dtype, n);
            let solution = far(500).solve(&system.operator(), system.data()).unwrap();
            // Zero leaves 1.
            if left(&system, &solution.x) > 1.1 {
                lost.push((seed, rank, n, solution.stopped));
            }
        }
        // Rounding has no bound that all spectra keep to.
        assert!(lost.len() < 5, "{dtype}: {lost:?}");
    }
}

#[test]
fn singular_operators_with_data_in_their_range_are_solved() {
    for dtype in DTYPES {
        let mut eigenvalues = spread(31, 1.0, 30.0);
        (eigenvalues[0], eigenvalues[7], eigenvalues[9]) = (0.0, 0.0, -5.0);
        let system = System::hermitian(dtype, &eigenvalues, &mut Random(3));
        let solution = far(2000).solve(&system.operator(), system.data()).unwrap();
        let left = left(&system, &solution.x);
        assert!(left < 1e3 * epsilon(dtype), "{dtype}: {left:e}, {:?}", solution.stopped);
    }
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
        }
    }
}

#[test]
fn a_start_is_gone_on_from() {
    for dtype in DTYPES {
        let system = system(dtype, 30.0);
        let (a, y) = (system.operator(), system.data());
        let start = array(dtype, &Random(5).numbers(dtype, 31), &[31]);
        let solution = far(300).solve_from(&a, &y, Some(start), &mut ()).unwrap();
        assert!(off(&solution, &system) < 300.0 * epsilon(dtype), "{dtype}");
    }
}

/// The conjugate, which is linear over the real numbers only, with eigenvalues 1 and -1.
#[test]
fn real_linear_operators_are_solved() {
    let a = Conj::new(Space::new([9], DType::Complex128).unwrap()).unwrap();
    let y = Random(6).numbers(DType::Complex128, 9);
    let solution = far(10).solve(&a, array(DType::Complex128, &y, &[9])).unwrap();
    let expected: Vec<_> = y.iter().map(Complex64::conj).collect();
    assert!(support::distance(&values(&solution.x), &expected) < 1e-14);
    assert!(solution.iterations <= 3, "{}", solution.iterations);
}

#[test]
fn a_workspace_serves_many_runs_whatever_the_last_one_left() {
    let system = system(DType::Float64, 30.0);
    let (a, y) = (system.operator(), system.data());
    let host = arrayspan_kernels::on(y.device()).unwrap();
    let solver = far(7);
    let mut workspace = solver.workspace(&a, &*host).unwrap();
    let mut solve = |y: &Array| {
        values(&solver.solve_in(&mut workspace, &*host, &a, y.view(), None, &mut ()).unwrap().x)
    };
    let expected = solve(&y);
    let _ = solve(&array(DType::Float64, &[f64::NAN.into(); 31], &[31]));
    assert_eq!(solve(&y), expected);
}

#[test]
fn a_rectangular_operator_is_refused() {
    let matrix = Array::from_slice(&[1.0; 12], [4, 3]).unwrap();
    let wide = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
    let error = Minres::default().solve(&wide, Array::from_slice(&[1.0; 4], [4]).unwrap());
    assert!(matches!(error.unwrap_err(), Error::Parameter { solver: "Minres", .. }));
}
