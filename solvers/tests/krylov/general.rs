//! Square systems of any kind: `Gmres` and `BiCgStab`.

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_operators::{Conj, Diagonal, Identity, LinearMap, MatrixMult, Space};
use arrayspan_solvers::{BiCgStab, Error, Gmres, Solution, Solver, Stop, Stopped};
use num_complex::Complex64;

use super::support::{self, Random, array, epsilon, values};
use super::{DTYPES, System, devices, left, off, on_device};

fn bicgstab(iterations: usize) -> BiCgStab {
    BiCgStab {
        stop: Stop::after(iterations),
        check_every: iterations.max(1),
        ..BiCgStab::default()
    }
}

fn gmres(iterations: usize, restart: usize) -> Gmres {
    let check_every = iterations.max(1);
    Gmres { restart, stop: Stop::after(iterations), check_every, ..Gmres::default() }
}

/// Random entries, and a diagonal on which the condition depends.
fn system(dtype: DType, n: usize, diagonal: f64) -> System {
    let mut random = Random(1);
    let mut matrix = random.numbers(dtype, n * n);
    matrix.iter_mut().step_by(n + 1).for_each(|entry| *entry += diagonal);
    System::new(dtype, matrix, &mut random)
}

/// What both must do, of one that solves with so many iterations at most, and the host checking every so many.
fn for_both(holds: impl Fn(&str, &dyn Fn(&System, usize, usize) -> Solution)) {
    holds("BiCgStab", &|system, iterations, check_every| {
        let solver = BiCgStab { check_every, ..bicgstab(iterations) };
        solver.solve(&system.operator(), system.data()).unwrap()
    });
    for restart in [5, 100] {
        holds(&format!("Gmres({restart})"), &|system, iterations, check_every| {
            let solver = Gmres { check_every, ..gmres(iterations, restart) };
            solver.solve(&system.operator(), system.data()).unwrap()
        });
    }
}

#[test]
fn every_system_is_solved_on_every_device_in_every_dtype() {
    for dtype in DTYPES {
        for device in devices(dtype) {
            let system = system(dtype, 31, 9.0);
            for (name, solution) in [
                ("BiCgStab", on_device(&bicgstab(200), &system, device)),
                ("Gmres", on_device(&gmres(200, 40), &system, device)),
                ("Gmres(7)", on_device(&gmres(200, 7), &system, device)),
            ] {
                let what = format!("{name} {device} {dtype}");
                assert_eq!(solution.stopped, Stopped::Precision, "{what}");
                let off = off(&solution, &system);
                assert!(off < 200.0 * epsilon(dtype), "{what}: {off:e}");
            }
        }
    }
}

#[test]
fn the_history_is_that_of_the_true_residuals_whatever_is_checked() {
    let system = system(DType::Complex128, 17, 7.0);
    let size = support::norm(&system.y);
    for_both(|name, solve| {
        let all = solve(&system, 12, 100);
        assert_eq!((all.iterations, all.stopped), (12, Stopped::Iterations), "{name}");
        if name.starts_with("Gmres") {
            assert!(all.residuals.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)));
        }
        for check_every in [1, 3, 5, 7] {
            for iterations in [0, 1, 4, 5, 6, 11, 12] {
                let solution = solve(&system, iterations, check_every);
                let expected = left(&system, &solution.x) * size;
                let off = (all.residuals[iterations] - expected).abs();
                assert!(off < 1e-12 * size, "{name} {iterations} of {check_every}: {off:e}");
                // To the last bit, whenever the host looks.
                let what = format!("{name} {iterations} of {check_every}");
                assert_eq!(solution.residuals, all.residuals[..=iterations], "{what}");
                let once = solve(&system, iterations, 100);
                assert_eq!(values(&solution.x), values(&once.x), "{what}");
            }
        }
    });
}

