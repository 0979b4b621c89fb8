//! Devices and arrays to try.

use std::io::Write as _;
use std::sync::Arc;

use arrayspan_kernels::bridge::devices::Device;
use arrayspan_kernels::bridge::{Array, Element};
use arrayspan_kernels::{Executor, on};

/// On every device that runs kernels and has `float64` if that is needed. Says so if there is none.
pub(crate) fn on_each(float64: bool, test: impl Fn(&dyn Executor)) {
    let runs = |device: &Device| !device.is_cpu() && (!float64 || device.info().float64);
    let executors: Vec<Arc<dyn Executor>> =
        Device::all().into_iter().filter(runs).map(|device| on(device).unwrap()).collect();
    if executors.is_empty() {
        std::io::stderr().write_all(b"skipped: no device runs kernels\n").unwrap();
    }
    for executor in executors {
        test(&*executor);
    }
}

pub(crate) fn upload<T: Element>(on: &dyn Executor, values: &[T], shape: &[usize]) -> Array {
    Array::from_slice(values, shape).unwrap().into_device(on.device()).unwrap().0
}

/// Small integers as numbers: sums of them are exact.
pub(crate) fn number(seed: usize, at: usize) -> f64 {
    ((at * 37 + seed * 101 + at * at) % 19) as f64 - 9.0
}

pub(crate) fn numbers(seed: usize, len: usize) -> Vec<f64> {
    (0..len).map(|at| number(seed, at)).collect()
}

pub(crate) fn singles(seed: usize, len: usize) -> Vec<f32> {
    (0..len).map(|at| number(seed, at) as f32).collect()
}
