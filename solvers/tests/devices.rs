//! Operators that are computed on several devices, with arrays on one.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use arrayspan_bridge::devices::Device;
use arrayspan_bridge::{Array, DType};
use arrayspan_kernels::on;
use arrayspan_operators::prelude::*;
use arrayspan_solvers::{Cgls, Error, Solver, Stop};

fn space() -> Space {
    Space::new([13, 7], DType::Float64).unwrap()
}

fn slope(axis: isize) -> Operator {
    FirstDerivative::new(space(), axis, 1.0, Scheme::Forward, Edge::Zero).unwrap()
}

fn values(x: &Array) -> Vec<f64> {
    x.view().to_vec::<f64>().unwrap()
}

#[test]
fn a_stack_on_several_devices_is_solved_as_it_is_on_one() {
    let Some(other) = Device::all().into_iter().find(|d| !d.is_cpu() && d.info().float64) else {
        println!("skipped: no device but the CPU");
        return;
    };
    let cpu = Device::cpu();
    let identity = Identity::new(space()).unwrap();
    let mixed = vstack![&identity, slope(0).on(other, cpu).unwrap(), 0.5 * &slope(1)].unwrap();
    let plain = vstack![&identity, &slope(0), 0.5 * &slope(1)].unwrap();
    let numbers = (0..13 * 7).map(|i| f64::from((i * 37 + 11) % 23) / 23.0 - 0.4).collect();
    let y = plain.forward(Array::from_vec(numbers, [13, 7]).unwrap()).unwrap();
    let solver = Cgls { stop: Stop::after(40), damping: 0.1, ..Cgls::default() };
    let [found, expected] = [&mixed, &plain].map(|a| solver.solve(a, &y).unwrap());
    assert_eq!(found.x.device(), cpu);
    for (found, expected) in values(&found.x).iter().zip(values(&expected.x)) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }
    // A workspace that has nothing on the other device is refused.
    let executor = on(cpu).unwrap();
    let mut workspace = solver.workspace(&plain, &*executor).unwrap();
    let result = solver.solve_in(&mut workspace, &*executor, &mixed, y.view(), None, &mut ());
    assert!(matches!(result, Err(Error::Workspace { .. })));
}

#[test]
fn models_and_data_on_different_devices_are_refused_by_name() {
    let Some(other) = Device::all().into_iter().find(|d| !d.is_cpu() && d.info().float64) else {
        println!("skipped: no device but the CPU");
        return;
    };
    let up = ToDevice::new(space(), Device::cpu(), other).unwrap();
    let numbers = (0..13 * 7).map(f64::from).collect();
    let y = Array::from_vec(numbers, [13, 7]).unwrap().into_device(other).unwrap().0;
    let error = Cgls::default().solve(&up, &y).unwrap_err().to_string();
    let expected =
        format!("Cgls: ToDevice has models on cpu and data on {other}, and a run has both");
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.contains("`Operator::on`") && !error.contains("executor"), "{error}");
}

#[test]
fn operators_bound_to_another_device_than_the_data_are_refused_in_words_of_the_caller() {
    let Some(other) = Device::all().into_iter().find(|d| !d.is_cpu() && d.info().float64) else {
        println!("skipped: no device but the CPU");
        return;
    };
    let ones = |device| Array::ones([13, 7], DType::Float64, device).unwrap();
    let weights = Diagonal::new(space(), ones(Device::cpu())).unwrap();
    let error = Cgls::default().solve(&weights, ones(other)).unwrap_err();
    let found = matches!(&error, Error::OperatorDevices { expected, .. } if *expected == other);
    assert!(found, "{error}");
    let error = error.to_string();
    let expected = format!(
        "Cgls: Diagonal has models and data on cpu, and the data to be fitted are on {other}"
    );
    assert!(error.starts_with(&expected) && !error.contains("executor"), "{error}");
    // What it says helps.
    let moved = weights.on(Device::cpu(), other).unwrap();
    assert_eq!(Cgls::default().solve(&moved, ones(other)).unwrap().x.device(), other);
    let start = Some(ones(other));
    let error = Cgls::default().solve_from(&weights, ones(Device::cpu()), start, &mut ());
    let error = error.unwrap_err().to_string();
    assert_eq!(
        error,
        format!("Cgls: start is on {other}, and the run on cpu: move it there (`to(cpu)`)")
    );
}
