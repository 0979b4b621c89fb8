//! Devices that have no 64-bit floating point: what they compute, what is read from them, and what is refused.
//!
//! Where OpenCL devices have it they are told to do without, which is a matter of the whole process: each test runs in one of
//! its own.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![allow(clippy::float_cmp, reason = "small integers are exact")]

use std::env;
use std::io::Write;
use std::process::Command;

use arrayspan_bridge::{Array, Conversion, DType, Relayout};
use arrayspan_devices::{Device, DeviceKind};
use arrayspan_kernels::{Error, Vector, VectorMut};
use arrayspan_operators::prelude::*;
use arrayspan_operators::{check_adjoint_on, laws};
use arrayspan_solvers::sparse::{Constraint, Irls, Omp, Shrunk, Spgl1, SplitBregman};
use arrayspan_solvers::{
    BiCgStab, Cg, Cgls, Fista, Gmres, Lsmr, Lsqr, Minres, SingleReductionCg, SingleReductionCgls,
    Solver, Sparsity, Stop, Stopped, Threshold,
};
use num_complex::Complex32;

const FLOAT64: &str = "ARRAYSPAN_OPENCL_FLOAT64";

/// Runs a test, which has this name, on every OpenCL device as if it had no 64-bit floating point.
fn without_float64(name: &str, test: impl Fn(Device)) {
    if env::var(FLOAT64).is_err() {
        let mut command = Command::new(env::current_exe().unwrap());
        let output = command.args(["--exact", name]).env(FLOAT64, "0").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    let devices = Device::all().into_iter().filter(|device| device.kind() == DeviceKind::OpenCl);
    let devices: Vec<Device> = devices.collect();
    if devices.is_empty() {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "skipped: no OpenCL device");
    }
    for device in devices {
        assert!(!device.info().float64);
        test(device);
    }
}

fn there(values: Vec<f32>, shape: &[usize], device: Device) -> Array {
    Array::from_vec(values, shape).unwrap().into_device(device).unwrap().0
}

#[test]
fn norms_are_float32_and_are_read_as_either() {
    without_float64("norms_are_float32_and_are_read_as_either", |device| {
        let x = there(vec![2.0, -3.0, 6.0], &[3], device);
        let norm = x.norm().unwrap();
        assert_eq!((norm.dtype(), norm.device()), (DType::Float32, device));
        assert_eq!((norm.item::<f32>().unwrap(), norm.item::<f64>().unwrap()), (7.0, 7.0));
        assert_eq!(x.norm_squared().unwrap().item::<f64>().unwrap(), 49.0);
        let ratio = (x.norm().unwrap() / (&x * 2.0).norm().unwrap()).compute().unwrap();
        assert_eq!(ratio.item::<f64>().unwrap(), 0.5);
        let mut unit = Array::zeros_like(&x).unwrap();
        unit.assign(&x / &norm).unwrap();
        assert!((unit.norm().unwrap().item::<f64>().unwrap() - 1.0).abs() < 1e-6);

        let z = Array::from_vec(vec![Complex32::new(3.0, -4.0), Complex32::new(0.0, 12.0)], [2]);
        let z = z.unwrap().into_device(device).unwrap().0;
        let norm = z.norm().unwrap();
        assert_eq!((norm.dtype(), norm.item::<f64>().unwrap()), (DType::Float32, 13.0));
    });
}

#[test]
fn sums_and_means_of_float32_are_finite_and_accurate() {
    without_float64("sums_and_means_of_float32_are_finite_and_accurate", |device| {
        for len in [1, 2, 3, 7, 1000, 7919] {
            let numbers: Vec<f32> = (0..len).map(|i| (i as f32).sin() * 3.2e38).collect();
            let expected = numbers.iter().map(|v| f64::from(*v)).sum::<f64>() / len as f64;
            let mean = there(numbers, &[len], device).mean().unwrap().item::<f32>().unwrap();
            let error = (f64::from(mean) - expected).abs();
            assert!(error <= 1e-6 * 3.2e38, "{len}: {mean:e}, not {expected:e}");
        }
        let none = there(Vec::new(), &[0], device).mean().unwrap();
        assert!(none.item::<f32>().unwrap().is_nan());
        for (size, len) in [(1.0, 7919), (1e-20, 257), (1e20, 257), (f32::MAX, 31)] {
            let x = there(vec![size; 3 * len], &[3, len], device);
            let mean = x.mean().unwrap().item::<f32>().unwrap();
            assert!((mean / size - 1.0).abs() < 1e-5, "{size:e} {len}: {mean:e}");
            let means = x.mean_axes(1).unwrap();
            assert_eq!((means.shape(), means.dtype()), (&[3][..], DType::Float32));
            for mean in means.to_vec::<f32>().unwrap() {
                assert!((mean / size - 1.0).abs() < 1e-5, "{size:e} {len}: {mean:e}");
            }
        }
        let x = there((0..30).map(|at| at as f32).collect(), &[5, 6], device);
        assert_eq!(x.sum_axes(0).unwrap().to_vec::<f32>().unwrap(), [60., 65., 70., 75., 80., 85.]);
        assert_eq!(x.max_axes(-1).unwrap().to_vec::<f32>().unwrap(), [5., 11., 17., 23., 29.]);
    });
}

