//! `cargo xtask test`: everything that has to hold before a change is taken.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::Result;
use crate::environment::Environment;
use crate::process::{cargo, run as show, succeeds};
use crate::report::Report;
use crate::{faults, fuzz, interop, libtorch, memcheck, miri, run_tests, setup};

/// A step by name, whether it passed, and how long it took.
type Step = (&'static str, bool, Duration);

/// A step that runs where a tool is installed: its name, what is missing, and the step.
type Checker = (&'static str, fn() -> Result<(), String>, fn() -> Result);

/// What looks at the bridge's unsafe code.
const CHECKERS: [Checker; 3] = [
    ("memcheck", memcheck::available, memcheck::run),
    ("miri", miri::available, miri::run),
    ("fuzz", fuzz::available, fuzz::briefly),
];

/// Runs every step, also after one fails, and sums up.
pub(crate) fn run() -> Result {
    let mut steps: Vec<Step> = Vec::new();
    let begin = Instant::now();
    let mut environment = setup::run()?;
    let torch = libtorch::set_up(&environment);
    steps.push(("setup", true, begin.elapsed()));

    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let doc = ["doc", "--workspace", "--no-deps"];
    step(&mut steps, "format", || show(&mut cargo(&["fmt", "--all", "--check"])).is_ok());
    step(&mut steps, "lints", || show(&mut cargo(&clippy)).is_ok());
    step(&mut steps, "documentation", || {
        show(cargo(&doc).env("RUSTDOCFLAGS", "-D warnings")).is_ok()
    });
    if succeeds(&mut cargo(&["deny", "--version"])) {
        let deny = ["deny", "check", "bans", "licenses", "sources"];
        step(&mut steps, "licences", || show(&mut cargo(&deny)).is_ok());
    }
    if succeeds(Command::new("typos").arg("--version")) {
        step(&mut steps, "spelling", || show(&mut Command::new("typos")).is_ok());
    }

    let mut report = Report::default();
    step(&mut steps, "tests", || {
        run_tests::all(&environment, &mut report).unwrap_or_else(|error| {
            eprintln!("error: {error}");
            false
        })
    });
    step(&mut steps, "faults", || {
        faults::all(&environment, &mut Report::default()).unwrap_or_else(|error| {
            eprintln!("error: {error}");
            false
        })
    });
    match torch {
        Ok(torch) => {
            let clippy = ["clippy", "--all-targets", "--", "-D", "warnings"];
            step(&mut steps, "torch lints", || {
                show(&mut libtorch::command(&torch, &clippy)).is_ok()
            });
            step(&mut steps, "torch tests", || {
                run_tests::torch(&torch, &mut report).unwrap_or_else(|error| {
                    eprintln!("error: {error}");
                    false
                })
            });
        }
        Err(error) => environment.missing.push(libtorch::missing(&*error)),
    }
    step(&mut steps, "interop", || {
        interop::all(&environment, &mut report).unwrap_or_else(|error| {
            eprintln!("error: {error}");
            false
        })
    });
    let mut left_out = Vec::new();
    for (name, available, run) in CHECKERS {
        match available() {
            Ok(()) => step(&mut steps, name, || shown(run())),
            Err(why) => left_out.push(format!("{name}: {why}")),
        }
    }
    summary(&steps, &report, &environment);
    for skipped in left_out {
        println!("skipped {skipped}");
    }
    if steps.iter().all(|(_, passed, _)| *passed) {
        Ok(())
    } else {
        Err("not everything passed".into())
    }
}

/// Whether it passed; says why not.
fn shown(result: Result) -> bool {
    result.map_err(|error| eprintln!("error: {error}")).is_ok()
}

fn step(steps: &mut Vec<Step>, name: &'static str, work: impl FnOnce() -> bool) {
    let begin = Instant::now();
    let passed = work();
    steps.push((name, passed, begin.elapsed()));
}

fn summary(steps: &[Step], report: &Report, environment: &Environment) {
    println!("\n{:<15} {:<7} {:>8}", "step", "", "seconds");
    for (name, passed, time) in steps {
        let outcome = if *passed { "passed" } else { "FAILED" };
        println!("{name:<15} {outcome:<7} {:>8.1}", time.as_secs_f64());
    }
    let skipped: usize = report.skipped.values().sum();
    println!(
        "\ntests: {} passed ({skipped} of them skipped what they could not run here), {} failed, {} ignored",
        report.passed, report.failed, report.ignored
    );
    for (reason, count) in &report.skipped {
        println!("skipped {count:>5}: {reason}");
    }
    for missing in &environment.missing {
        println!("not set up: {missing}");
    }
}
