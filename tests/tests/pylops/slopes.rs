//! Slopes are those of PyLops, by structure tensors and by plane-wave destruction, on every device.

use arrayspan_bridge::{Array, DType};
use arrayspan_conformance::suite::{Cell, Sample, Values, devices, golden};
use arrayspan_devices::{Device, DeviceKind};
use arrayspan_operators::slopes::{StructureTensor, dip_estimate, slope_estimate};
use arrayspan_solvers::slopes::{
    AllPass, PlaneWaveDestruction, SlopeSmoothing, pwd_slope_estimate,
};

fn given(device: Device, dtype: DType, key: &str) -> Array {
    let cell = Cell { device, dtype };
    cell.array(&golden::array(cell, key, "section").unwrap()).unwrap()
}

/// Fails unless an array is the golden one.
fn same(found: &Array, key: &str, name: &str, tolerance: f64) {
    let reference = Cell { device: Device::cpu(), dtype: DType::Float64 };
    let expected = golden::array(reference, key, name).unwrap();
    let found = devices::read(found).unwrap();
    let (found, expected) = (numbers(&found), numbers(&expected));
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let near = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(near, "{key} {name} {at}: {found} for {expected}");
    }
}

fn numbers(values: &Values) -> Vec<f64> {
    values.numbers.iter().map(|value| value.re).collect()
}

/// Every device that there is, in each dtype, with what rounding makes of small numbers there; where kernels are compiled slowly in one, if
/// the case is the one for these.
fn everywhere(slowly: bool, each: impl Fn(Device, DType, f64)) {
    let sample = Sample::from_environment();
    for kind in [DeviceKind::Cpu, DeviceKind::OpenCl, DeviceKind::Cuda] {
        for device in devices::of(kind).unwrap_or_default() {
            let slow = sample.applies(Cell { device, dtype: DType::Float32 });
            if !slow || slowly {
                each(device, DType::Float32, 2e-3);
            }
            if !slow {
                each(device, DType::Float64, 1e-10);
            }
        }
    }
}

#[test]
fn structure_tensors_give_those_of_pylops() {
    let default = StructureTensor::default();
    let steps = StructureTensor { steps: [2.0, 0.5], deviations: [1.5; 2], ..default };
    let threshold = StructureTensor { deviations: [1.0, 2.0], threshold: 0.25, ..default };
    for (key, parameters) in [
        ("slopes/default", default),
        ("slopes/steps", steps),
        ("slopes/short", StructureTensor { deviations: [5.0, 0.0], ..default }),
        ("slopes/threshold", threshold),
        ("slopes/nothing", StructureTensor { threshold: 1e3, ..default }),
    ] {
        everywhere(key.ends_with("steps"), |device, dtype, tolerance| {
            let section = given(device, dtype, key);
            let found = slope_estimate(&section, parameters).unwrap();
            same(&found.slopes, key, "slopes", tolerance);
            same(&found.anisotropy, key, "anisotropy", tolerance);
            assert_eq!((found.slopes.device(), found.slopes.dtype()), (device, dtype));
            let found = dip_estimate(&section, parameters).unwrap();
            // Where there is nothing PyLops has dips of zero.
            same(&found.slopes, key, "dips", tolerance);
            assert_eq!((found.slopes.device(), found.slopes.dtype()), (device, dtype));
        });
    }
}

#[test]
fn plane_wave_destruction_gives_those_of_pylops() {
    let base = PlaneWaveDestruction {
        inner: 200,
        damping: 0.1,
        smoothing: vec![5],
        ..PlaneWaveDestruction::default()
    };
    let kind = SlopeSmoothing::Boxcar;
    for (key, parameters) in [
        ("slopes/pwd_five", PlaneWaveDestruction { iterations: 3, ..base.clone() }),
        (
            "slopes/pwd_three",
            PlaneWaveDestruction { iterations: 2, filter: AllPass::Three, ..base.clone() },
        ),
        (
            "slopes/pwd_boxcar",
            PlaneWaveDestruction { iterations: 1, kind, axis: 1, ..base.clone() },
        ),
        ("slopes/pwd_last", PlaneWaveDestruction { iterations: 1, ..base.clone() }),
    ] {
        everywhere(key.ends_with("three"), |device, dtype, _| {
            let section = given(device, dtype, key);
            let slopes = pwd_slope_estimate(&section, &parameters).unwrap();
            // LSQR of SciPy ends at a relative residual of 1e-6.
            same(&slopes, key, "slopes", 1e-3);
            assert_eq!((slopes.device(), slopes.dtype()), (device, dtype));
        });
    }
}

