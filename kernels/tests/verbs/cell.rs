//! One device and dtype under test.

use std::io::Write;
use std::sync::Arc;

use arrayspan_kernels::bridge::devices::{Device, DeviceKind};
use arrayspan_kernels::bridge::{Array, DType};
use arrayspan_kernels::{Executor, on};
use num_complex::Complex64;

use crate::reference::Expected;
use crate::sample::{Form, Sample};
use crate::turn;

pub struct Cell {
    pub executor: Arc<dyn Executor>,
    pub dtype: DType,
}

/// Runs a case on every device of the kind. Says so, past the capture of test output, if there is none, and if it is
/// another dtype's turn there.
pub fn on_each(kind: DeviceKind, dtype: DType, name: &str, case: fn(&Cell)) {
    let devices = devices(kind, dtype.real() == DType::Float64);
    for device in devices {
        let half = matches!(dtype, DType::Float16 | DType::BFloat16);
        let is_turn = if half { turn::is_of_half } else { turn::is_of };
        if compiles_slowly(device) && !is_turn(dtype, name) {
            say(
                "skipped: where kernels are compiled slowly, a seed chooses cases of verbs and the dtype of each",
            );
            continue;
        }
        case(&Cell { executor: on(device).unwrap(), dtype });
    }
}

/// Whether kernels are compiled for a processor behind a device API, a quarter of a second each.
pub fn compiles_slowly(device: Device) -> bool {
    !device.is_cpu() && !device.info().accelerator
}

/// The devices of that kind. Says so if there is none.
pub fn devices(kind: DeviceKind, float64: bool) -> Vec<Device> {
    let fits = |device: &Device| device.kind() == kind && (!float64 || device.info().float64);
    let devices: Vec<Device> = Device::all().into_iter().filter(fits).collect();
    if devices.is_empty() {
        let name = match kind {
            DeviceKind::Cuda => "CUDA",
            DeviceKind::OpenCl => "OpenCL",
            _ => "CPU",
        };
        let with = if float64 { " with 64-bit numbers" } else { "" };
        say(&format!("skipped: no {name} device{with}"));
    }
    devices
}

/// Prints a line that the test harness does not hide when the test passes.
pub fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

impl Cell {
    pub fn is_complex(&self) -> bool {
        self.dtype.is_complex()
    }

    /// Whether arrays hold 16-bit floats, of which `Float32` is computed.
    pub fn is_half(&self) -> bool {
        matches!(self.dtype, DType::Float16 | DType::BFloat16)
    }

    /// The largest error of a result of that size where it is rounded to what arrays hold; none of results that are computed in their
    /// dtype, whose own roundings are counted.
    fn stored_error(&self, result: f64) -> f64 {
        let (digits, least) = match self.dtype {
            DType::Float16 => (11, -14),
            DType::BFloat16 => (8, -126),
            _ => return 0.0,
        };
        // Half of the last digit of a number of this size, or of the least that are normal.
        let exponent = result.abs().log2().floor().max(f64::from(least));
        0.5 * (exponent + 1.0 - f64::from(digits)).exp2()
    }

    /// Whether a result is infinite once it is stored.
    fn overflows(&self, result: f64) -> bool {
        self.dtype == DType::Float16 && result.is_finite() && result.abs() >= 65_520.0
    }

    /// Values in this cell's dtype: the imaginary part is dropped where the dtype has none.
    pub fn number(&self, re: f64, im: f64) -> Complex64 {
        Complex64::new(re, if self.is_complex() { im } else { 0.0 })
    }

    /// Pseudo-random numbers that fit the dtype exactly, in a layout of that form.
    pub fn random(&self, shape: &[usize], form: Form, seed: u64) -> Sample {
        Sample::random(self, shape, form, seed)
    }

    /// The same number everywhere, contiguous.
    pub fn filled(&self, shape: &[usize], value: impl Into<Complex64>) -> Sample {
        Sample::new(self, &crate::reference::Tensor::filled(shape, value), Form::Plain)
    }

    /// Not a number anywhere: what a verb must not read.
    pub fn unreadable(&self, shape: &[usize], form: Form) -> Sample {
        let nan = self.number(f64::NAN, f64::NAN);
        Sample::new(self, &crate::reference::Tensor::filled(shape, nan), form)
    }

    /// Copies a block to another device or back.
    pub fn moved(&self, from: &Array, to: Device) -> Array {
        let mut moved = Array::empty(from.shape(), from.dtype(), &to.stream().unwrap()).unwrap();
        let stream = self.executor.stream();
        moved.bytes_mut().unwrap().copy_from(&from.bytes().unwrap(), stream).unwrap();
        stream.synchronize().unwrap();
        moved
    }

    /// Fails unless `found` holds `expected`, up to 4 roundings for each term and the one to 16 bits if it holds those, and nothing
    /// around it has changed.
    #[track_caller]
    pub fn check(&self, found: &Sample, expected: &Expected, what: &str) {
        let values = found.read(self);
        assert_eq!(values.shape, expected.result.shape, "{what}");
        let single = self.is_half() || self.dtype.real() == DType::Float32;
        let epsilon = if single { f32::EPSILON.into() } else { f64::EPSILON };
        let unit = 4.0 * (expected.terms + 1) as f64 * epsilon;
        let rows = values.values.iter().zip(&expected.result.values).zip(&expected.scale);
        for (place, ((found, expected), scale)) in rows.enumerate() {
            for (found, expected) in [(found.re, expected.re), (found.im, expected.im)] {
                let equal =
                    found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
                let same_sign = found.is_sign_negative() == expected.is_sign_negative();
                let overflown = self.overflows(expected) && found.is_infinite() && same_sign;
                // A result near a tie may be rounded either way.
                let computed = unit * scale;
                let stored = self.stored_error(expected.abs() + computed);
                assert!(
                    equal || overflown || (found - expected).abs() <= computed + stored,
                    "{what}: element {place} of {:?} is {found}, expected {expected}",
                    values.shape
                );
            }
        }
        found.check_surroundings(self, what);
    }
}
