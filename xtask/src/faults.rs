//! `cargo xtask faults`: the tests once more, while what they ask of devices fails on purpose.
//!
//! Every call that is refused for lack of memory finds its way back by itself, so the results have to be the same, and
//! what is held at the end as well. Threads are counted each for itself: a test fails at the same calls every time.

use crate::Result;
use crate::environment::Environment;
use crate::programs::Program;
use crate::report::Report;
use crate::{run_tests, setup};

/// The variable that [`arrayspan_devices::fault`] reads, and what it is set to.
///
/// [`arrayspan_devices::fault`]: https://docs.rs/arrayspan-devices
const VARIABLE: &str = "ARRAYSPAN_FAULTS";
const FAULTS: [&str; 2] = [
    "allocation:every=7;launch:every=101;copy:every=53;plan:every=5;pinned:every=3",
    "allocation:skip=1,every=2;launch:skip=3,every=17;copy:every=11",
];

/// The packages whose tests work with devices. Operators and solvers do so through the conformance suite.
const PACKAGES: [&str; 4] = ["devices", "bridge", "kernels", "conformance"];

/// Programs that count the steps of a recovery, or the failures that they inject themselves.
const LEFT_OUT: [&str; 4] = ["devices-fault", "devices-retry", "bridge-spill", "bridge-crowd"];

/// Runs the step alone.
pub(crate) fn run() -> Result {
    let environment = setup::run()?;
    let mut report = Report::default();
    let passed = all(&environment, &mut report)?;
    println!("tests: {} passed, {} failed", report.passed, report.failed);
    if passed { Ok(()) } else { Err("not everything passed".into()) }
}

/// Every wanted program under each setting. Whether all pass.
pub(crate) fn all(environment: &Environment, report: &mut Report) -> Result<bool> {
    let mut passed = true;
    for faults in FAULTS {
        println!("{VARIABLE}={faults}");
        let mut environment = environment.clone();
        environment.set(VARIABLE, faults);
        passed &= run_tests::again(&environment, wanted, report)?;
    }
    Ok(passed)
}

fn wanted(program: &Program) -> bool {
    let package = program.name.split('-').next().unwrap_or_default();
    PACKAGES.contains(&package) && !LEFT_OUT.contains(&program.name.as_str())
}