#[test]
fn thousands_of_iterations_too_many_change_nothing() {
    for dtype in DTYPES {
        let most = if dtype == DType::Float32 { 10_000 } else { 1000 };
        for diagonal in [20.0, 7.0, 2.0] {
            let system = system(dtype, 23, diagonal);
            for_both(|name, solve| {
                let what = format!("{name} {dtype} {diagonal}");
                let long = solve(&system, most, most);
                assert!(values(&long.x).iter().all(|x| x.is_finite()), "{what}");
                if name == "Gmres(5)" && diagonal < 5.0 {
                    // Short cycles need not converge.
                    assert!(left(&system, &long.x) <= 1.0 + 1e-5, "{what}");
                    return;
                }
                if long.stopped == Stopped::Breakdown {
                    assert!(name == "BiCgStab" && diagonal < 5.0, "{what}");
                    return;
                }
                let short = solve(&system, most, 10);
                assert!(
                    left(&system, &long.x) < 3e3 * epsilon(dtype),
                    "{what}: {:?}",
                    long.stopped
                );
                assert_eq!(long.stopped, Stopped::Precision, "{what}");
                assert_eq!(short.stopped, Stopped::Precision, "{what}");
                assert_eq!(short.residuals, long.residuals, "{what}");
                assert_eq!(values(&short.x), values(&long.x), "{what}");
            });
        }
    }
}

#[test]
fn sizes_of_any_order_are_solved_alike() {
    let system = system(DType::Float32, 23, 9.0);
    for [operator, data] in
        [[1.0, 1e-20], [1.0, 1e20], [1e20, 1.0], [1e-20, 1.0], [1e20, 1e20], [1e-20, 1e-20]]
    {
        let scaled = system.scaled(operator, data);
        for_both(|name, solve| {
            let solution = solve(&scaled, 300, 10);
            let what = format!("{name} {operator:e} {data:e}");
            assert_eq!(solution.stopped, Stopped::Precision, "{what}");
            let off = off(&solution, &scaled);
            assert!(off < 1e-4, "{what}: {off:e}");
        });
    }
}

#[test]
fn zero_data_and_data_that_are_not_finite_have_an_outcome() {
    for dtype in DTYPES {
        let mut system = system(dtype, 11, 9.0);
        for (value, stopped) in [
            (0.0, Stopped::Gradient),
            (f64::NAN, Stopped::NotFinite),
            (f64::INFINITY, Stopped::NotFinite),
        ] {
            system.y = vec![value.into(); 11];
            for_both(|name, solve| {
                let solution = solve(&system, 20, 10);
                assert_eq!(solution.stopped, stopped, "{name} {dtype} {value}");
                assert!(value != 0.0 || support::norm(&values(&solution.x)) == 0.0);
            });
        }
    }
}

#[test]
fn one_unknown_takes_one_iteration() {
    for dtype in DTYPES {
        let system = system(dtype, 1, 9.0);
        for_both(|name, solve| {
            let solution = solve(&system, 50, 1);
            assert!(off(&solution, &system) < 4.0 * epsilon(dtype), "{name} {dtype}");
            assert!(solution.iterations <= 2, "{name} {dtype}: {}", solution.iterations);
        });
    }
}

#[test]
fn a_start_is_gone_on_from() {
    for dtype in DTYPES {
        let system = system(dtype, 23, 9.0);
        let (a, y) = (system.operator(), system.data());
        let start = || Some(array(dtype, &Random(5).numbers(dtype, 23), &[23]));
        for solution in [
            bicgstab(300).solve_from(&a, &y, start(), &mut ()).unwrap(),
            gmres(300, 9).solve_from(&a, &y, start(), &mut ()).unwrap(),
        ] {
            assert!(off(&solution, &system) < 200.0 * epsilon(dtype), "{dtype}");
        }
    }
}

