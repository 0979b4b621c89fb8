//! Wrong arguments are found first, named, and change nothing; unusual ones work.
#![allow(clippy::unwrap_used, reason = "an unexpected error fails the test")]

mod support;

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::on;
use arrayspan_operators::{Identity, Space};
use arrayspan_solvers::{Cgls, Error, Result, Solution, Solver, Stop, Stopped};
use support::{Problem, Random, values};

fn problem() -> Problem {
    Problem::new(DType::Float64, [12, 7], 1.0, false, &mut Random(1))
}

fn host(shape: &[usize], dtype: DType) -> Array {
    support::array(dtype, &vec![1.0.into(); shape.iter().product()], shape)
}

#[track_caller]
fn says(result: Result<Solution>, is: fn(&Error) -> bool, words: &[&str]) {
    let error = result.unwrap_err();
    assert!(is(&error), "{error:?}");
    let text = error.to_string();
    for word in words.iter().chain(&["Cgls"]) {
        assert!(text.contains(word), "'{text}' lacks '{word}'");
    }
}

#[test]
fn data_and_start_that_do_not_fit_are_named() {
    let a = problem().operator();
    let solver = Cgls::default();
    let shape = |error: &Error| matches!(error, Error::Shape { solver: "Cgls", .. });
    let dtype = |error: &Error| matches!(error, Error::DType { solver: "Cgls", .. });
    says(solver.solve(&a, host(&[3], DType::Float64)), shape, &["data", "[3]", "[12]"]);
    let wrong = host(&[12], DType::Float32);
    says(solver.solve(&a, &wrong), dtype, &["data", "Float32", "Float64"]);
    let from = |start| solver.solve_from(&a, problem().data(), Some(start), &mut ());
    says(from(host(&[12], DType::Float64)), shape, &["start", "[12]", "[7]"]);
    says(from(host(&[7], DType::Complex128)), dtype, &["start", "Complex128", "Float64"]);
}

#[test]
fn a_workspace_of_another_operator_is_named_and_left_as_it_was() {
    let a = problem().operator();
    let (y, executor) = (problem().data(), on(Device::cpu()).unwrap());
    let solver = Cgls::default();
    let other = |rows, columns, dtype| {
        let other = Problem::new(dtype, [rows, columns], 1.0, false, &mut Random(2)).operator();
        let mut workspace = solver.workspace(&other, &*executor).unwrap();
        solver.solve_in(&mut workspace, &*executor, &a, y.view(), None, &mut ())
    };
    let shape = |error: &Error| matches!(error, Error::Shape { .. });
    says(other(13, 7, DType::Float64), shape, &["the workspace's residual", "[13]", "[12]"]);
    says(other(12, 8, DType::Float64), shape, &["the workspace's gradient", "[8]", "[7]"]);
    let dtype = |error: &Error| matches!(error, Error::DType { .. });
    says(other(12, 7, DType::Float32), dtype, &["the workspace's residual", "Float32"]);

    // The same spaces, but a product needs memory between its factors.
    let space = Space::new([7], DType::Float64).unwrap();
    let plain = Identity::new(space.clone()).unwrap();
    let square = Problem::new(DType::Float64, [7, 7], 1.0, false, &mut Random(3)).operator();
    let product = square.after(&square).build().unwrap();
    let mut workspace = solver.workspace(&plain, &*executor).unwrap();
    let y = host(&[7], DType::Float64);
    let result = solver.solve_in(&mut workspace, &*executor, &product, y.view(), None, &mut ());
    says(result, |error| matches!(error, Error::Workspace { .. }), &["workspace has 0 bytes"]);
}

#[test]
fn another_device_is_named() {
    let (a, y) = (problem().operator(), problem().data());
    for device in
        Device::all().into_iter().filter(|device| !device.is_cpu() && device.info().float64)
    {
        let there = on(device).unwrap();
        let here = on(Device::cpu()).unwrap();
        let solver = Cgls::default();
        let mut workspace = solver.workspace(&a, &*here).unwrap();
        let wrong = |error: &Error| matches!(error, Error::WrongDevice { solver: "Cgls", .. });
        let result = solver.solve_in(&mut workspace, &*there, &a, y.view(), None, &mut ());
        says(result, wrong, &["data", "cpu", &device.to_string()]);
        let moved = problem().data().into_device(device).unwrap().0;
        let result = solver.solve_in(&mut workspace, &*here, &a, moved.view(), None, &mut ());
        says(result, wrong, &["data", "cpu", &device.to_string()]);
        let start = host(&[7], DType::Float64).into_device(device).unwrap().0;
        let result = solver.solve_in(&mut workspace, &*here, &a, y.view(), Some(start), &mut ());
        says(result, wrong, &["start", "cpu", &device.to_string()]);
    }
}

