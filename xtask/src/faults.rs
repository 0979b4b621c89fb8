//! `cargo xtask faults`: the tests once more, while what they ask of devices fails on purpose.
//!
//! Every call that is refused for lack of memory finds its way back by itself, so the results have to be the same, and
//! what is held at the end as well. Threads are counted each for itself: a test fails at the same calls every time.

use std::sync::Arc;

use crate::Result;
use crate::environment::Environment;
use crate::programs::Program;
use crate::report::Report;
use crate::run_tests::{self, Ran};
use crate::{sample, setup};

/// The variable that [`arrayspan_devices::fault`] reads, and what it is set to.
///
/// [`arrayspan_devices::fault`]: https://docs.rs/arrayspan-devices
const VARIABLE: &str = "ARRAYSPAN_FAULTS";
/// The first one is the one that every change is tested with: failures of every kind.
const FAULTS: [&str; 2] = [
    "allocation:every=7;launch:every=101;copy:every=53;plan:every=5;pinned:every=3",
    "allocation:skip=1,every=2;launch:skip=3,every=17;copy:every=11",
];

/// Of so many parts of a long program the sample has one: all have passed without failures, and meet the same recovery.
const PARTS: u64 = 6;

/// The packages whose tests work with devices. Operators and solvers do so through the conformance suite.
const PACKAGES: [&str; 5] = ["devices", "bridge", "pipeline", "kernels", "conformance"];

/// Programs that count the steps of a recovery, the blocks of memory that a call takes, or the failures that they inject
/// themselves; one that looks at sources, and two that compile kernels for CUDA without a device.
const LEFT_OUT: [&str; 10] = [
    "devices-fault",
    "devices-retry",
    "pipeline-spill",
    "pipeline-crowd",
    "kernels-heap",
    "kernels-tables",
    "kernels-races",
    "conformance-completeness",
    "bridge-nvrtc",
    "kernels-nvrtc",
];

/// Runs the step alone, under every setting.
pub(crate) fn run() -> Result {
    let mut environment = setup::run()?;
    let mut report = Report::default();
    let programs = run_tests::build(&mut environment)?;
    let ran = all(&programs, &environment, true, &mut report)?;
    println!("tests: {} passed, {} failed", report.passed, report.failed);
    if ran.passed { Ok(()) } else { Err("not everything passed".into()) }
}

/// Every wanted program under one setting, or each.
pub(crate) fn all(
    programs: &[Arc<Program>],
    environment: &Environment,
    full: bool,
    report: &mut Report,
) -> Result<Ran> {
    let programs: Vec<_> = programs.iter().filter(|program| wanted(program)).cloned().collect();
    let mut all = Ran { passed: true, parts: Vec::new() };
    for faults in settings(full) {
        println!("{VARIABLE}={faults}");
        let mut shards = run_tests::dealt(&programs, None, environment)?;
        let all_of_them = shards.len();
        shards.retain(|shard| shard.is_whole() || sample::has(environment, shard.number, PARTS));
        println!("{} of {all_of_them} parts", shards.len());
        let mut environment = environment.clone();
        environment.set(VARIABLE, faults);
        let ran = run_tests::run(shards, &environment, report)?;
        all.passed &= ran.passed;
        all.parts.extend(ran.parts);
    }
    if !full {
        let why = "the second setting, and all parts of long programs, run only with --full";
        report.skip_step("faults", why);
    }
    Ok(all)
}

fn settings(full: bool) -> &'static [&'static str] {
    if full { &FAULTS } else { &FAULTS[..1] }
}

fn wanted(program: &Program) -> bool {
    let package = program.name.split('-').next().unwrap_or_default();
    PACKAGES.contains(&package) && !LEFT_OUT.contains(&program.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_setting_fails_calls_of_every_kind_and_full_means_each() {
        let [setting] = settings(false) else { panic!("one") };
        for kind in ["allocation", "launch", "copy", "plan", "pinned"] {
            assert!(setting.contains(kind), "{kind}");
        }
        assert_eq!(settings(true), FAULTS);
    }
}