#[test]
fn arithmetic_in_64_bits_is_refused_with_what_to_do() {
    without_float64("arithmetic_in_64_bits_is_refused_with_what_to_do", |device| {
        let wide = Array::from_vec(vec![1.0_f64, 2.0], [2]).unwrap();
        let wide = wide.into_device(device).unwrap().0;
        let mut out = Array::zeros_like(&wide).unwrap();
        let refused = |result: Result<(), Error>, verb: &str| {
            let error = result.unwrap_err();
            let expected = format!(
                "{verb}: {device} has no 64-bit floating point and cannot compute with Float64: convert the array to \
                 Float32, or move it to another device"
            );
            assert!(matches!(error, Error::NoFloat64 { .. }), "{error}");
            assert_eq!(error.to_string(), expected);
        };
        refused((&wide + 1.0).compute().map(|_| ()), "compute");
        refused(wide.sum().map(|_| ()), "sum");
        refused(wide.mean().map(|_| ()), "mean");
        refused(wide.mean_axes([]).map(|_| ()), "mean_axes");
        refused(out.assign(&wide * 2.0), "assign");
        assert_eq!(out.to_vec::<f64>().unwrap(), [0.0; 2], "nothing was written");
        // Numbers are carried and read, and the two ways out are open.
        assert_eq!(wide.to_vec::<f64>().unwrap(), [1.0, 2.0]);
        let stream = device.stream().unwrap();
        let narrow = wide.view().convert(DType::Float32, &Conversion::EXACT, &stream).unwrap();
        assert_eq!((narrow.sum().unwrap() + 0.0).compute().unwrap().item::<f64>().unwrap(), 3.0);
        let here = wide.into_device(Device::cpu()).unwrap().0;
        assert_eq!(here.norm_squared().unwrap().item::<f64>().unwrap(), 5.0);
    });
}

