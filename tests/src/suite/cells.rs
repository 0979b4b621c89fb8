//! A cell is a device and a dtype; every law is tried in every cell.

use arrayspan_bridge::DType;
use arrayspan_devices::{Device, DeviceKind, caches};

use super::sample::{About, DTYPES};
use super::{Arrangement, Case, Cell, Law, Operator, Sample, Spent, devices};

impl Cell {
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
