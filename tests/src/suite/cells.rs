//! A cell is a device and a dtype; every law is tried in every cell.

use std::sync::Arc;

use arrayspan_bridge::{Array, DType};
use arrayspan_devices::{Device, DeviceKind, caches};
use arrayspan_kernels::Executor;

use super::sample::{About, DTYPES};
use super::{Arrangement, Case, Law, Operator, Sample, Spent, Values, devices};

/// A device and a dtype.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Where the operator runs.
    pub device: Device,
    /// What it computes with.
    pub dtype: DType,
}

impl Cell {
    /// The host in twice the precision: what every other cell must agree with.
    #[must_use]
    pub fn reference(self) -> Self {
        let dtype = if self.dtype.is_complex() { DType::Complex128 } else { DType::Float64 };
        Self { device: Device::cpu(), dtype }
    }

    /// The distance from 1 to the next number.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        if self.dtype.real() == DType::Float64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
    }

    /// How far a result of `len` elements may be off, relative to its norm: rounding errors of a few
    /// operations each, added up as a random walk.
    #[must_use]
    pub fn tolerance(self, len: usize) -> f64 {
        16.0 * self.epsilon() * (len.max(1) as f64).sqrt()
    }

    /// The arrangements of input and output that a case is tried in: all of them on the host; elsewhere one,
    /// and the next case takes the next one, because every arrangement is another kernel to compile.
    #[must_use]
    pub fn arrangements(self, case: &Case) -> Vec<(Arrangement, Arrangement)> {
        self.share(case, &Arrangement::PAIRS)
    }

    /// All choices on the host; elsewhere the one that is the case's turn.
    pub(super) fn share<T: Copy>(self, case: &Case, choices: &[T]) -> Vec<T> {
        if self.device.is_cpu() {
            return choices.to_vec();
        }
        choices.iter().copied().skip(case.turn() % choices.len()).take(1).collect()
    }

    /// Who runs verbs on this device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn executor(self) -> arrayspan_kernels::Result<Arc<dyn Executor>> {
        arrayspan_kernels::on(self.device)
    }

    /// An array of this cell without gaps, for operators that hold one.
    ///
    /// # Errors
    /// When the device fails.
    pub fn array(self, values: &Values) -> arrayspan_operators::Result<Array> {
        devices::place(values, self.dtype, self.device, Arrangement::RowMajor).map_err(|error| {
            match error.downcast::<arrayspan_bridge::Error>() {
                Ok(error) => (*error).into(),
                Err(error) => arrayspan_operators::Error::Parameter {
                    operator: "test data".into(),
                    why: error.to_string(),
                },
            }
        })
    }
}

/// Every cell of this kind of device and dtype.
///
/// Prints `skipped: …` for a device that is missing or cannot compute with the dtype.
///
/// # Panics
/// When there is no such device although `ARRAYSPAN_REQUIRE` names it.
pub(super) fn all(kind: DeviceKind, dtype: DType) -> Vec<Cell> {
    let devices = match devices::of(kind) {
        Ok(devices) => devices,
        Err(why) => {
            assert!(!devices::required(kind), "{why}, and ARRAYSPAN_REQUIRE asks for one");
            println!("skipped: {why}");
            return Vec::new();
        }
    };
    let computes = |device: &Device| {
        let computes = dtype.real() != DType::Float64 || device.info().float64;
        if !computes {
            println!("skipped: {device} has no 64-bit floating point");
        }
        computes
    };
    devices.into_iter().filter(computes).map(|device| Cell { device, dtype }).collect()
}

/// Tries a law on the cases of an operator, in every cell of this kind of device and dtype: on all of them, or on
/// the [`Sample`] of this run.
///
/// # Panics
/// When a case breaks the law, or a required device is missing.
pub fn hold(kind: DeviceKind, dtype: DType, operator: &Operator, law: Law) {
    hold_about(About::Others, kind, dtype, operator, law);
}

/// As [`hold`], for the golden data of an operator.
///
/// # Panics
/// As [`hold`].
pub fn hold_golden(kind: DeviceKind, dtype: DType, operator: &Operator) {
    hold_about(About::Golden, kind, dtype, operator, super::golden::law);
}

fn hold_about(about: About, kind: DeviceKind, dtype: DType, operator: &Operator, law: Law) {
    let sample = Sample::from_environment();
    let mut broken = Vec::new();
    for cell in all(kind, dtype) {
        let spent = Spent::begin(cell.device);
        let cases = sample.cases(cell, operator, about);
        if cases.is_empty() && sample.applies(cell) {
            println!(
                "skipped: the sample has no case of the operator in this dtype where kernels are compiled slowly"
            );
        }
        for case in cases {
            if let Err(why) = law(&cell, &case) {
                broken.push(format!("{} {dtype} {}: {why}", cell.device, case.name()));
            }
        }
        println!("{}", spent.end(operator.0));
    }
    let seed = sample.seed;
    assert!(
        broken.is_empty(),
        "{} cases of {} fail (ARRAYSPAN_TEST_SEED={seed}):\n{}",
        broken.len(),
        operator.0,
        broken.join("\n")
    );
}

/// Kernels that an operator needs on a device for all laws in all dtypes, when no cache of the process has any.
///
/// # Errors
/// The first law that is broken.
pub fn kernels(
    device: Device,
    operator: &Operator,
) -> Result<usize, Box<dyn std::error::Error + Send + Sync>> {
    let sample = Sample::from_environment();
    if let Some(failure) = caches::clear(device).failures().next() {
        return Err(failure.to_string().into());
    }
    for dtype in DTYPES {
        let cell = Cell { device, dtype };
        let others = [super::dot_test::law, super::linearity::law, super::update::law];
        let others = others.into_iter().chain([super::shapes::law, super::agreement::law]);
        let laws = others.map(|law| (About::Others, law as Law));
        for (about, law) in laws.chain([(About::Golden, super::golden::law as Law)]) {
            sample.cases(cell, operator, about).iter().try_for_each(|case| law(&cell, case))?;
        }
    }
    Ok(caches::kernels(device))
}