/// A rotation: `<A x, x> = 0`.
#[test]
fn skew_operators_break_bicgstab_down_by_name_and_not_gmres() {
    for dtype in DTYPES {
        let one = Complex64::ONE;
        let matrix = vec![0.0.into(), one, -one, 0.0.into()];
        let mut system = System::new(dtype, matrix, &mut Random(3));
        system.y = vec![one, 0.0.into()];
        system.truth = vec![0.0.into(), one];
        for check_every in [1, 100] {
            let solver = BiCgStab { check_every, ..bicgstab(100) };
            let solution = solver.solve(&system.operator(), system.data()).unwrap();
            assert_eq!(solution.stopped, Stopped::Breakdown, "{dtype}");
            assert_eq!((solution.iterations, support::norm(&values(&solution.x))), (0, 0.0));
        }
        let solution = gmres(100, 10).solve(&system.operator(), system.data()).unwrap();
        // To the last bit, or exactly.
        let stopped = solution.stopped;
        assert!(matches!(stopped, Stopped::Precision | Stopped::Gradient), "{dtype}: {stopped:?}");
        assert!(off(&solution, &system) < 4.0 * epsilon(dtype), "{dtype}");
    }
}

#[test]
fn singular_operators_are_named_where_the_data_are_out_of_range() {
    for dtype in DTYPES {
        // Nilpotent: y, A y, … end before they hold the solution.
        let mut matrix = vec![Complex64::default(); 25];
        (0..4).for_each(|i| matrix[i * 5 + i + 1] = Complex64::ONE);
        let mut system = System::new(dtype, matrix, &mut Random(3));
        system.y = (0..5).map(|i| f64::from(u8::from(i == 4)).into()).collect();
        let solution = gmres(100, 10).solve(&system.operator(), system.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Singular, "{dtype}");
        assert!(values(&solution.x).iter().all(|x| x.is_finite()));
        let solution = bicgstab(100).solve(&system.operator(), system.data()).unwrap();
        assert_eq!(solution.stopped, Stopped::Breakdown, "{dtype}");
        assert!(values(&solution.x).iter().all(|x| x.is_finite()));
    }
}

#[test]
fn ill_conditioned_bases_stay_orthogonal() {
    // Powers of such a matrix are nearly parallel at once.
    let n = 40;
    let weights: Vec<Complex64> = super::spread(n, 1e-6, 1.0).iter().map(|&w| w.into()).collect();
    let space = Space::new([n], DType::Float64).unwrap();
    let diagonal = array(DType::Float64, &weights, &[n]);
    let a = Diagonal::new(space, diagonal.into_shared()).unwrap();
    let y = array(DType::Float64, &vec![Complex64::ONE; n], &[n]);
    let solution = gmres(200, n).solve(&a, &y).unwrap();
    assert_eq!(solution.stopped, Stopped::Precision);
    // With a basis that is not orthogonal, as many steps as there are unknowns are not enough.
    assert!(solution.residuals[n] < 1e-9 * solution.residuals[0], "{:?}", solution.residuals);
    assert!(solution.iterations <= 2 * n + 1, "{}", solution.iterations);
    let x = values(&solution.x);
    let rest = x.iter().zip(&weights).map(|(x, w)| (x * w - 1.0).norm_sqr()).sum::<f64>();
    assert!(rest.sqrt() < 1e-9, "{:e}", rest.sqrt());
}

#[test]
fn the_inverse_as_a_preconditioner_solves_at_once_and_residuals_stay_those_of_the_system() {
    for dtype in [DType::Float64, DType::Complex64] {
        for device in devices(dtype) {
            let space = Space::new([31], dtype).unwrap();
            let weights: Vec<Complex64> =
                super::spread(31, 1.0, 1e4).iter().map(|&w| w.into()).collect();
            let inverse: Vec<Complex64> = weights.iter().map(|w| 1.1 / w).collect();
            let diagonal = |weights: &[Complex64]| {
                let weights = array(dtype, weights, &[31]).into_device(device).unwrap().0;
                Diagonal::new(space.clone(), weights.into_shared()).unwrap()
            };
            let a = diagonal(&weights);
            let y = || array(dtype, &weights, &[31]).into_device(device).unwrap().0;
            let m = || Some(diagonal(&inverse));
            for solution in [
                BiCgStab { preconditioner: m(), ..bicgstab(12) }.solve(&a, y()).unwrap(),
                Gmres { preconditioner: m(), ..gmres(12, 10) }.solve(&a, y()).unwrap(),
            ] {
                let what = format!("{device} {dtype} {:?}", solution.stopped);
                assert!(solution.iterations <= 3, "{what}: {}", solution.iterations);
                let x = values(&solution.x.into_device(Device::cpu()).unwrap().0);
                assert!(x.iter().all(|x| (x - 1.0).norm() < 100.0 * epsilon(dtype)), "{what}");
            }
        }
    }
}