#[test]
fn operators_and_solvers_run_in_float32() {
    without_float64("operators_and_solvers_run_in_float32", |device| {
        let on = arrayspan_kernels::on(device).unwrap();
        let space = Space::new([17, 13], DType::Float32).unwrap();
        let identity = Identity::new(space.clone()).unwrap();
        let slope = FirstDerivative::new(space, 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
        let a = vstack![&identity, 2.0 * &slope].unwrap();
        assert!(check_adjoint_on(&a, &*on, 1).unwrap().holds());
        let report = laws::check_on(&a, &*on, 1).unwrap();
        assert!(report.holds(), "{report}");
        let x = Array::ones([17, 13], DType::Float32, device).unwrap();
        let y = a.forward(&x).unwrap();
        let solution = Cgls { stop: Stop::after(60), ..Cgls::default() }.solve(&a, &y).unwrap();
        // At the level of rounding, or beyond it: with no gradient at all.
        let stopped = solution.stopped;
        assert!(matches!(stopped, Stopped::Precision | Stopped::Gradient), "{stopped:?}");
        let error = (&solution.x - &x).norm().unwrap() / x.norm().unwrap();
        let error = error.compute().unwrap().item::<f64>().unwrap();
        assert!(error < 1e-5, "{error:e}");
    });
}

#[test]
fn methods_for_sparse_models_run_in_float32() {
    without_float64("methods_for_sparse_models_run_in_float32", |device| {
        let space = Space::new([40], DType::Float32).unwrap();
        let blur = Smoothing::new(space.clone(), &[(0, 3)]).unwrap();
        let mut spikes = vec![0.0; 40];
        (spikes[10], spikes[25]) = (3.0, -2.0);
        let truth = there(spikes, &[40], device);
        let y = blur.forward(&truth).unwrap();
        let near = |x: &Array, what: &str| {
            let error = (x - &truth).norm().unwrap() / truth.norm().unwrap();
            let error = error.compute().unwrap().item::<f64>().unwrap();
            assert!(error < 0.02, "{what}: {error:e}");
        };
        let keeping = Threshold::HardKeeping(5.0);
        for (threshold, basis) in [
            (Threshold::Soft, None),
            (Threshold::Half, Some(Identity::new(space.clone()).unwrap())),
            (keeping, None),
        ] {
            let sparsity = Sparsity { weight: 1e-3, threshold, basis, ..Sparsity::default() };
            let stop = Stop { residual: 0.0, ..Stop::after(3000) };
            for backtracking in [false, true] {
                let sparsity = sparsity.clone();
                let (restart, check_every) = (true, 50);
                let solver =
                    Fista { sparsity, restart, stop, check_every, backtracking, step: None };
                near(&solver.solve(&blur, &y).unwrap().x, &format!("{threshold:?}"));
            }
        }
        near(&Omp { residual: 1e-4, ..Omp::default() }.solve(&blur, &y).unwrap().x, "Omp");
        let constraint = Constraint::Misfit(1e-2);
        let solver = Spgl1 { constraint, tolerance: 1e-4, ..Spgl1::default() };
        near(&solver.solve(&blur, &y).unwrap().x, "Spgl1");

        let steps: Vec<f32> = (0..40).map(|i| if i < 13 { 1.0 } else { 3.0 }).collect();
        let steps = there(steps, &[40], device);
        let operator =
            FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Forward, Edge::Zero).unwrap();
        for isotropic in [false, true] {
            let l1 = vec![Shrunk { operator: operator.clone(), weight: 0.1, isotropic }];
            let solver = SplitBregman { l1, iterations: 5, ..SplitBregman::default() };
            let x = solver.solve(&Identity::new(space.clone()).unwrap(), &steps).unwrap().x;
            assert!((x - &steps).norm().unwrap().item::<f64>().unwrap() < 0.1);
        }
        // Three times the same, once with an outlier.
        let same = Identity::new(space).unwrap();
        let thrice = vstack![&same, &same, &same].unwrap();
        let mut y = thrice.forward(&truth).unwrap();
        y.view_mut().sliced(0, 3, 1).unwrap().assign(50.0).unwrap();
        let irls = Irls { iterations: 30, epsilon: 1e-3, ..Irls::default() };
        near(&irls.solve(&thrice, &y).unwrap().x, "Irls");
    });
}

/// `Aᴴ A` and the identity, for methods of all kinds.
#[test]
fn every_method_solves_in_float32() {
    fn off(solver: &impl Solver, a: &Operator, x: &Array) -> f64 {
        let solution = solver.solve(a, a.forward(x).unwrap()).unwrap();
        let error = (&solution.x - x).norm().unwrap() / x.norm().unwrap();
        error.compute().unwrap().item::<f64>().unwrap()
    }
    without_float64("every_method_solves_in_float32", |device| {
        for dtype in [DType::Float32, DType::Complex64] {
            let space = Space::new([17, 13], dtype).unwrap();
            let slope =
                FirstDerivative::new(space.clone(), 0, 1.0, Scheme::Centered3, Edge::Zero).unwrap();
            let squares = adjoint(&slope).after(&slope);
            let a = (Identity::new(space).unwrap() + squares).build().unwrap();
            let x = Array::ones([17, 13], dtype, device).unwrap();
            let stop = Stop::after(60);
            for off in [
                off(&Lsqr { stop, ..Lsqr::default() }, &a, &x),
                off(&Lsmr { stop, ..Lsmr::default() }, &a, &x),
                off(&Cg { stop, ..Cg::default() }, &a, &x),
                off(&Minres { stop, ..Minres::default() }, &a, &x),
                off(&BiCgStab { stop, ..BiCgStab::default() }, &a, &x),
                off(&Gmres { stop, restart: 20, ..Gmres::default() }, &a, &x),
                off(&SingleReductionCg { stop, ..SingleReductionCg::default() }, &a, &x),
                off(&SingleReductionCgls { stop, ..SingleReductionCgls::default() }, &a, &x),
            ] {
                assert!(off < 1e-4, "{dtype}: {off:e}");
            }
        }
    });
}