#[test]
fn sections_without_slopes_are_refused() {
    let line = Array::from_slice(&[1.0; 5], [5]).unwrap();
    assert!(slope_estimate(&line, StructureTensor::default()).is_err());
    let section = Array::from_slice(&[1.0; 12], [3, 4]).unwrap();
    for parameters in [
        StructureTensor { steps: [0.0, 1.0], ..StructureTensor::default() },
        StructureTensor { deviations: [1.0, -1.0], ..StructureTensor::default() },
        StructureTensor { deviations: [f64::MAX; 2], ..StructureTensor::default() },
        StructureTensor { threshold: f64::NAN, ..StructureTensor::default() },
    ] {
        assert!(slope_estimate(&section, parameters).is_err(), "{parameters:?}");
        assert!(dip_estimate(&section, parameters).is_err(), "{parameters:?}");
    }
    // Nothing changes: no slope, no direction.
    let found = slope_estimate(&section, StructureTensor::default()).unwrap();
    for array in [found.slopes, found.anisotropy] {
        assert_eq!(array.to_vec::<f64>().unwrap(), [0.0; 12]);
    }
}

#[test]
fn slopes_do_not_depend_on_the_size_of_amplitudes() {
    let numbers: Vec<f64> = (0..240).map(|at| f64::from((at * at + 3 * at) % 23) - 11.0).collect();
    let section = |size: f64, dtype: DType| {
        let sized: Vec<f64> = numbers.iter().map(|number| size * number).collect();
        let single: Vec<f32> = sized.iter().map(|number| *number as f32).collect();
        match dtype {
            DType::Float32 => Array::from_slice(&single, [16, 15]).unwrap(),
            _ => Array::from_slice(&sized, [16, 15]).unwrap(),
        }
    };
    let given = StructureTensor { deviations: [1.5, 1.0], ..StructureTensor::default() };
    let expected = slope_estimate(section(1.0, DType::Float64), given).unwrap().slopes;
    let expected = expected.to_vec::<f64>().unwrap();
    for (dtype, sizes) in [
        (DType::Float32, [1e-30, 1e-20, 1e20, 1e36]),
        (DType::Float64, [1e-200, 1e-100, 1e200, 1e300]),
    ] {
        for size in sizes {
            let found = slope_estimate(section(size, dtype), given).unwrap().slopes;
            let found: Vec<f64> = match dtype {
                DType::Float32 => {
                    found.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect()
                }
                _ => found.to_vec().unwrap(),
            };
            for (found, expected) in found.iter().zip(&expected) {
                let off = (found - expected).abs() / (1.0 + expected.abs());
                assert!(off < 1e-3, "{dtype} {size:e}: {found}, expected {expected}");
            }
        }
    }
}

#[test]
fn sections_that_are_not_finite_have_no_slopes() {
    let mut numbers = [1.0; 300];
    let parameters = PlaneWaveDestruction { smoothing: vec![3], ..PlaneWaveDestruction::default() };
    for wrong in [f64::NAN, f64::INFINITY] {
        numbers[157] = wrong;
        let section = Array::from_slice(&numbers, [20, 15]).unwrap();
        let slopes = pwd_slope_estimate(&section, &parameters).unwrap();
        assert!(slopes.to_vec::<f64>().unwrap().iter().all(|slope| slope.is_nan()));
    }
}