/// `x + conj(x)/2`, which is linear over the real numbers only.
#[test]
fn real_linear_operators_are_solved() {
    for dtype in [DType::Complex64, DType::Complex128] {
        let space = Space::new([9], dtype).unwrap();
        let half = (0.5 * Conj::new(space.clone()).unwrap()).build().unwrap();
        let a = (Identity::new(space).unwrap() + half).build().unwrap();
        assert!(!a.properties().complex_linear);
        let truth = Random(6).numbers(dtype, 9);
        let y: Vec<_> = truth.iter().map(|x| x + x.conj() * 0.5).collect();
        let y = || array(dtype, &y, &[9]);
        for solution in
            [bicgstab(10).solve(&a, y()).unwrap(), gmres(10, 10).solve(&a, y()).unwrap()]
        {
            let off = support::distance(&values(&solution.x), &truth);
            assert!(off < 20.0 * epsilon(dtype), "{dtype}: {off:e} {:?}", solution.stopped);
            assert!(solution.iterations <= 3, "two eigenvalues: {}", solution.iterations);
        }
    }
}

#[test]
fn a_workspace_serves_many_runs_whatever_the_last_one_left() {
    let system = system(DType::Complex128, 23, 9.0);
    let (a, y) = (system.operator(), system.data());
    let host = arrayspan_kernels::on(y.device()).unwrap();
    let nan = array(DType::Complex128, &[f64::NAN.into(); 23], &[23]);
    let solver = gmres(7, 5);
    let mut workspace = solver.workspace(&a, &*host).unwrap();
    let mut solve = |y: &Array, restart| {
        let solver = gmres(7, restart);
        values(&solver.solve_in(&mut workspace, &*host, &a, y.view(), None, &mut ()).unwrap().x)
    };
    let expected = solve(&y, 5);
    assert!(solve(&nan, 5).iter().all(|x| !x.is_finite() || x.norm() == 0.0));
    assert_eq!(solve(&y, 5), expected);
    // It has no room for more.
    assert_eq!(solve(&y, 50), expected);
    let other = solve(&y, 2);
    assert_eq!(other, values(&gmres(7, 2).solve(&a, &y).unwrap().x));
    assert_ne!(other, expected);
    let solver = bicgstab(7);
    let mut workspace = solver.workspace(&a, &*host).unwrap();
    let mut solve = |y: &Array| {
        values(&solver.solve_in(&mut workspace, &*host, &a, y.view(), None, &mut ()).unwrap().x)
    };
    let expected = solve(&y);
    let _ = solve(&nan);
    assert_eq!(solve(&y), expected);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let matrix = Array::from_slice(&[1.0; 12], [4, 3]).unwrap();
    let wide = MatrixMult::new(matrix.into_shared(), &[]).unwrap();
    let y = Array::from_slice(&[1.0; 4], [4]).unwrap();
    let error = BiCgStab::default().solve(&wide, &y).unwrap_err();
    assert!(matches!(error, Error::Parameter { solver: "BiCgStab", .. }), "{error:?}");
    let error = Gmres::default().solve(&wide, &y).unwrap_err();
    assert!(matches!(error, Error::Parameter { solver: "Gmres", .. }), "{error:?}");
    let identity = Identity::new(Space::new([4], DType::Float64).unwrap()).unwrap();
    let error = Gmres { restart: 0, ..Gmres::default() }.solve(&identity, &y).unwrap_err();
    assert!(error.to_string().contains("restart"), "{error}");
}