#[test]
fn a_check_interval_longer_than_the_iterations_takes_no_more_memory() {
    let (a, y) = (problem().operator(), problem().data());
    let expected = Cgls { stop: Stop::after(5), ..Cgls::default() }.solve(&a, &y).unwrap();
    for check_every in [6, 1 << 40, usize::MAX] {
        let solution =
            Cgls { check_every, stop: Stop::after(5), ..Cgls::default() }.solve(&a, &y).unwrap();
        assert_eq!(values(&solution.x), values(&expected.x));
    }
    let none = Cgls { check_every: usize::MAX, stop: Stop::after(0), ..Cgls::default() };
    assert_eq!(none.solve(&a, &y).unwrap().iterations, 0);
}

#[test]
fn a_check_interval_that_no_memory_holds_is_an_error() {
    let (a, y) = (problem().operator(), problem().data());
    for check_every in [1 << 62, usize::MAX] {
        let solver = Cgls { check_every, stop: Stop::after(usize::MAX), ..Cgls::default() };
        assert!(solver.solve(&a, &y).is_err(), "{check_every}");
    }
}

#[test]
fn parameters_that_make_no_sense_are_named() {
    let parameter = |error: &Error| matches!(error, Error::Parameter { solver: "Cgls", .. });
    let (a, y) = (problem().operator(), problem().data());
    let damped = |damping| Cgls { damping, ..Cgls::default() }.solve(&a, &y);
    for damping in [-1.0, f64::NAN, f64::INFINITY] {
        says(damped(damping), parameter, &["damping", &damping.to_string()]);
    }
    says(damped(f64::MAX), parameter, &["damping", "Float64"]);
    assert!(damped(1e300).is_ok());
    let single = Problem::new(DType::Float32, [12, 7], 1.0, false, &mut Random(1));
    let damped =
        |damping| Cgls { damping, ..Cgls::default() }.solve(&single.operator(), single.data());
    says(damped(1e40), parameter, &["damping 1e40", "Float32"]);
    assert!(damped(1e38).is_ok() && damped(1e-50).is_ok());
    let never = Cgls { check_every: 0, ..Cgls::default() }.solve(&a, &y);
    says(never, parameter, &["check_every is 0"]);
    for tolerance in [f64::NAN, -1e-8, -f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY] {
        for name in ["stop.residual", "stop.gradient"] {
            let (residual, gradient) =
                if name == "stop.residual" { (tolerance, 0.0) } else { (0.0, tolerance) };
            let stop = Stop { residual, gradient, ..Stop::after(5) };
            let solution = Cgls { stop, ..Cgls::default() }.solve(&a, &y);
            says(solution, parameter, &[name, &tolerance.to_string()]);
        }
    }
}

#[test]
fn a_workspace_made_for_another_look_serves() {
    let (a, y) = (problem().operator(), problem().data());
    let executor = on(Device::cpu()).unwrap();
    let solver = |check_every| Cgls { check_every, stop: Stop::after(6), ..Cgls::default() };
    let expected = solver(6).solve(&a, &y).unwrap();
    for [made, used] in [[1, 6], [2, 5], [6, 1], [4, 1 << 40]] {
        let mut workspace = solver(made).workspace(&a, &*executor).unwrap();
        let solution =
            solver(used).solve_in(&mut workspace, &*executor, &a, y.view(), None, &mut ()).unwrap();
        assert_eq!(values(&solution.x), values(&expected.x), "made for {made}, used for {used}");
        assert_eq!(solution.residuals, expected.residuals);
    }
}

#[test]
fn tolerances_of_zero_are_off() {
    let space = Space::new([4], DType::Float64).unwrap();
    let a = Identity::new(space).unwrap();
    let y = host(&[4], DType::Float64);
    let zero = support::array(DType::Float64, &[0.0.into(); 4], &[4]);
    // The residual is exactly zero at the start, or after one step.
    for y in [&zero, &y] {
        let solution = Cgls { stop: Stop::after(5), ..Cgls::default() }.solve(&a, y).unwrap();
        assert_eq!(solution.residuals.last(), Some(&0.0));
        assert_eq!(solution.stopped, Stopped::Gradient);
    }
}
