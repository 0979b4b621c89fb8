//! Golden numbers of PyLops, and how near others have to be.

use arrayspan_bridge::DType;
use arrayspan_conformance::suite::{Cell, golden};
use arrayspan_devices::Device;

/// The real parts of an array of golden data.
pub(crate) fn golden(case: &str, name: &str) -> Vec<f64> {
    let cell = Cell { device: Device::cpu(), dtype: DType::Float64 };
    let array = golden::array(cell, case, name).unwrap();
    array.numbers.iter().map(|number| number.re).collect()
}

/// Fails unless all differ by rounding errors only.
#[track_caller]
pub(crate) fn near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-12, "{what}: {found} at {at}, not {expected}");
    }
}
